"""Sets the course up in .venv and runs it: `make lab`, or `py tools/bootstrap.py lab` on Windows.

Python's standard library is all it needs. Every run looks at what is there, mends what is missing, half-finished or
broken, and leaves alone what is whole. Options after the command go to the program that it starts.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import importlib.util
import json
import locale
import os
import re
import shutil
import signal
import sys
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen, TimeoutExpired, run
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = os.name == "nt"
NEEDED, VERSION = (3, 11), "{}.{}".format(*sys.version_info)
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if WINDOWS else "bin/python")
SITE = VENV / ("Lib/site-packages" if WINDOWS else f"lib/python{VERSION}/site-packages")
STAMP = VENV / "course-stamp.json"  # what the last finished set-up noted
MODEL, MODEL_FOLDER = "smollm2-135m", ROOT / "models" / "SmolLM2-135M-Instruct"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")
LEARNERS = ("lab", "practice/answers")
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # A slider's redraw and the running cell must not draw at the same time: pyplot belongs to one thread.
    "@jupyterlab/apputils-extension:kernels-settings": {"commsOverSubshells": "disabled"},
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},  # with KEEP_WIDGETS: as drawn today
}
KEEP_WIDGETS = "--ContentsManager.pre_save_hook=practice.grader.notebook.saving.keep_widgets"
HINTS = {
    "No space left": "The disk is full: the set-up needs about 3 GiB.",
    "No matching distribution": "No network, or no such package for this Python and system (3.11 is the tried one).",
    "": "Is the network up? The same command tries again and keeps what was downloaded.",
}


class Stop(Exception):
    """Ends the run: the message is for the user."""


def say(text: str) -> None:
    print(text, flush=True)


def read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def write(path: Path, data: bytes | dict[str, Any]) -> None:
    """Writes a file whole: after a crash it holds the old bytes or the new ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_bytes(json.dumps(data, indent=1, sort_keys=True).encode() if isinstance(data, dict) else data)
    os.replace(part, path)


def try_lock(fd: int) -> bool:
    """Locks an open file without waiting; True also where the disk knows no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


@contextmanager
def lock() -> Iterator[int]:
    """One set-up at a time. Programs given the descriptor hold the lock too: a pip whose parent died is waited for."""
    (ROOT / "build").mkdir(exist_ok=True)
    fd = os.open(ROOT / "build" / "set-up.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not try_lock(fd):
            say("Another set-up of this folder is running: waiting for it to end ...")
        while not try_lock(fd):
            time.sleep(0.2)
        yield fd
    finally:
        os.close(fd)


def environment() -> dict[str, str]:
    """.venv first on PATH, and nothing that would lead Python or pip elsewhere."""
    unwanted = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "__PYVENV_LAUNCHER__")
    env = {name: value for name, value in os.environ.items() if name not in unwanted}
    env.update(PIP_USER="0", PIP_NO_INPUT="1", PIP_DISABLE_PIP_VERSION_CHECK="1", VIRTUAL_ENV=str(VENV))
    return {**env, "PATH": str(PYTHON.parent) + os.pathsep + env.get("PATH", "")}


@contextmanager
def program(argv: list[Any], fd: int | None = None, **options: Any) -> Iterator[Popen[str]]:
    """A program that runs in the course's environment and does not outlive the block."""
    fds = () if fd is None or WINDOWS else (fd,)
    child = Popen([str(part) for part in argv], cwd=ROOT, env=environment(), pass_fds=fds, **options)
    try:
        yield child
    except KeyboardInterrupt:
        with suppress(TimeoutExpired):
            child.wait(10)
        raise
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()


def call(argv: list[Any], fd: int | None = None) -> int:
    with program(argv, fd) as child:
        return child.wait()


def fingerprint() -> str:
    """Changes when the dependencies or their pins do."""
    data = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(b"\0".join(data)).hexdigest()


def model_state() -> str:
    """Names, sizes and times of the model's files, and the program that writes them; empty where there is no model."""
    files = [(path.name, path.stat()) for path in sorted(MODEL_FOLDER.rglob("*")) if path.is_file()]
    facts = repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in files]).encode()
    return hashlib.sha256(facts + (ROOT / "mini_llm/checkpoints.py").read_bytes()).hexdigest() if files else ""


def packages() -> dict[str, Path]:
    return {info.name.split("-")[0]: info for info in SITE.glob("*.dist-info")}


