"""The command line of the judge: finds a Python that can grade, then hands over to `practice.grader.cli`.

Kept to the standard library and to syntax that old Pythons read, so that they too can say what to run.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HANDED_OVER = "COURSE_JUDGE_HANDED_OVER"
ADVICE = {
    "en": "judge: this Python ({python}) {lack}; run `{command}` once, then this command again.",
    "zh": "judge：当前的 Python（{python}）{lack}；请先运行一次 `{command}`，再重新执行本命令。",
}
LACKS = {
    "en": {"version": "is older than 3.11", "package": "has no {package}"},
    "zh": {"version": "低于 3.11", "package": "没有安装 {package}"},
}
PACKAGES = ("torch", "filelock", "platformdirs", "watchfiles")
NEED_NO_PACKAGES = {"list", "start", "reset", "-h", "--help"}


def main(argv: list[str] | None = None) -> int:
    """Run one judge command and return its exit status.

    `argv` None takes the process's own arguments, and only then may the course's Python take over the process.
    """
    arguments = sys.argv[1:] if argv is None else argv
    lack = what_is_missing(arguments)
    if lack:
        if argv is None and course_python().exists() and HANDED_OVER not in os.environ:
            return hand_over(arguments)
        print(advice(arguments, lack), file=sys.stderr)
        return 2
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from practice.grader.cli import main as run_command

    return run_command(arguments)


def what_is_missing(arguments: list[str]) -> str:
    """What this Python lacks for the command: "version", the first missing package, or nothing ("")."""
    if sys.version_info < (3, 11):  # noqa: UP036 - older Pythons do run this file
        return "version"
    if not arguments or NEED_NO_PACKAGES.intersection(arguments):
        return ""
    return next((package for package in PACKAGES if importlib.util.find_spec(package) is None), "")


def course_python() -> Path:
    """The interpreter of the course's own environment, whether or not it exists."""
    return ROOT / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def hand_over(arguments: list[str]) -> int:
    """Run the same command with the course's Python; returns its exit status, where it returns at all."""
    command = [str(course_python()), str(Path(__file__).resolve()), *arguments]
    environment = {**os.environ, HANDED_OVER: "1"}
    if os.name == "nt":
        return subprocess.call(command, env=environment)
    os.execve(command[0], command, environment)


def advice(arguments: list[str], lack: str) -> str:
    """One line that says what to run, in the language asked for."""
    chosen = [word.split("=")[-1] for word in arguments if word in ("zh", "en", "--lang=zh", "--lang=en")]
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    lang = chosen[0] if chosen else "zh" if locale.startswith("zh") else "en"
    command = "py tools/bootstrap.py lab" if os.name == "nt" else "make lab"
    told = LACKS[lang]["version" if lack == "version" else "package"].format(package=lack)
    return ADVICE[lang].format(python=sys.executable, lack=told, command=command)


def leave(status: int) -> None:
    """End the process at once: unloading torch would take a third of a second and changes nothing."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # closed, or whoever read the output has left
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    leave(main())
