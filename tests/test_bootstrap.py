"""tools/bootstrap.py without a network: what it sees as broken, how it mends it, what it keeps."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX")


def load(root: Path) -> Any:
    """The copy of bootstrap.py in the checkout `root`, as a module."""
    spec = importlib.util.spec_from_file_location("bootstrap_copy", root / "tools" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def course(tmp_path: Path) -> Any:
    """bootstrap.py in a small checkout whose path has a space."""
    root = tmp_path / "my course"
    for folder in ("tools", "mini_llm", "notebooks/en", "notebooks/zh"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "bootstrap.py", root / "tools")
    (root / "pyproject.toml").write_text("[project]\n")
    (root / "constraints.txt").write_text("numpy==2.4.6\ntorch==2.13.0\n")
    (root / "mini_llm" / "checkpoints.py").write_text("# makes the model\n")
    return load(root)


def put(course: Any, name: str, version: str = "1.0", text: str = "x = 1\n") -> None:
    """Installs a package of one module and one file outside site-packages, as pip would."""
    info = course.SITE / f"{name}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (course.SITE / f"{name}.py").write_text(text)
    (course.VENV / "share").mkdir(exist_ok=True)
    (course.VENV / "share" / name).write_text("data\n")
    up = os.path.relpath(course.VENV / "share" / name, course.SITE)
    rows = [f"{name}.py,sha256=0,{len(text)}", f"{up},sha256=0,5", f"{name}.pyc,,", f"{info.name}/RECORD,,"]
    (info / "RECORD").write_text("\n".join(rows) + "\n")


@pytest.fixture
def whole(course: Any) -> Any:
    """The checkout with a .venv that a set-up for `test` has finished."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", course.VENV], check=True)
    for name, version in (("pip", "24.0"), ("numpy", "2.4.6"), ("torch", "2.13.0+cpu")):
        put(course, name, version)
    notes = {"root": str(course.ROOT), "key": course.fingerprint(), "extras": ["dev"], "packages": ["numpy", "torch"]}
    course.write(course.STAMP, notes)
    return course


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text)


def relink_python(course: Any) -> None:
    course.PYTHON.unlink()
    course.PYTHON.symlink_to("/nowhere/python3")


def moved(course: Any) -> None:
    course.write(course.STAMP, {**course.read_json(course.STAMP), "root": "/elsewhere/course"})


# --- what is whole, what is not ---


@pytest.mark.parametrize("extra", ["", "dev"])
def test_a_whole_set_up_needs_nothing(whole: Any, extra: str) -> None:
    assert whole.diagnose(extra) == ("", "")


