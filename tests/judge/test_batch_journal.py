"""The journal: what it holds stays, what was torn is cut off, and one batch at a time writes to it."""

from pathlib import Path

import pytest

from practice.grader.batch.journal import NAME, InUse, Journal, Key
from practice.grader.report import CaseResult, Finding, Misconception, Verdict
from practice.grader.rows import Row


def entry(student: str, seed: int = 7) -> tuple[Key, Row]:
    finding = Finding(Verdict.ERROR, "class_exception", {"place": "a.py:1", "type": "KeyError"})
    return Key(student, "kv_bytes", "ab" * 32, "cd" * 32, seed, isolated=False), Row(
        *(student, "kv_bytes", Verdict.WRONG, 0.5, 1.0, "kv_bytes.py"),
        results=(CaseResult({"en": "a", "zh": "甲"}, None), CaseResult({"en": "b", "zh": "乙"}, finding)),
        misconceptions=(Misconception("bits", {"en": "bits", "zh": "比特"}),),
        isolation=("process", "seccomp"),
        seconds=0.25,
    )


ENTRIES = dict(map(entry, ("ann", "王小明", "a\nb", '"}{')))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose journal holds ENTRIES."""
    with Journal(tmp_path / "out") as journal:
        journal.begin(7)
        for key, row in ENTRIES.items():
            journal.add(key, row)
    return tmp_path / "out"


def held(folder: Path) -> tuple[int | None, dict[Key, Row]]:
    with Journal(folder) as journal:
        return journal.seed, journal.rows


def test_what_was_added_is_there_again(folder: Path) -> None:
    assert held(folder) == (7, ENTRIES)


def test_every_torn_end_costs_one_row_at_most(folder: Path) -> None:
    whole = (folder / NAME).read_bytes()
    last = whole.rstrip(b"\n").rindex(b"\n") + 1
    for end in range(last, len(whole), 11):
        (folder / NAME).write_bytes(whole[:end])
        assert held(folder) == (7, dict(list(ENTRIES.items())[:3]))
        assert (folder / NAME).read_bytes() == whole[:last]


def test_after_a_torn_line_the_next_is_whole(folder: Path) -> None:
    (folder / NAME).write_bytes((folder / NAME).read_bytes()[:-5])
    key, row = list(ENTRIES.items())[-1]
    with Journal(folder) as journal:
        assert key not in journal.rows
        journal.add(key, row)
    assert held(folder) == (7, ENTRIES)


BROKEN = [
    b"\0" * 40,
    b"{}",
    b"[]",
    b"7",
    b'{"key": {}, "row": {}}',
    b"\xff",
    b"[" * 99_999,
    b'{"seed": "9"}',
    b'{"seed": -1}',
]


@pytest.mark.parametrize("line", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_in_the_middle(folder: Path, line: bytes) -> None:
    lines = (folder / NAME).read_bytes().splitlines()
    (folder / NAME).write_bytes(b"\n".join([*lines[:2], line, *lines[2:], b""]))
    assert held(folder) == (7, ENTRIES)


def test_the_last_seed_counts(folder: Path) -> None:
    with Journal(folder) as journal:
        journal.begin(7)
        journal.begin(8)
        journal.add(*entry("ann", seed=8))
    seed, rows = held(folder)
    assert seed == 8
    assert len(rows) == len(ENTRIES) + 1
    assert (folder / NAME).read_bytes().count(b'{"seed"') == 2


def test_one_at_a_time(folder: Path) -> None:
    with Journal(folder), pytest.raises(InUse):
        Journal(folder).__enter__()
    assert held(folder) == (7, ENTRIES)