def is_broken(info: Path) -> bool:
    """An installed package without its RECORD, or with a file named there gone or of another size."""
    try:
        with open(info / "RECORD", encoding="utf-8", newline="") as record:
            for name, _, size in csv.reader(record):
                found = os.stat(info.parent / name).st_size if size else 0
                moved = "/bin/" in name or name.startswith("__editable__")  # `relocate` changes their lengths
                if size and found != int(size) and not moved:
                    return True
    except (OSError, ValueError):
        return True
    return False


def diagnose(extra: str) -> tuple[str, str]:
    """What the set-up needs ("" for nothing, "venv", "moved" or "packages") and why."""
    if not VENV.exists():
        return "venv", ""
    ask = [str(PYTHON), "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.prefix != sys.base_prefix)"]
    try:
        found = run(ask, env=environment(), stdout=PIPE, stderr=DEVNULL, text=True, timeout=60).stdout.strip()
    except (OSError, TimeoutExpired):
        found = ""
    if found != f"{VERSION} True":
        return "venv", f"in .venv no Python {VERSION} runs"
    there, stamp = packages(), read_json(STAMP)
    broken = {name for name, info in there.items() if is_broken(info)}
    if "pip" in broken or "pip" not in there:
        return "venv", "the pip in .venv is not whole"
    if stamp.get("root", str(ROOT)) != str(ROOT):
        return ("venv" if WINDOWS else "moved"), "the folder was moved or renamed"
    missing = sorted(broken | set(stamp.get("packages", [])) - set(there))
    if missing:
        return "packages", f"not whole: {', '.join(missing[:5])}{', ...' if missing[5:] else ''}"
    if stamp.get("key") != fingerprint():
        return "packages", "the list of packages changed" if "key" in stamp else "an earlier run did not finish it"
    return ("", "") if extra in ("", *stamp["extras"]) else ("packages", f"the packages for {extra} are not there")


@contextmanager
def step(what: str) -> Iterator[float]:
    say(what)
    start = time.monotonic()
    yield start
    say(f"  done in {time.monotonic() - start:.0f} s")


def make_venv(fd: int) -> None:
    if not importlib.util.find_spec("ensurepip"):
        raise Stop(f"Python lacks ensurepip: apt-get install python3-venv (or python{VERSION}-venv), then try again.")
    with step("Making .venv: 20 MiB"):
        if call([getattr(sys, "_base_executable", sys.executable), "-m", "venv", "--clear", VENV], fd):
            raise Stop("Making .venv failed. Close what uses it (JupyterLab, an activated shell) and run this again.")


def relocate() -> None:
    """Writes the folder's new name into the files of .venv that hold its old one: needs no network."""
    stamp = read_json(STAMP)
    old, new = f"{stamp['root']}/".encode(), f"{ROOT}/".encode()
    first_line = re.compile(rb"\A#!(" + re.escape(new) + rb".*)")
    through_sh = rb"""#!/bin/sh\n'''exec' "\1" "$0" "$@"\n' '''"""  # as pip does it: the path may hold spaces
    for path in [VENV / "pyvenv.cfg", *PYTHON.parent.iterdir(), *SITE.glob("__editable__*")]:
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if old in data and b"\0" not in data:
                path.write_bytes(first_line.sub(through_sh, data.replace(old, new)))
    write(STAMP, {**stamp, "root": str(ROOT)})


def progress(lines: list[str], before: int, seconds: float) -> str:
    """How far pip is, from its lines: first files are fetched, then packages installed."""
    text = lines[-1].strip() if lines else ""
    total = (ROOT / "constraints.txt").read_text("utf-8").count("==")
    done = sum(".whl" in line.replace(".whl.metadata", "") for line in lines)
    for line in lines:
        if line.startswith("Installing collected packages: "):
            done, total, text = len(packages()) - before, line.count(",") + 1, "installing"
    filled = 24 * min(done, total) // total
    return f"  [{'#' * filled}{'.' * (24 - filled)}] {seconds:3.0f} s  {text}"


def pip(what: str, fd: int, *args: str) -> None:
    """Runs `pip install` behind a bar; a failure carries pip's last lines and what to try."""
    lines: list[str] = []
    before, width, moving = len(packages()), shutil.get_terminal_size().columns - 1, sys.stdout.isatty()
    argv = [PYTHON, "-u", "-m", "pip", "install", "--progress-bar=off", *args]
    with step(what) as start, program(argv, fd, stdout=PIPE, stderr=STDOUT, text=True, errors="replace") as child:
        reader = threading.Thread(target=lambda: deque(map(lines.append, child.stdout or ()), 0), daemon=True)
        reader.start()
        while reader.is_alive():
            line = progress(lines, before, time.monotonic() - start)[:width]
            print(f"\r{line:<{width}}" if moving else f"{line}\n", end="", flush=True)
            reader.join(0.3 if moving else 20)
        print(f"\r{'':{width}}\r" if moving else "", end="")
        if child.wait():
            tail = "".join(lines[-12:])
            raise Stop(tail + next(hint for sign, hint in HINTS.items() if sign in tail))


