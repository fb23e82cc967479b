"""What a batch tells before it grades: files that are nobody's, exercises that hardly anybody handed in."""

from pathlib import Path

import pytest

from practice.grader.batch.submissions import find_loose_files, find_students
from practice.grader.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three students: all handed in kv_bytes, one of them rope, too; nothing that a judge would have to run."""
    for student in ("ann", "bob", "cid"):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "kv_bytes.ipynb").touch()
    (tmp_path / "class" / "bob" / "rope.ipynb").touch()
    return tmp_path / "class"


def batch(folder: Path, *words: str) -> int:
    """`judge batch`, told in English where nothing else is asked for."""
    return main(["batch", str(folder), "--out", str(folder.parent / "out"), "--jobs", "1", "--lang", "en", *words])


LOOSE = ("topk_mask.py", "Chapter 1.ipynb", "answer.txt", "kv_bytes.py.bak", "a\nb.py")
OTHERS = ("README.md", "readme", ".DS_Store", "roster.csv", "Marks.CSV", "grades.xlsx", "Thumbs.db", "zoe.zip")


def test_files_beside_the_students_folders(folder: Path) -> None:
    for name in (*LOOSE, *OTHERS):
        (folder / name).touch()
    assert find_loose_files(folder) == sorted(LOOSE)
    assert set(find_students(folder, folder / "out")) == {"ann", "bob", "cid", "zoe"}


@pytest.mark.parametrize(
    ("lang", "why"),
    [("en", "is not graded: it lies in no student's folder"), ("zh", "没有评测：它不在任何学生的文件夹里")],
)
def test_each_loose_file_is_told_in_a_line(
    folder: Path, lang: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("topk_mask.py", "a\n\x1b[2Jb.py", "roster.csv"):
        (folder / name).touch()
    assert batch(folder, "gqa_attention", "--lang", lang) == 0
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition(why)[0].strip() for line in lines] == [
        "judge: a \N{REPLACEMENT CHARACTER}[2Jb.py",
        "judge: topk_mask.py",
    ]


def test_loose_files_alone_are_told_before_the_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann_kv_bytes.py").touch()
    assert batch(tmp_path / "class") == 2
    loose, error = capfd.readouterr().err.splitlines()
    assert loose.startswith("judge: ann_kv_bytes.py is not graded")
    assert "holds no folder and no zip of a student" in error


def test_an_exercise_of_one_student_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert batch(folder) == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "Handed in, by how many students of 3: kv_bytes 3, rope 1"
    assert errors.count("\n") == 1
    assert "everybody else gets 0 for them: rope 1; if they were not set" in errors
    assert "(students: 3, rows: 6)" in page


def test_whoever_names_the_exercises_is_not_warned(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert batch(folder, "gqa_attention", "rope") == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "Handed in, by how many students of 3: gqa_attention 0, rope 1"
    assert errors == ""


def test_half_of_the_class_is_no_exception(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "cid" / "kv_bytes.ipynb").unlink()
    (folder / "cid").rmdir()
    assert batch(folder, "--lang", "zh") == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "各练习上交的人数（共 2 名学生）：kv_bytes 2, rope 1"
    assert errors == ""