DAMAGE: dict[str, tuple[Callable[[Any], object], str, str]] = {
    "module deleted": (lambda c: (c.SITE / "torch.py").unlink(), "packages", "torch"),
    "module cut short": (lambda c: (c.SITE / "numpy.py").write_text(""), "packages", "numpy"),
    "data file deleted": (lambda c: (c.VENV / "share" / "numpy").unlink(), "packages", "numpy"),
    "no RECORD": (lambda c: (c.SITE / "torch-2.13.0+cpu.dist-info" / "RECORD").unlink(), "packages", "torch"),
    "package gone": (lambda c: shutil.rmtree(c.SITE / "numpy-2.4.6.dist-info"), "packages", "numpy"),
    "pins changed": (lambda c: append(c.ROOT / "constraints.txt", "six==1.17.0\n"), "packages", "changed"),
    "dependencies changed": (lambda c: append(c.ROOT / "pyproject.toml", "#"), "packages", "changed"),
    "no stamp": (lambda c: c.STAMP.unlink(), "packages", "did not finish"),
    "stamp of a run that was cut": (lambda c: c.write(c.STAMP, {"root": str(c.ROOT)}), "packages", "did not finish"),
    "stamp unreadable": (lambda c: c.STAMP.write_text("{"), "packages", "did not finish"),
    "pip cut short": (lambda c: (c.SITE / "pip.py").write_text(""), "venv", "pip"),
    "pip gone": (lambda c: shutil.rmtree(c.SITE / "pip-24.0.dist-info"), "venv", "pip"),
    "no pyvenv.cfg": (lambda c: (c.VENV / "pyvenv.cfg").unlink(), "venv", "no Python"),
    "no Python": (lambda c: shutil.rmtree(c.PYTHON.parent), "venv", "no Python"),
    "no .venv": (lambda c: shutil.rmtree(c.VENV), "venv", ""),
    "another Python's": (lambda c: setattr(c, "VERSION", "3.99"), "venv", "no Python 3.99"),
    "Python's link broken": (relink_python, "venv", "no Python"),
    "checkout moved": (moved, "venv" if os.name == "nt" else "moved", "moved"),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_seen(whole: Any, what: str) -> None:
    damage, need, word = DAMAGE[what]
    damage(whole)
    found, why = whole.diagnose("dev")
    assert found == need
    assert word in why


def test_another_extra_is_missing_and_a_larger_one_is_enough(whole: Any) -> None:
    whole.write(whole.STAMP, {**whole.read_json(whole.STAMP), "extras": []})
    assert whole.diagnose("") == ("", "")
    assert whole.diagnose("dev")[0] == "packages"


# --- mending ---


@pytest.fixture
def steps(whole: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What set_up does, with pip, venv and the model's program replaced by records of their calls."""
    done: list[tuple[Any, ...]] = []

    def pip(what: str, fd: int, *args: str) -> None:
        done.append(("pip", *args))
        assert "key" not in whole.read_json(whole.STAMP), "a cut here would look like a finished set-up"
        for name, version in (("numpy", "2.4.6"), ("torch", "2.13.0+cpu")):
            if name not in whole.packages():
                put(whole, name, version)

    def call(argv: list[Any], fd: int | None = None) -> int:
        done.append(tuple(str(part) for part in argv[1:]))
        if "mini_llm.checkpoints" in argv:
            whole.MODEL_FOLDER.mkdir(parents=True, exist_ok=True)
            (whole.MODEL_FOLDER / "model.safetensors").write_text("weights")
        return 0

    monkeypatch.setattr(whole, "pip", pip)
    monkeypatch.setattr(whole, "call", call)
    monkeypatch.setattr(whole, "wants_cpu_torch", lambda: True)
    return done


def test_set_up_makes_the_model_once_and_again_when_it_is_damaged(whole: Any, steps: list[Any]) -> None:
    make = ("-m", "mini_llm.checkpoints", "smollm2-135m")
    whole.set_up("")
    assert steps == [make]
    whole.set_up("dev")
    assert steps == [make]
    (whole.MODEL_FOLDER / "model.safetensors").write_text("weigh")
    whole.set_up("")
    append(whole.ROOT / "mini_llm" / "checkpoints.py", "# writes more\n")
    whole.set_up("")
    shutil.rmtree(whole.MODEL_FOLDER)
    whole.set_up("")
    assert steps == [make] * 4


def test_a_model_that_fails_stops_the_run_and_is_tried_again(
    whole: Any, steps: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "call", lambda argv, fd=None: 3)
    with pytest.raises(whole.Stop, match="model is missing"):
        whole.set_up("")
    assert "model" not in whole.read_json(whole.STAMP)


def test_broken_packages_are_forgotten_before_pip_runs_and_the_extras_stay(whole: Any, steps: list[Any]) -> None:
    (whole.SITE / "numpy.py").write_text("")
    (whole.SITE / "~orch").mkdir()
    whole.set_up("")
    assert steps[0] == ("pip", "-c", "constraints.txt", "-e", ".[dev]")
    assert (whole.SITE / "numpy.py").read_text() == "x = 1\n"
    assert not (whole.SITE / "~orch").exists()
    assert whole.diagnose("dev") == ("", "")


def test_torch_alone_comes_from_the_cpu_index_and_only_when_it_is_missing(whole: Any, steps: list[Any]) -> None:
    (whole.SITE / "torch.py").unlink()
    whole.set_up("dev")
    first, second = steps[:2]
    assert first == ("pip", "--no-deps", "--index-url", "https://download.pytorch.org/whl/cpu", "torch==2.13.0")
    assert second == ("pip", "-c", "constraints.txt", "-e", ".[dev]")


def test_without_the_cpu_build_the_plain_package_is_taken(
    whole: Any, steps: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[str, ...]] = []

    def pip(what: str, fd: int, *args: str) -> None:
        tried.append(args)
        if "--index-url" in args:
            raise whole.Stop("no such wheel")
        put(whole, "torch", "2.13.0")

    monkeypatch.setattr(whole, "pip", pip)
    (whole.SITE / "torch.py").unlink()
    whole.set_up("dev")
    assert [("--index-url" in args) for args in tried] == [True, False]
    assert whole.diagnose("dev") == ("", "")


def test_a_failing_pip_shows_its_last_lines_and_leaves_the_set_up_unfinished(whole: Any) -> None:
    (whole.SITE / "pip.py").write_text("print('ERROR: No space left on device'); raise SystemExit(2)\n")
    with whole.lock() as fd, pytest.raises(whole.Stop) as stopped:
        whole.install("", fd)
    assert "ERROR: No space left on device\nThe disk is full" in str(stopped.value)
    put(whole, "pip", "24.0")
    assert whole.diagnose("") == ("packages", "an earlier run did not finish it")


def test_a_venv_is_made_anew_and_without_ensurepip_one_line_says_what_to_install(
    whole: Any, steps: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole.VENV / "pyvenv.cfg").unlink()
    whole.set_up("")
    assert steps[0] == ("-m", "venv", "--clear", str(whole.VENV))
    assert steps[1][0] == "pip"
    monkeypatch.setattr(whole.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(whole.Stop) as stopped:
        whole.set_up("")
    assert "apt-get install python3-venv" in str(stopped.value)
    assert "\n" not in str(stopped.value)


@posix_only
def test_a_moved_checkout_works_again_without_pip(whole: Any, steps: list[Any]) -> None:
    script = whole.PYTHON.parent / "alembic"
    script.write_text(f"#!{whole.PYTHON}\nimport sys; print(sys.prefix)\n")
    script.chmod(0o755)
    binary = whole.PYTHON.parent / "ruff"
    binary.write_bytes(b"\0" + str(whole.ROOT).encode() + b"/x")
    finder = whole.SITE / "__editable___course_finder.py"
    finder.write_text(f"MAPPING = {{'mini_llm': '{whole.ROOT}/mini_llm'}}\n")
    record = whole.SITE / "course-1.0.dist-info" / "RECORD"
    record.parent.mkdir()
    up = os.path.relpath(script, whole.SITE)
    record.write_text(f"{finder.name},,{finder.stat().st_size}\n{up},,{script.stat().st_size}\n")
    before = binary.read_bytes()
    new = whole.ROOT.with_name("renamed course")
    whole.ROOT.rename(new)
    there = load(new)
    there.call, there.pip = whole.call, whole.pip
    there.set_up("dev")
    assert [step[0] for step in steps] == ["-m"], "only the model is looked at"
    ran = subprocess.run([there.PYTHON.parent / "alembic"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(there.VENV)
    assert f"'{new}/mini_llm'" in (there.SITE / finder.name).read_text()
    assert (there.PYTHON.parent / "ruff").read_bytes() == before
    assert there.diagnose("dev") == ("", "")


# --- which torch ---


@pytest.fixture
def plain_linux(course: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(course.sys, "platform", "linux")
    monkeypatch.setattr(course.shutil, "which", lambda name: None)
    monkeypatch.setattr(course.os.path, "exists", lambda path: False)
    return course


class Reply(SimpleNamespace):
    def __enter__(self) -> Reply:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def fake_urlopen(status: int | Exception, asked: list[str]) -> Callable[..., Reply]:
    def urlopen(url: str, timeout: float) -> Reply:
        asked.append(url)
        if isinstance(status, Exception):
            raise status
        return Reply(status=status)

    return urlopen


@pytest.mark.parametrize(("status", "wanted"), [(200, True), (204, False), (OSError("no route"), False)])
def test_cpu_torch_where_its_index_answers(
    plain_linux: Any, monkeypatch: pytest.MonkeyPatch, status: int | Exception, wanted: bool
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(plain_linux.urllib.request, "urlopen", fake_urlopen(status, asked))
    assert plain_linux.wants_cpu_torch() is wanted
    assert asked == ["https://download.pytorch.org/whl/cpu/torch/"]


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        ("sys", "platform", "darwin"),
        ("shutil", "which", lambda name: "/usr/bin/nvidia-smi"),
        ("os.path", "exists", lambda path: path == "/proc/driver/nvidia/version"),
    ],
)
def test_no_cpu_torch_elsewhere_or_with_a_driver(
    plain_linux: Any, monkeypatch: pytest.MonkeyPatch, module: str, name: str, value: object
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(plain_linux.urllib.request, "urlopen", fake_urlopen(200, asked))
    assert plain_linux.wants_cpu_torch()
    monkeypatch.setattr(f"{module}.{name}", value)
    assert not plain_linux.wants_cpu_torch()
    assert len(asked) == 1


def test_an_index_that_hangs_is_given_up_after_three_seconds(plain_linux: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_linux.urllib.request, "urlopen", lambda url, timeout: time.sleep(8))
    start = time.monotonic()
    assert not plain_linux.wants_cpu_torch()
    assert 2.5 < time.monotonic() - start < 6


def test_progress_counts_fetched_files_then_installed_packages(whole: Any) -> None:
    lines = ["Collecting numpy\n", "  Downloading numpy-2.4.6.whl.metadata (6 kB)\n"]
    assert "[....." in whole.progress(lines, 3, 1.0)
    lines.append("  Downloading numpy-2.4.6-cp311.whl (18 MB)\n")
    assert whole.progress(lines, 3, 7.4).startswith(f"  [{'#' * 12}{'.' * 12}]   7 s  Downloading numpy")
    lines += ["Installing collected packages: a, b, c\n"]
    assert f"[{'#' * 8}{'.' * 16}]" in whole.progress(lines, 2, 9.0)


# --- one at a time ---

HOLD = """
import runpy, subprocess, sys, time
course = runpy.run_path(sys.argv[1])
with course["lock"]() as fd:
    print("locked", flush=True)
    if sys.argv[2] == "child":
        with course["program"]([sys.executable, "-c", "import time; time.sleep(1.5)"], fd) as child:
            child.wait()
    sys.stdin.read()
"""


def start_holder(course: Any, how: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", HOLD, str(course.ROOT / "tools" / "bootstrap.py"), how]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_run_says_so_and_waits_for_the_first(course: Any) -> None:
    first = start_holder(course, "plain")
    assert next_line(first) == "locked"
    second = start_holder(course, "plain")
    assert next_line(second).startswith("Another set-up")
    time.sleep(0.5)
    assert first.stdin is not None
    released = time.monotonic()
    first.stdin.close()
    assert next_line(second) == "locked"
    assert time.monotonic() - released < 5
    second.communicate("", timeout=5)
    assert (first.wait(5), second.returncode) == (0, 0)


@posix_only
def test_a_pip_whose_parent_was_killed_is_waited_for(course: Any) -> None:
    first = start_holder(course, "child")
    assert next_line(first) == "locked"
    time.sleep(0.5)
    first.kill()
    first.wait(5)
    second = start_holder(course, "plain")
    assert next_line(second).startswith("Another set-up")
    assert next_line(second) == "locked"
    second.communicate("", timeout=5)
    assert second.returncode == 0


# --- the learner's copies ---


def original(course: Any, name: str, text: str) -> Path:
    (course.ROOT / "notebooks" / name).write_text(text)
    return Path(course.ROOT / "lab" / name)


def test_copies_are_made_refreshed_and_restored_until_they_are_edited(
    course: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    en, zh = original(course, "en/00.ipynb", "v1"), original(course, "zh/00.ipynb", "v1")
    (course.ROOT / "notebooks" / "source.md").write_text("not a chapter")
    course.copy_chapters()
    assert (en.read_text(), zh.read_text()) == ("v1", "v1")
    en.write_text("v1 and my answer")
    zh.unlink()
    course.copy_chapters()
    assert (en.read_text(), zh.read_text()) == ("v1 and my answer", "v1")
    assert capsys.readouterr().out == "", "an edit is no news until the original changes"

    original(course, "en/00.ipynb", "v2"), original(course, "zh/00.ipynb", "v2")
    course.copy_chapters()
    assert (en.read_text(), zh.read_text()) == ("v1 and my answer", "v2")
    (line,) = capsys.readouterr().out.splitlines()
    assert "lab/en/00.ipynb" in line
    assert "rename yours" in line
    assert "lab/zh" not in line

    en.rename(en.with_name("mine.ipynb"))
    course.copy_chapters()
    assert (en.read_text(), en.with_name("mine.ipynb").read_text()) == ("v2", "v1 and my answer")
    assert {path.name for path in en.parent.iterdir()} == {"00.ipynb", "mine.ipynb"}


@pytest.mark.parametrize("record", ["", "[1]", "{"])
def test_without_a_record_a_differing_copy_counts_as_edited(course: Any, record: str) -> None:
    same, other = original(course, "en/00.ipynb", "v1"), original(course, "en/01.ipynb", "v1")
    course.copy_chapters()
    (course.ROOT / "lab" / ".copied.json").write_text(record)
    other.write_text("mine")
    course.copy_chapters()
    assert other.read_text() == "mine"
    original(course, "en/00.ipynb", "v2")
    course.copy_chapters()
    assert same.read_text() == "v2"


# --- the commands ---


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "lab/zh"),
        ({"LANG": "en_GB.UTF-8"}, "lab/en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "lab/en"),
        ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, "lab/zh"),
        ({}, "lab/en"),
    ],
)
def test_lab_opens_on_the_copies_in_the_users_language(
    course: Any, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], folder: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    original(course, "en/00.ipynb", "v1"), original(course, "zh/00.ipynb", "v1")
    started: list[list[str]] = []
    trusted: list[Path] = []
    monkeypatch.setattr(course, "trust", trusted.extend)
    monkeypatch.setattr(course, "hand_over", lambda argv, args: started.append([*argv, *args]) or 0)
    assert course.lab(["--no-browser", "--port=9"]) == 0
    (argv,) = started
    assert trusted == [course.ROOT / "lab" / language / "00.ipynb" for language in ("en", "zh")]
    assert f"--LabApp.default_url=/lab/tree/{folder}" in argv
    assert f"--ServerApp.root_dir={course.ROOT}" in argv
    assert argv[-2:] == ["--no-browser", "--port=9"]
    settings = json.loads((course.VENV / "share/jupyter/lab/settings/overrides.json").read_text())
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


@posix_only
@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_only_root_allows_root(course: Any, monkeypatch: pytest.MonkeyPatch, user: int, allowed: bool) -> None:
    started: list[str] = []
    monkeypatch.setattr(course.os, "geteuid", lambda: user)
    monkeypatch.setattr(course, "hand_over", lambda argv, args: started.extend(argv) or 0)
    course.lab([])
    assert ("--allow-root" in started) is allowed


@pytest.mark.parametrize("failing", ["", "ruff check", "ruff format", "mypy", "pytest"])
def test_test_runs_all_and_pytest_last(course: Any, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    ran: list[str] = []

    def call(argv: list[Any]) -> int:
        ran.append(" ".join(argv[2:]))
        return 7 if failing and ran[-1].startswith(failing) else 0

    monkeypatch.setattr(course, "call", call)
    assert course.test(["-k", "a or b"]) == (7 if failing else 0)
    assert ran == ["ruff check", "ruff format --check", "mypy", "pytest -k a or b"]


def fill(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))


def test_clean_counts_what_it_frees_and_keeps_the_learners_work(
    course: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mib, root = 2**20, course.ROOT
    gone = [".venv/lib/__pycache__/a.pyc", "models/SmolLM2/model.safetensors", "mini_llm/__pycache__/b.pyc"]
    gone += ["long_context_course.egg-info/PKG-INFO", ".mypy_cache/c", ".ruff_cache/d", "tests/.pytest_cache/e"]
    kept = ["lab/en/00.ipynb", "lab/__pycache__/f.pyc", "practice/answers/rope.py", "mini_llm/rope.py"]
    kept += ["practice/answers/__pycache__/g.pyc", ".git/__pycache__/h"]
    for size, name in enumerate([*gone, *kept], start=1):
        fill(root / name, size * mib)
    assert course.main(["clean"]) == 0
    assert [name for name in gone if (root / name).exists()] == []
    assert [name for name in kept if not (root / name).exists()] == []
    text = capsys.readouterr().out.splitlines()
    assert text[:3] == [".venv: 1.0 MiB", "models/: 2.0 MiB", "caches: 25.0 MiB"]
    assert text[3].startswith("28.0 MiB freed. lab/ and practice/answers/ stay")
    assert course.main(["clean"]) == 0
    assert capsys.readouterr().out.splitlines()[3].startswith("0.0 MiB freed")


@posix_only
def test_clean_removes_a_link_and_not_what_it_points_to(course: Any, tmp_path: Path) -> None:
    fill(tmp_path / "elsewhere" / "model", 5)
    (course.ROOT / "models").symlink_to(tmp_path / "elsewhere")
    assert course.main(["clean"]) == 0
    assert not os.path.lexists(course.ROOT / "models")
    assert (tmp_path / "elsewhere" / "model").exists()


OLD = "import runpy, sys; sys.version_info = (3, 8, 18); del sys.argv[0]; runpy.run_path(sys.argv[0], None, '__main__')"


@pytest.mark.parametrize(("command", "status"), [("lab", 1), ("test", 1), ("clean", 0)])
def test_an_older_python_is_told_which_is_needed_and_may_clean(course: Any, command: str, status: int) -> None:
    argv = [sys.executable, "-c", OLD, course.ROOT / "tools" / "bootstrap.py", command]
    ran = subprocess.run(argv, capture_output=True, text=True)
    assert ran.returncode == status
    if status:
        (line,) = ran.stderr.splitlines()
        assert "needs Python 3.11 or newer" in line
        assert "3.8" in line
    assert not course.VENV.exists()


def test_an_older_python_can_parse_it() -> None:
    ast.parse((ROOT / "tools" / "bootstrap.py").read_text("utf-8"), feature_version=(3, 8))


def test_unknown_commands_are_refused_with_the_list(course: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert course.main(["labs"]) == 2
    text = capsys.readouterr().out
    assert [name for name in course.COMMANDS if f"  {name} " not in text] == []
    assert course.main([]) == 0


def test_programs_run_in_the_courses_environment(whole: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PIP_TARGET", "/elsewhere")
    monkeypatch.setenv("PIP_USER", "1")
    code = "import os, shutil, sys; print(sys.prefix, os.environ.get('PYTHONPATH'), os.environ.get('PIP_TARGET'), "
    code += "os.environ['PIP_USER'], os.getcwd(), shutil.which('python'), sep='|')"
    with whole.program([whole.PYTHON, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        found = child.communicate()[0].strip().split("|")
    assert found[:5] == [str(whole.VENV), "None", "None", "0", str(whole.ROOT)]
    assert Path(found[5]).parent == whole.PYTHON.parent


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_passes_commands_and_options_through(course: Any) -> None:
    for name in course.COMMANDS:
        argv = ["make", "-n", "--no-print-directory", name, "PYTHON=py", f"{name.upper()}_ARGS=--a 'b c'"]
        ran = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
        options = " --a 'b c'" if name in ("lab", "test", "bench", "soak") else ""
        assert ran.stdout.strip() == f"py tools/bootstrap.py {name}{options}"