def wants_cpu_torch() -> bool:
    """On Linux the plain torch brings several GB of CUDA: without an NVIDIA driver the CPU build does."""
    driver = os.path.exists("/proc/driver/nvidia/version") or shutil.which("nvidia-smi")
    if driver or not sys.platform.startswith("linux"):
        return False
    answers: list[int] = []

    def probe() -> None:
        with suppress(Exception), urllib.request.urlopen(f"{CPU_INDEX}/torch/", timeout=3) as reply:
            answers.append(reply.status)

    thread = threading.Thread(target=probe, daemon=True)  # a name look-up knows no timeout
    thread.start()
    thread.join(3)
    return answers == [200]


def install(extra: str, fd: int) -> None:
    """Brings the packages, with this extra and those that were there, to what pyproject.toml and the pins say."""
    extras = sorted({extra, *read_json(STAMP).get("extras", [])} - {""})
    stamp = {"root": str(ROOT), "extras": extras}
    write(STAMP, stamp)
    for path in [info for info in packages().values() if is_broken(info)] + list(SITE.glob("~*")):
        shutil.rmtree(path)  # pip would take the broken for installed; ~ marks what it was replacing when it ended
    pin = re.search(r"^torch==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    if pin and not any(SITE.glob(f"torch-{pin[1]}*.dist-info")) and wants_cpu_torch():
        args = ("--no-deps", "--index-url", CPU_INDEX, f"torch=={pin[1]}")
        try:
            pip("Installing the CPU build of torch: 0.2 GB to download", fd, *args)
        except Stop:
            say("  not to be had there: taking the plain package")
    what = "Installing the packages: up to 0.5 GB to download, 2 GiB on disk (with CUDA several GB)"
    pip(what, fd, "-c", "constraints.txt", "-e", f".[{','.join(extras)}]" if extras else ".")
    write(STAMP, {**stamp, "key": fingerprint(), "packages": sorted(packages())})


def set_up(extra: str) -> None:
    """Mends what is not whole: the environment, its packages, the embedded model."""
    with lock() as fd:
        need, why = diagnose(extra)
        if why:
            say(f"Mending the set-up: {why}.")
        if need == "moved":
            relocate()
            need, _ = diagnose(extra)
        if need == "venv":
            make_venv(fd)
        if need:
            install(extra, fd)
        if not model_state() or model_state() != read_json(STAMP).get("model"):
            with step("Making the embedded model where it is not whole: 93 MB to download, 0.5 GiB on disk"):
                if call([PYTHON, "-m", "mini_llm.checkpoints", MODEL], fd):
                    raise Stop("The embedded model is missing (see above). The same command tries again.")
            write(STAMP, {**read_json(STAMP), "model": model_state()})


def copy_chapters() -> list[Path]:
    """Brings lab/ up to date with notebooks/, save for copies that the learner has changed; returns the new ones."""
    record, kept, copied = read_json(ROOT / "lab" / ".copied.json"), [], []
    for source in sorted(path for language in ("en", "zh") for path in (ROOT / "notebooks" / language).glob("*.ipynb")):
        name = f"{source.parent.name}/{source.name}"
        copy, new = ROOT / "lab" / name, source.read_bytes()
        there = hashlib.sha256(copy.read_bytes()).hexdigest() if copy.exists() else ""
        latest = hashlib.sha256(new).hexdigest()
        if there in ("", record.get(name)) and there != latest:
            write(copy, new)
            copied.append(copy)
            there = latest
        if there == latest:
            record[name] = latest
        elif record.get(name) != latest:
            kept.append(f"lab/{name}")
    write(ROOT / "lab" / ".copied.json", record)
    if kept:
        say(f"Kept with your changes: {', '.join(kept)}. For the newer version rename yours and run this again.")
    return copied


def trust(copied: list[Path]) -> None:
    """Signs copies of chapters: JupyterLab draws the widgets of trusted notebooks alone until their cells are run."""
    if copied:
        run([PYTHON, "-m", "nbformat.sign", *copied], stdout=DEVNULL, env=environment())


def hand_over(argv: list[Any], args: list[str]) -> int:
    """Becomes the program, so that Ctrl-C and signals reach it; Windows can only wait for it."""
    if not WINDOWS:
        os.chdir(ROOT)
        os.execve(PYTHON, [str(part) for part in (PYTHON, *argv, *args)], environment())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return call([PYTHON, *argv, *args])


def lab(args: list[str]) -> int:
    with lock():
        trust(copy_chapters())
        write(VENV / "share/jupyter/lab/settings/overrides.json", SETTINGS)
    names = [os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    name = next(filter(None, names), "") or (WINDOWS and locale.getlocale()[0]) or ""
    folder = "lab/zh" if name.lower().startswith(("zh", "chinese")) else "lab/en"
    folder = folder if (ROOT / folder).is_dir() else "lab"
    say(f"Starting JupyterLab in {folder}/; its address follows. Ctrl-C ends it.")
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{folder}",
        "--ServerApp.answer_yes=1",
        KEEP_WIDGETS,
    ]
    options += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return hand_over(["-m", "jupyterlab", *options], args)  # `jupyter lab` would look for a script by its old path


def test(args: list[str]) -> int:
    status = 0
    for tool in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"]):
        start = time.monotonic()
        failed = call([PYTHON, "-m", *tool])
        say(f"{' '.join(tool)}: {'FAILED' if failed else 'ok'} in {time.monotonic() - start:.0f} s")
        status = status or failed
    return call([PYTHON, "-m", "pytest", *args]) or status


def soak(args: list[str]) -> int:
    os.environ["SOAK"] = "1"
    files = [f"tests/judge/{name}.py" for name in ("test_sound", "test_batch_class", "test_batch_runs")]
    return call([PYTHON, "-m", "pytest", "tests/attacks", *files, *args])


def clean(_: list[str]) -> int:
    """Removes the environment, the models and the caches; what the learner wrote stays."""
    mine = [VENV, ROOT / "models"]
    passed = {*mine, ROOT / ".git", *(ROOT / name for name in LEARNERS)}
    caches = [ROOT / "build"]
    for folder, names, _files in os.walk(ROOT):
        names[:] = [name for name in names if Path(folder, name) not in passed]
        caches += [Path(folder, name) for name in names if name in CACHES or name.endswith(".egg-info")]
        names[:] = [name for name in names if Path(folder, name) not in caches]
    total = 0
    with lock():
        for what, paths in ((".venv", mine[:1]), ("models/", mine[1:]), ("caches", caches)):
            size = sum(remove(path) for path in paths)
            say(f"{what}: {amount(size)}")
            total += size
    say(f"{amount(total)} freed. {' and '.join(f'{name}/' for name in LEARNERS)} stay: they hold your work.")
    return 0


def remove(path: Path) -> int:
    """Removes a folder, or the link to one; returns the bytes of its files."""
    if path.is_symlink() or not path.exists():
        path.unlink(missing_ok=True)
        return 0
    size = sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names)
    shutil.rmtree(path)
    return size


