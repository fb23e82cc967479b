"""What a student may hand in to stop a batch or to swell it, and how an instructor may lose rows."""

import csv
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from practice.grader.batch import files, submissions
from practice.grader.batch.files import Budget
from practice.grader.batch.submissions import Answer, find_students, read_student
from practice.grader.catalogue import all_cards
from practice.grader.cli import main
from practice.grader.rows import MISSING, UNUSABLE

CARDS = {card.id: card for card in all_cards()}
CODE = "def kv_bytes(): pass\n"


def answer(path: Path, exercise: str = "kv_bytes") -> Answer:
    (found,) = read_student(path.name, [path], CARDS).answers([exercise], {exercise: CARDS[exercise].function})
    return found


def told(found: Answer) -> tuple[str, str]:
    assert found.reason is not None
    return found.outcome, found.reason.key


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type = name, zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


def test_a_member_without_a_name(tmp_path: Path) -> None:
    assert answer(zipped(tmp_path / "ann.zip", {"": "x", "kv_bytes.py": CODE})).source == CODE.encode()


def test_whatever_a_library_raises_is_one_student_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("64 GiB")

    monkeypatch.setattr(submissions, "marked_cells", fail)
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "a.ipynb").write_text("{}")
    assert told(answer(tmp_path / "ann")) == (UNUSABLE, "class_unreadable")


@pytest.mark.parametrize("broken", [False, True])
def test_many_bombs_are_not_all_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    """Neither where each is too large, nor where each turns out to be damaged at its end."""
    monkeypatch.setattr(files, "FILE_LIMIT", 1 << 20)
    monkeypatch.setattr(files, "READ_LIMIT", 3 << 20)
    size = (1 << 20) if broken else (2 << 20)
    path = zipped(tmp_path / "ann.zip", {f"{number}/kv_bytes.py": bytes(size) for number in range(50)})
    if broken:
        raw = bytearray(path.read_bytes())
        start = -1
        while (start := raw.find(b"PK\1\2", start + 1)) >= 0:
            raw[start + 16] ^= 0xFF  # the checksum
        path.write_bytes(raw)
    given, read = [], Budget.read

    def counting(*arguments: Any) -> bytes:
        given.append(1)
        return read(*arguments)

    monkeypatch.setattr(Budget, "read", counting)
    assert told(answer(path)) == (UNUSABLE, "class_too_large")
    assert len(given) == 4


def test_a_zip_made_with_backslashes(tmp_path: Path) -> None:
    found = answer(zipped(tmp_path / "ann.zip", {"week 1\\kv_bytes.py": CODE, "__MACOSX\\kv_bytes.py": "junk"}))
    assert (found.file, found.source) == ("week 1/kv_bytes.py", CODE.encode())


def test_an_endless_path(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ann.zip", {"a" * 60_000 + "/kv_bytes.py": CODE})
    assert told(answer(path)) == (UNUSABLE, "class_broken_zip")


def test_messages_stay_short_enough_for_a_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = {"cell_type": "code", "source": "%%judge kv_bytes"}
    for student in ("cells", "files"):
        (tmp_path / "class" / student).mkdir(parents=True)
    (tmp_path / "class" / "cells" / "a.ipynb").write_text(json.dumps({"cells": [cell] * 50_000}))
    for number in range(999):
        (tmp_path / "class" / "files" / str(number)).mkdir()
        (tmp_path / "class" / "files" / str(number) / "kv_bytes.py").write_text(str(number))
    assert main(["batch", str(tmp_path / "class"), "--out", str(tmp_path / "out")]) == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "marks.csv").read_text("utf-8"))))
    assert [row["outcome"] for row in rows] == ["ERROR", UNUSABLE]
    assert all(len(row["message"]) < 300 for row in rows)


def test_the_language_before_the_exercise(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "source": f"%%judge {words} kv_bytes\n{CODE}"} for words in ("--lang zh", "--lang=en")
    ]
    for number, cell in enumerate(cells):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a.ipynb").write_text(json.dumps({"cells": [cell]}))
        assert answer(tmp_path / str(number)).source == b"\n" + CODE.encode()


def test_another_name_is_another_answer() -> None:
    assert Answer("ann", "kv_bytes", "a.py", b"x").digest != Answer("ann", "kv_bytes", "b.py", b"x").digest


@pytest.mark.parametrize("name", ["ann.rar", "ann.7z", "ann.tar", "ann.tar.gz", "ann.TGZ", "ann.tar.bz2", "ann.tar.xz"])
def test_another_archive_than_a_zip_has_a_row(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"Rar!" * 99)
    for other in ("README.md", "roster.csv", ".zip"):
        (tmp_path / other).touch()
    ((student, paths),) = find_students(tmp_path, tmp_path / "out").items()
    assert student == "ann"
    assert told(answer(paths[0])) == (UNUSABLE, "class_broken_zip")


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_that_leads_nowhere_has_a_row(tmp_path: Path) -> None:
    (tmp_path / "ann").symlink_to("moved away")
    ((_, paths),) = find_students(tmp_path, tmp_path / "out").items()
    assert told(answer(paths[0])) == (UNUSABLE, "class_link")


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_results_are_no_student_under_whatever_name(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    (folder / "results").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(folder / "results")
    assert find_students(folder, tmp_path / "link") == {}
    (folder / "results").rmdir()
    (folder / "results").symlink_to(tmp_path / "elsewhere")
    assert find_students(folder, folder / "results") == {}


@pytest.mark.parametrize("out", ["ann", "bob", "ann/results"])
def test_a_student_s_folder_is_no_place_for_results(
    tmp_path: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for student in ("ann", "bob"):
        (tmp_path / student).mkdir()
    (tmp_path / "ann" / "kv_bytes.py").write_text(CODE)
    assert main(["batch", str(tmp_path), "--out", str(tmp_path / out), "--lang", "en"]) == 2
    assert "cannot lie where the class does" in capsys.readouterr().err
    assert [path.name for path in sorted(tmp_path.rglob("*"))] == ["ann", "kv_bytes.py", "bob"]


def test_an_exercise_named_twice_has_one_row(tmp_path: Path) -> None:
    (tmp_path / "class" / "ann").mkdir(parents=True)
    words = ["batch", str(tmp_path / "class"), "kv_bytes", "rope", "kv_bytes", "--out", str(tmp_path / "out")]
    assert main(words) == 0
    rows = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))["rows"]
    assert [(row["exercise"], row["outcome"]) for row in rows] == [("kv_bytes", MISSING), ("rope", MISSING)]


def test_results_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class" / "ann").mkdir(parents=True)
    (tmp_path / "out" / "marks.csv").mkdir(parents=True)
    words = ["batch", str(tmp_path / "class"), "kv_bytes", "--out", str(tmp_path / "out"), "--lang", "en"]
    assert main(words) == 3
    errors = capsys.readouterr().err
    assert "marks.csv" in errors
    assert "what has been graded is kept, the same command goes on" in errors
