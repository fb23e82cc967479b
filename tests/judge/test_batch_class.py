"""A class of honest, wrong, hostile and malformed submissions: everybody's mark is the one worked out beforehand."""

import csv
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from attacks.attack import Attack
from attacks.jobs import KINDS, SOAK
from attacks.world import World
from jsonschema import Draft202012Validator

from practice.grader.report import CaseResult

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux isolates")

GRADER = Path(__file__).resolve().parents[2] / "practice/grader"
SECONDS = 120.0
SEED = 2026
NAMES = ("王小明", "=cmd|'calc'!A0", "Zoë", "-rf", "a\nb")
HONEST = ("type hints", "numpy inside", "extra prints", "in-place on its own clones", "non-contiguous output")
HOSTILE = {
    "bends_the_ruler": 2,
    "disguise": 2,
    "eats_the_machine": 2,
    "forges_the_wire": 2,
    "leaves": 3,
    "looks_for_the_answer": 3,
    "malformed": 12,
    "never_ends": 2,
    "reaches_out": 2,
    "side_effects": 1,
    "strikes": 3,
}
STOPPED = ("TIME", "MEMORY", "POLICY", "CRASH")


@dataclass(frozen=True)
class Class:
    """What was handed in by whom, what came of it, and the world it was graded in."""

    attacks: dict[str, Attack]
    world: World
    out: Path
    status: int
    errors: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of results.json."""
        rows: list[dict[str, Any]] = json.loads((self.out / "results.json").read_text("utf-8"))["rows"]
        return rows


def chosen() -> dict[str, Attack]:
    """Who hands in what: hostile answers, and honest ones between them."""
    found = dict(zip(NAMES, (KINDS["honest"][name] for name in HONEST), strict=True))
    for kind, count in HOSTILE.items():
        attacks = [(name, each) for name, each in KINDS[kind].items() if each.exercise == "evict_sinks"]
        for name, attack in attacks if SOAK else attacks[:: len(attacks) // count][:count]:
            found[f"{kind}: {name}".replace("/", "_")] = attack
    return found


@pytest.fixture(scope="module")
def graded() -> Iterator[Class]:
    """The class, graded once by the real command, two at a time."""
    attacks = chosen()
    with World(None) as world:
        students = world.inside / "class"
        for name, attack in attacks.items():
            written = world.submit(name, attack)
            (students / name).mkdir(parents=True)
            shutil.copy(written, students / name / f"evict_sinks{written.suffix}")
        (students / "handed in nothing").mkdir()
        (students / "a link").symlink_to(students / NAMES[0])
        os.mkfifo(students / "a pipe.zip")
        with zipfile.ZipFile(students / "zip.zip", "w") as archive:
            archive.write(students / NAMES[0] / "evict_sinks.py", "evict_sinks.py")
        world.seal()
        out = world.outside / "results"
        words = ["batch", str(students), "--out", str(out), "--jobs", "2", "--seed", str(SEED), "--require-isolation"]
        done = subprocess.run(
            [sys.executable, str(world.door), *words],
            env=world.environment(os.environ["PATH"]),
            capture_output=True,
            text=True,
            check=False,
            timeout=15 * SECONDS,
        )
        yield Class(attacks, world, out, done.returncode, done.stderr)


def test_a_row_for_every_student(graded: Class) -> None:
    unreadable = f"judge: 2 of {len(graded.rows)} students handed in what cannot be read; their rows say why\n"
    assert (graded.status, graded.errors) == (0, unreadable)
    others = ("handed in nothing", "a link", "a pipe", "zip")
    assert [row["student"] for row in graded.rows] == sorted([*graded.attacks, *others])
    schema = json.loads((GRADER / "tell/batch.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate({"rows": graded.rows})
    with (graded.out / "marks.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == len(graded.rows)


def test_marks(graded: Class, grade_here: Callable[..., list[CaseResult]], right_answer: str) -> None:
    wrong = "    k, v, p = right(k, v, positions, budget, sinks)\n    return k + 1, v, p\n\n\n"
    source = f"def evict_sinks(k, v, positions, budget, sinks):\n{wrong}{right_answer}"
    results = grade_here("evict_sinks", source, SEED)
    share = sum(result.finding is None for result in results) * 100 // len(results) / 100
    assert 0 < share < 0.2
    for row in graded.rows:
        attack = graded.attacks.get(row["student"])
        if attack is None:
            continue
        assert row["outcome"] in attack.verdicts, row
        if row["outcome"] == "PASS":
            assert row["points"] == 1.0
        elif row["outcome"] in STOPPED or not row["tests"]:
            assert row["points"] == 0.0
        else:
            assert row["points"] == row["passed"] * 100 // row["total"] / 100 < 1, row
        if row["student"].startswith(("reaches_out", "strikes")) and row["outcome"] == "WRONG":
            assert row["points"] == share, row


def test_nobody_s_mark_suffers(graded: Class) -> None:
    by_student = {row["student"]: row for row in graded.rows}
    honest = [by_student[name] for name in (*NAMES, "zip")]
    assert {(row["outcome"], row["points"], row["passed"]) for row in honest} == {("PASS", 1.0, honest[0]["total"])}
    kept = [row["isolation"] for row in graded.rows if row["tests"]]
    assert all("seccomp" in layers and set(layers) == set(kept[0]) for layers in kept)


def test_what_cannot_be_graded(graded: Class) -> None:
    by_student = {row["student"]: (row["outcome"], row["points"]) for row in graded.rows}
    assert by_student["handed in nothing"] == ("MISSING", 0.0)
    assert by_student["a link"] == by_student["a pipe"] == ("UNUSABLE", 0.0)


def test_nothing_is_left(graded: Class) -> None:
    end = time.monotonic() + SECONDS
    while (left := graded.world.processes()) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == []
    assert graded.world.changes() == []
    assert list((graded.world.outside / "tmp").iterdir()) == []


def test_no_hidden_case_is_told(graded: Class) -> None:
    told = [path for path in graded.out.rglob("*") if path.is_file() and path.suffix in (".csv", ".json", ".xml")]
    assert len(told) == 4 + len(graded.rows)
    for path in told:
        text = path.read_text("utf-8")
        assert "tensor(" not in text
        assert str(SEED) not in text