def amount(size: int) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


# name: (the extra of pyproject.toml that it needs, None where it needs no set-up; what runs; what it is)
COMMANDS: dict[str, tuple[str | None, Callable[[list[str]], int], str]] = {
    "lab": ("", lab, "JupyterLab on your own copy of the chapters"),
    "test": ("dev", test, "linters, types and tests"),
    "notebooks": ("dev", partial(hand_over, ["tools/chapters.py", "build"]), "build the chapters"),
    "experiments": ("dev", partial(hand_over, ["-m", "mini_llm.experiments"]), "measure what is missing or stale"),
    "assignments": ("", partial(hand_over, ["practice/judge.py", "assignment", "build"]), "a class's nbgrader folder"),
    "bench": ("dev", partial(hand_over, ["benchmarks/run.py"]), "mini_llm beside transformers and the machine"),
    "soak": ("dev", soak, "tries the judge for long: every attack in every way, 200 seeds, 1,000 students"),
    "clean": (None, clean, "remove .venv, models/ and caches; your work stays"),
}


def main(argv: list[str]) -> int:
    if not argv or argv[0] not in COMMANDS:
        say("usage: bootstrap.py COMMAND [OPTIONS OF THE PROGRAM]")
        say("\n".join(f"  {name:11} {about}" for name, (_, _, about) in COMMANDS.items()))
        return 0 if argv in ([], ["-h"], ["--help"]) else 2
    extra, start, _ = COMMANDS[argv[0]]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if extra is not None:
            if tuple(sys.version_info[:2]) < NEEDED:
                found = f"The course needs Python 3.11 or newer, and {sys.executable} is {VERSION}"
                raise Stop(f"{found}; with another one: make {argv[0]} PYTHON=python3.11")
            set_up(extra)
        return start(argv[1:])
    except (Stop, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
