"""Thirty students of the assignment 03_streaming: honest, wrong, hostile and malformed.  Their marks: thirty.csv."""

import copy
import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from attacks.kinds import honest, malformed
from classes import edits
from classes.edits import ASSIGNMENT, Notebook

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ROOT / "practice/exercises"
IDS = ("evict_sinks", "rerotate", "h2o_keep", "snapkv_keep")


@dataclass(frozen=True)
class Student:
    """Who hands in the released notebook with `answers` in its cells, then edited; or `raw` in its place.

    `beside` adds files to the folder, given the course folder.
    """

    name: str
    answers: Mapping[str, str]
    edit: Callable[[Notebook], None] = lambda notebook: None
    raw: bytes | None = None
    beside: Callable[[Path, Path], None] = lambda folder, course: None

    def hand_in(self, folder: Path, released: Notebook, course: Path) -> None:
        """Write what this student hands in."""
        folder.mkdir(parents=True)
        notebook = copy.deepcopy(released)
        for cell in notebook["cells"]:
            if cell["metadata"]["nbgrader"]["grade_id"] in self.answers:
                cell["source"] = self.answers[cell["metadata"]["nbgrader"]["grade_id"]]
        self.edit(notebook)
        raw = json.dumps(notebook).encode() if self.raw is None else self.raw
        (folder / f"{ASSIGNMENT}.ipynb").write_bytes(raw)
        self.beside(folder, course)


def marks() -> dict[str, dict[str, float]]:
    """What each student deserves for each exercise, of 10 points: by student and exercise."""
    with (Path(__file__).with_name("thirty.csv")).open(encoding="utf-8", newline="") as table:
        return {row["student"]: {name: float(row[name]) for name in IDS} for row in csv.DictReader(table)}


def the_class(course: Path) -> list[Student]:
    """The thirty; the hostile among them know where the course folder is."""
    return [*_honest(), *_wrong(), *_hostile(course), *_malformed()]


def reference(exercise: str) -> str:
    return (EXERCISES / exercise / "reference.py").read_text(encoding="utf-8")


WRITTEN = (
    "Sinks hold **no content**.\n\n![](attachment:gone) <script>document.title=1</script>\r\r# **7** $$\\href{//x}{y}$$"
)
"""An answer in words that is markup, a formula, and lines that end as Markdown's do."""
RIGHT = {exercise: reference(exercise) for exercise in IDS}
BELOW = (
    reference("evict_sinks").replace("def evict_sinks(", "def right(")
    + "\n\ndef wrong(*arguments):\n    k, v, p = right(*arguments)\n    return k + 1, v, p\n"
)


def evicting(source: str) -> dict[str, str]:
    """All right but evict_sinks, which is `source`; below it `right` and `wrong` are defined."""
    return {**RIGHT, "evict_sinks": f"{source}\n\n{BELOW}"}


def trying(code: str) -> dict[str, str]:
    """An evict_sinks that tries `code`, swallows what it raises, and returns what is wrong."""
    body = "".join(f"        {line}\n" for line in code.strip().splitlines())
    head = "def evict_sinks(k, v, positions, budget, sinks):\n    try:\n"
    return evicting(f"{head}{body}    except BaseException: pass\n    return wrong(k, v, positions, budget, sinks)")


def _variants(pick: int) -> dict[str, str]:
    found = {exercise: sorted((EXERCISES / exercise / "variants").glob("*.py"))[pick] for exercise in IDS}
    return {exercise: path.read_text(encoding="utf-8") for exercise, path in found.items()}


def _mutants(**names: str) -> dict[str, str]:
    found = {exercise: EXERCISES / exercise / f"mutants/{name}.py" for exercise, name in names.items()}
    return {**RIGHT, **{exercise: path.read_text(encoding="utf-8") for exercise, path in found.items()}}


