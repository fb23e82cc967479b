"""The two doors: which Python grades, and what a Python that cannot grade says."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EVICT = ROOT / "practice/exercises/evict_sinks"
Judge = Callable[..., tuple[int, str, str]]


def test_without_torch_the_courses_python_takes_over(judge: Judge, copy: Path) -> None:
    bin_folder = copy / ".venv" / ("Scripts" if os.name == "nt" else "bin")
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin_folder / "python").chmod(0o755)
    status, out, _ = judge(
        "run", "evict_sinks", EVICT / "reference.py", "--json", door=copy / "judge.py", flags="-S -E"
    )
    assert (status, json.loads(out)["verdict"]) == (0, "PASS")


def test_taking_over_never_loops(judge: Judge, copy: Path) -> None:
    (copy / ".venv/bin").mkdir(parents=True)
    (copy / ".venv/bin/python").write_text(
        f'#!/bin/sh\necho again >> {copy}/count\nexec "{sys.executable}" -S -E "$@"\n'
    )
    (copy / ".venv/bin/python").chmod(0o755)
    status, _, err = judge("run", "evict_sinks", door=copy / "practice/judge.py", flags="-S -E")
    assert status == 2
    assert "make lab" in err
    assert (copy / "count").read_text() == "again\n"


def test_a_notebooks_process_is_never_taken_over(copy: Path) -> None:
    (copy / ".venv/bin").mkdir(parents=True)
    (copy / ".venv/bin/python").write_text("#!/bin/sh\nexit 77\n")
    (copy / ".venv/bin/python").chmod(0o755)
    probe = "import judge; raise SystemExit(10 + judge.main(['run', 'evict_sinks']))"
    done = subprocess.run([sys.executable, "-S", "-E", "-c", probe], cwd=copy, capture_output=True, check=False)
    assert done.returncode == 12
    assert b"make lab" in done.stderr


@pytest.mark.parametrize(("lang", "told"), [("en", "has no torch"), ("zh", "没有安装 torch")])
def test_without_any_torch_one_line_says_what_to_run(judge: Judge, copy: Path, lang: str, told: str) -> None:
    status, out, err = judge("run", "evict_sinks", "--lang", lang, door=copy / "judge.py", flags="-S -E")
    assert (status, out) == (2, "")
    assert told in err
    assert "make lab" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["list", "start evict_sinks", "reset evict_sinks --yes", "status --help"])
def test_some_commands_need_no_package(judge: Judge, copy: Path, command: str) -> None:
    judge("start", "evict_sinks", door=copy / "judge.py")
    status, out, err = judge(*command.split(), door=copy / "judge.py", flags="-S -E")
    assert (status, err) == (0, "")
    assert "evict_sinks" in out or command.startswith("status")


@pytest.mark.parametrize("door", ["judge.py", "practice/judge.py"])
def test_doors_are_readable_by_old_pythons(door: str) -> None:
    tree = ast.parse((ROOT / door).read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imported if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)


def test_import_judge_gives_the_commands() -> None:
    probe = "import judge; raise SystemExit(10 + judge.main(['list']))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 10
    assert b"quest_select" in done.stdout
