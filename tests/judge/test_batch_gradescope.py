"""The autograder for Gradescope: unpacked and run as Gradescope does, in a folder laid out like its own."""

import contextlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from practice.grader.batch import autograder
from practice.grader.cli import main

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bash"), reason="a container of Linux")

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ROOT / "practice/exercises"
SCHEMA = json.loads((ROOT / "practice/grader/tell/gradescope.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "autograder.zip"
    words = ["export", "gradescope", "evict_sinks", "kv_bytes", "evict_sinks", "-o", str(path), "--lang", "zh"]
    assert main(words) == 0
    return path


@pytest.fixture(scope="module")
def root(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Gradescope makes of the zip, and of a submission; instead of what setup.sh installs, this environment."""
    root = tmp_path_factory.mktemp("autograder")
    for name in ("source", "submission", "results"):
        (root / name).mkdir()
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(archive), str(root / "source")], check=True)
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "run_autograder").chmod(0o755)
    (root / "source" / ".venv").symlink_to(sys.prefix)
    shutil.copy(EXERCISES / "evict_sinks/mutants/plain_window.py", root / "submission/evict_sinks.py")
    shutil.copy(EXERCISES / "kv_bytes/reference.py", root / "submission/kv_bytes.py")
    os.mkfifo(root / "submission/pipe.ipynb")
    return root


def not_installed() -> list[str]:
    """Packages of this environment that setup.sh does not bring: neither asked for nor needed by what is."""
    brought, waiting = set(), [*autograder.NEEDED]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in brought:
            brought.add(name)
            with contextlib.suppress(metadata.PackageNotFoundError):  # of another system
                waiting += [Requirement(line).name for line in metadata.requires(name) or [] if "extra ==" not in line]
    found = metadata.packages_distributions().items()
    others = [package for package, names in found if not brought.intersection(map(canonicalize_name, names))]
    return [package for package in others if package != "practice"]


def run_autograder(root: Path) -> dict[str, Any]:
    """What the autograder finds where only what it brings can be imported."""
    blocked = root / "source" / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({not_installed()!r}))\n")
    own = {"AUTOGRADER_ROOT": str(root), "PYTHONPATH": str(blocked), "OMP_NUM_THREADS": "1", "TMPDIR": str(root)}
    command, environment = [str(root / "run_autograder")], {**os.environ, **own}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads((root / "results/results.json").read_text("utf-8"))
    return results


def test_it_grades_a_submission(root: Path) -> None:
    results = run_autograder(root)
    Draft202012Validator(SCHEMA).validate(results)
    wrong, right = results["tests"]
    assert (right["score"], right["max_score"], right["status"]) == (1.0, 1.0, "passed")
    assert wrong["status"] == "failed"
    assert 0 < wrong["score"] < 1
    assert results["score"] == wrong["score"] + right["score"]
    assert "这是普通的滑动窗口" in wrong["output"]
    assert {path.name for path in root.iterdir()} == {"source", "submission", "results", "run_autograder"}


def test_the_scripts(archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        infos = {info.filename: info for info in opened.infolist()}
        assert len(infos) == len(opened.infolist())
        for name in ("setup.sh", "run_autograder"):
            assert stat.S_IMODE(infos[name].external_attr >> 16) == 0o755
            text = opened.read(name).decode()
            assert text.startswith("#!/usr/bin/env bash\n")
            assert "@" not in text.replace("[@]", "")
            subprocess.run(["bash", "-n"], input=text, text=True, check=True)
        held = {name.split("/")[2] for name in infos if name.startswith("practice/exercises/")}
        assert held == {"evict_sinks", "kv_bytes"}
        wanted = opened.read("requirements.txt").decode().split()
        pinned = {line.split("==")[0].lower() for line in opened.read("constraints.txt").decode().splitlines()}
    assert set(autograder.NEEDED) <= set(wanted) & pinned


def test_one_seed_for_all_who_hand_in(archive: Path, tmp_path: Path) -> None:
    assert main(["export", "gradescope", "kv_bytes", "-o", str(tmp_path / "other.zip")]) == 0
    seeds = []
    for path in (archive, tmp_path / "other.zip"):
        with zipfile.ZipFile(path) as opened:
            seeds += re.findall(r"--seed (\d+)", opened.read("run_autograder").decode())
    assert len(set(seeds)) == 2


def test_an_exercise_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["export", "gradescope", "kv_byte", "-o", str(tmp_path / "a.zip"), "--lang", "en"]) == 2
    assert "did you mean kv_bytes" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_zip_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert main(["export", "gradescope", "kv_bytes", "-o", str(tmp_path / "folder"), "--lang", "en"]) == 2
    assert "Is a directory" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