def _honest() -> list[Student]:
    styles = [honest.ATTACKS[name].source for name in ("type hints", "numpy inside")]
    return [
        Student("h01", {**RIGHT, "question-answer": WRITTEN}),
        Student("h02", _variants(0)),
        Student("h03", _variants(-1)),
        *(Student(f"h0{number}", evicting(str(source))) for number, source in enumerate(styles, 4)),
        Student("h06", {**RIGHT, "evict_sinks": malformed.WHOLE.replace("\n", "\r\n") + "预算 = 'é, 窗口'  # 汇\r\n"}),
        Student("h07", {**RIGHT, "evict_sinks": "%matplotlib inline\n%load_ext judge\n" + malformed.WHOLE}),
        Student("h08", RIGHT, edits.with_outputs),
    ]


def _wrong() -> list[Student]:
    return [
        Student("w01", {}),
        Student("w02", {"evict_sinks": RIGHT["evict_sinks"]}),
        Student("w03", _mutants(evict_sinks="plain_window")),
        Student(
            "w04",
            _mutants(evict_sinks="evicts_early", rerotate="interleaved", h2o_keep="recent_on_top")
            | {"snapkv_keep": _mutants(snapkv_keep="fixed_kernel")["snapkv_keep"]},
        ),
        Student(
            "w05",
            _mutants(
                evict_sinks="window_one_long",
                rerotate="base_ignored",
                h2o_keep="minus_zero",
                snapkv_keep="first_head_only",
            ),
        ),
        Student("w06", {**RIGHT, "evict_sinks": "import torch\n\ndef evict_sinks(k:\n    pass\n"}),
        Student("w07", {**RIGHT, "evict_sinks": malformed.WHOLE.replace("evict_sinks", "evict")}),
        Student("w08", {**RIGHT, "evict_sinks": malformed.WHOLE + "!ls\n"}),
    ]


def _hostile(course: Path) -> list[Student]:
    patched = "import torch\ntorch.allclose = torch.equal = torch.testing.assert_close = lambda *a, **k: True"
    gradebook, other = str(course / "gradebook.db"), str(course / f"submitted/w01/{ASSIGNMENT}/{ASSIGNMENT}.ipynb")
    reads = f"""
import glob
for path in glob.glob({str(course)!r} + "/**", recursive=True) + [{str(EXERCISES)!r} + "/evict_sinks/reference.py"]:
    try: exec(open(path).read(), found := {{}}); return found["evict_sinks"](k, v, positions, budget, sinks)
    except OSError: pass
"""
    writes = f"""
import sqlite3, shutil
for attempt in (
    lambda: sqlite3.connect({gradebook!r}).executescript("UPDATE grade SET manual_score = 10; COMMIT"),
    lambda: open({gradebook!r}, "wb").write(b"gone"),
    lambda: open({other!r}, "w").write("gone"),
    lambda: shutil.rmtree({str(course)!r}),
    lambda: open({str(course / "left_behind")!r}, "w").write("here"),
):
    try: attempt()
    except BaseException: pass
"""
    drops = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node): return None
get_ipython().ast_transformers.append(Drop())
def evict_sinks(k, v, positions, budget, sinks): return wrong(k, v, positions, budget, sinks)
"""
    loops = """
def evict_sinks(*_):
    while True:
        try:
            while True: pass
        except BaseException: pass
"""
    return [
        Student("x01", trying(patched)),
        Student("x02", evicting(drops)),
        Student("x03", trying(reads)),
        Student("x04", trying(writes)),
        Student("x05", evicting("import os\ndef evict_sinks(*_): os._exit(0)")),
        Student("x06", evicting(loops)),
        Student("x07", {}, edits.forge),
        Student("x08", RIGHT, edits.delete_tests),
        Student("x09", RIGHT, edits.change_tests),
        Student("x10", RIGHT, edits.rename),
        Student("x11", RIGHT, edits.double_answer),
        Student("x12", RIGHT, beside=edits.other_files),
    ]


def _malformed() -> list[Student]:
    return [Student("m01", {}, beside=edits.no_notebook), Student("m02", {}, raw=b"[" * 100_000)]
