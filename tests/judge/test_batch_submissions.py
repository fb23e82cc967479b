"""What a class hands in: found in folders, zips and notebooks, and whatever is wrong with it told, not followed."""

import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from practice.grader.batch import files
from practice.grader.batch.files import Budget, Unusable, entries_of
from practice.grader.batch.submissions import Answer, Handed, count_handed_in, find_students, read_student
from practice.grader.catalogue import all_cards
from practice.grader.rows import MISSING, UNUSABLE

CARDS = {card.id: card for card in all_cards()}
CODE = "def kv_bytes(): pass\n"


def read(path: Path) -> Handed:
    return read_student(path.name, [path], CARDS)


def answer(path: Path, exercise: str = "kv_bytes") -> Answer:
    (found,) = read(path).answers([exercise], {exercise: CARDS[exercise].function})
    return found


def told(found: Answer) -> tuple[str, str]:
    assert found.reason is not None
    return found.outcome, found.reason.key


def zipped(path: Path, members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def notebook(path: Path, *cells: str | tuple[str, str]) -> Path:
    """Code cells: a source, or an nbgrader grade_id and the source."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made: list[dict[str, Any]] = []
    for cell in cells:
        grade_id, source = cell if isinstance(cell, tuple) else ("", cell)
        metadata = {"nbgrader": {"grade_id": grade_id, "solution": True}} if grade_id else {}
        made.append({"cell_type": "code", "metadata": metadata, "source": source.splitlines(keepends=True)})
    whole = {"cells": [{"cell_type": "markdown", "source": ["%%judge kv_bytes"]}, *made], "nbformat": 4}
    path.write_text(json.dumps(whole))
    return path


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    folder = tmp_path / "ann"
    folder.mkdir()
    return folder


def test_a_file_an_exercise(ann: Path) -> None:
    (ann / "kv_bytes.py").write_text(CODE)
    (ann / "week 1").mkdir()
    (ann / "week 1" / "rope.py").write_text("x = 1")
    found = read(ann).answers(["kv_bytes", "rope"], {"kv_bytes": "kv_bytes", "rope": "rope"})
    assert [(each.student, each.file, each.source) for each in found] == [
        ("ann", "kv_bytes.py", CODE.encode()),
        ("ann", "week 1/rope.py", b"x = 1"),
    ]


def test_nothing_handed_in(ann: Path) -> None:
    assert told(answer(ann)) == (MISSING, "class_missing")


def test_what_is_there_instead_is_told(ann: Path) -> None:
    for name in ("KV_bytes.py", "kv_bytes.txt", "kv_bytes.py.bak", "a.zip", "b", "c"):
        (ann / name).write_text("x")
    found = answer(ann)
    assert told(found) == (MISSING, "class_missing_seen")
    assert found.reason
    assert found.reason.fields["files"] == "KV_bytes.py, a.zip, b, c, kv_bytes.py.bak, (+1)"


def test_one_answer_twice(ann: Path) -> None:
    for week, source in (("week[1]", CODE), ("week[2]", "x = 2")):
        (ann / week).mkdir()
        (ann / week / "kv_bytes.py").write_text(source)
    assert told(answer(ann)) == (UNUSABLE, "class_twice")
    (ann / "week[2]" / "kv_bytes.py").write_text(CODE)
    assert answer(ann).source == CODE.encode()


@pytest.mark.skipif(os.name == "nt", reason="needs links and pipes")
def test_no_link_is_followed_and_no_pipe_waited_on(ann: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "rope.py").write_text("SECRET")
    (ann / "kv_bytes.py").symlink_to(secret / "rope.py")
    (ann / "linked").symlink_to(secret)
    os.mkfifo(ann / "topk_mask.py")
    (ann / "evict_sinks.py").symlink_to("/dev/zero")
    assert told(answer(ann)) == (UNUSABLE, "class_link")
    assert told(answer(ann, "evict_sinks")) == (UNUSABLE, "class_link")
    assert told(answer(ann, "topk_mask")) == (UNUSABLE, "class_not_a_file")
    assert told(answer(ann, "rope"))[0] == MISSING


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs the right to make a device")
def test_a_device_is_not_opened(ann: Path) -> None:
    try:
        os.mknod(ann / "kv_bytes.py", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("devices cannot be made here")
    assert told(answer(ann)) == (UNUSABLE, "class_not_a_file")


@pytest.mark.skipif(os.name == "nt", reason="needs permissions")
def test_an_unreadable_file(ann: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (ann / "kv_bytes.py").write_text(CODE)

    def refuse(*_: object) -> int:  # root may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "open", refuse)
    assert told(answer(ann)) == (UNUSABLE, "class_unreadable")


def test_a_folder_named_like_an_answer(ann: Path) -> None:
    (ann / "kv_bytes.py").mkdir()
    assert told(answer(ann)) == (MISSING, "class_missing")


def test_10_mb_of_source(ann: Path) -> None:
    (ann / "kv_bytes.py").write_bytes(b"#" * 10_000_000)
    found = answer(ann)
    assert told(found) == ("ERROR", "source_size")
    assert found.reason
    assert found.reason.fields["size"] == "10,000,000"
    assert found.source == b""


def test_thousands_of_files(ann: Path) -> None:
    for number in range(4000):
        (ann / f"{number}.txt").touch()
    (ann / "kv_bytes.py").write_text(CODE)
    assert answer(ann).source == CODE.encode()


def test_too_many_files(ann: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "COUNT_LIMIT", 3)
    for name in ("kv_bytes.py", "a", "b", "c"):
        (ann / name).touch()
    assert told(answer(ann)) == (UNUSABLE, "class_too_many")


def test_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "ann.zip", {"hand-in/kv_bytes.py": CODE, "__MACOSX/hand-in/kv_bytes.py": "junk"})
    assert (answer(path).file, answer(path).source) == ("hand-in/kv_bytes.py", CODE.encode())


ESCAPES = ("../kv_bytes.py", "/etc/kv_bytes.py", "a/../../kv_bytes.py", "..\\kv_bytes.py")


@pytest.mark.parametrize("name", ESCAPES)
def test_a_zip_with_a_path_that_leads_out(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "ann.zip", {name: CODE, "kv_bytes.py": CODE})
    assert told(answer(path)) == (UNUSABLE, "class_escape")
    assert [each.name for each in tmp_path.iterdir()] == ["ann.zip"]


def test_a_zip_with_a_link(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("kv_bytes.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert told(answer(tmp_path / "ann.zip")) == (UNUSABLE, "class_link")


def test_an_encrypted_zip(tmp_path: Path) -> None:
    raw = bytearray(zipped(tmp_path / "a.zip", {"kv_bytes.py": CODE}).read_bytes())
    for place in (raw.index(b"PK\1\2") + 8, raw.index(b"PK\3\4") + 6):
        raw[place] |= 1
    (tmp_path / "ann.zip").write_bytes(raw)
    assert told(answer(tmp_path / "ann.zip")) == (UNUSABLE, "class_encrypted")


def broken_zips() -> Iterable[tuple[str, bytes]]:
    good = io.BytesIO()
    with zipfile.ZipFile(good, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("kv_bytes.py", CODE * 50)
    raw = good.getvalue()
    yield "empty", b""
    yield "not a zip", b"Rar!" * 99
    yield "cut short", raw[: len(raw) // 2]
    yield "bytes changed", raw[:45] + bytes(byte ^ 0xFF for byte in raw[45:60]) + raw[60:]
    lzma = io.BytesIO()
    with zipfile.ZipFile(lzma, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("kv_bytes.py", CODE)
    yield "another compression", lzma.getvalue()


@pytest.mark.parametrize("raw", [raw for _, raw in broken_zips()], ids=[name for name, _ in broken_zips()])
def test_a_broken_zip(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "ann.zip").write_bytes(raw)
    assert told(answer(tmp_path / "ann.zip")) == (UNUSABLE, "class_broken_zip")


def test_a_zip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILE_LIMIT", 1 << 20)
    path = zipped(tmp_path / "ann.zip", {"kv_bytes.py": b"\n" * (64 << 20)})
    start = path.read_bytes().index(b"PK\1\2")
    raw = bytearray(path.read_bytes())
    raw[start + 24 : start + 28] = struct.pack("<I", 10)  # and it lies about its size
    (tmp_path / "liar.zip").write_bytes(raw)
    assert told(answer(path)) == (UNUSABLE, "class_too_large")
    assert answer(tmp_path / "liar.zip").outcome in (UNUSABLE, "")
    assert len(answer(tmp_path / "liar.zip").source) <= 1 << 20


def test_a_zip_of_many_notebooks_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "ann.zip", {f"{number}.ipynb": "{}" for number in range(300)})
    opened = []

    def opening(name: Path) -> zipfile.ZipFile:
        opened.append(name)
        return zipfile.ZipFile(name)

    monkeypatch.setattr(files, "ZipFile", opening)
    assert told(answer(path))[0] == MISSING
    assert opened == [path]


def test_a_zip_in_a_zip_is_not_opened(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"kv_bytes.py": CODE}).read_bytes()
    found = answer(zipped(tmp_path / "ann.zip", {"inner.zip": inner}))
    assert told(found) == (MISSING, "class_missing_seen")
    assert found.reason
    assert found.reason.fields["files"] == "inner.zip"


def test_a_pipe_for_a_zip(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ann.zip")
    with pytest.raises(Unusable):
        entries_of(tmp_path / "ann.zip", Budget())
    assert told(answer(tmp_path / "ann.zip")) == (UNUSABLE, "class_not_a_file")


def test_cells_of_a_notebook(ann: Path) -> None:
    notebook(ann / "chapter.ipynb", "x = 1", "%%judge kv_bytes\n" + CODE, ("rope", "def rope(): pass\n"))
    handed = read(ann)
    found = handed.answers(["kv_bytes", "rope"], {"kv_bytes": "kv_bytes", "rope": "rope"})
    assert [(each.file, each.source) for each in found] == [
        ("chapter.ipynb[cell 2]", b"\n" + CODE.encode()),
        ("chapter.ipynb[cell 3]", b"def rope(): pass\n"),
    ]
    assert count_handed_in([handed, handed], ["rope", "topk_mask", "kv_bytes"]) == {
        "rope": 2,
        "topk_mask": 0,
        "kv_bytes": 2,
    }


def test_a_function_of_the_chapter_is_no_answer(ann: Path) -> None:
    notebook(ann / "chapter.ipynb", CODE)
    assert told(answer(ann)) == (MISSING, "class_missing_seen")


def test_a_notebook_named_after_its_exercise(ann: Path) -> None:
    notebook(ann / "kv_bytes.ipynb", "x = 1", CODE)
    assert (answer(ann).file, answer(ann).source) == ("kv_bytes.ipynb[cell 2]", CODE.encode())


CELLS: dict[str, tuple[tuple[str | tuple[str, str], ...], tuple[str, str]]] = {
    "deleted": (("x = 1",), (MISSING, "class_missing_seen")),
    "renamed": ((("kv_bytes_", CODE),), (MISSING, "class_missing_seen")),
    "duplicated": ((("kv_bytes", CODE), ("kv_bytes", CODE)), ("ERROR", "cells")),
    "duplicated in two ways": ((("kv_bytes", CODE), "%%judge kv_bytes\n" + CODE), ("ERROR", "cells")),
    "with a shell line": ((("kv_bytes", "!ls\n" + CODE),), ("ERROR", "magic")),
    "10 MB long": ((("kv_bytes", "#" * 10_000_000),), ("ERROR", "source_size")),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_that_was_tampered_with(ann: Path, name: str) -> None:
    cells, wanted = CELLS[name]
    notebook(ann / "chapter.ipynb", *cells)
    assert told(answer(ann)) == wanted


@pytest.mark.parametrize("raw", [b"", b"{", b"[" * 100_000, b'{"cells": [3]}', b'{"cells": 3}', b"\xff\xfe\x00\xd8"])
def test_a_notebook_that_is_none(ann: Path, raw: bytes) -> None:
    (ann / "kv_bytes.ipynb").write_bytes(raw)
    assert told(answer(ann)) == ("ERROR", "no_notebook")
    (ann / "kv_bytes.ipynb").rename(ann / "chapter.ipynb")
    assert told(answer(ann)) == (MISSING, "class_missing_seen")


NAMES = ("王小明", "Zoë Ångström", "=cmd|' calc'!A0", "-rf", "a b\nc\td", ".hidden", "x" * 255, "ⅷ\u202egpj", "%s{0}")


def test_names_of_all_kinds(tmp_path: Path) -> None:
    for name in (*NAMES, b"\xff\xfe".decode("utf-8", "surrogateescape")):
        (tmp_path / name).mkdir()
    (tmp_path / "bob.zip").touch()
    for name in ("README.md", ".DS_Store"):
        (tmp_path / name).touch()
    for name in ("__MACOSX", ".ipynb_checkpoints", "results"):
        (tmp_path / name).mkdir()
    assert set(find_students(tmp_path, tmp_path / "results")) == {*NAMES, "\\xff\\xfe", "bob"}


def test_a_folder_and_a_zip_of_one_student(tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "kv_bytes.py").write_text(CODE)
    zipped(tmp_path / "ann.zip", {"kv_bytes.py": CODE})
    ((student, paths),) = find_students(tmp_path, tmp_path / "out").items()
    found = read_student(student, paths, CARDS).answers(["kv_bytes"], {"kv_bytes": "kv_bytes"})
    assert [told(each) for each in found] == [(UNUSABLE, "class_twice")]


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "kv_bytes.py").write_text(CODE)
    (tmp_path / "class" / "loop.zip").symlink_to("loop.zip")
    (student, paths), (_, loop) = find_students(tmp_path / "class", tmp_path / "out").items()
    assert student == "ann"
    assert told(answer(paths[0])) == told(answer(loop[0])) == (UNUSABLE, "class_link")
