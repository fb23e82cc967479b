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
    [
        ("en", "not graded, as it lies in no student's folder: {}; put it into one, and run the same command again"),
        ("zh", "不在任何学生的文件夹里，因此没有评测：{}；请放进该学生的文件夹，再运行同一条命令"),
    ],
)
def test_loose_files_are_told_in_a_line(folder: Path, lang: str, why: str, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("topk_mask.py", "a\n\x1b[2Jb.py", "roster.csv", *(f"z{number}.py" for number in range(5))):
        (folder / name).touch()
    assert batch(folder, "gqa_attention", "--lang", lang) == 0
    (line,) = capfd.readouterr().err.splitlines()
    told = "a \N{REPLACEMENT CHARACTER}[2Jb.py, topk_mask.py, z0.py, z1.py, z2.py, (+2)"
    assert line == "judge: " + why.format(told)


def test_loose_files_alone_are_told_before_the_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann_kv_bytes.py").touch()
    assert batch(tmp_path / "class") == 2
    loose, error = capfd.readouterr().err.splitlines()
    assert loose.startswith("judge: not graded, as it lies in no student's folder: ann_kv_bytes.py;")
    assert "holds no folder and no zip of a student" in error


def test_an_exercise_of_one_student_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert batch(folder) == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "Handed in, by how many of 3 students: kv_bytes 3, rope 1"
    assert errors.count("\n") == 1
    assert "everybody else gets 0 for them: rope 1; if they were not set" in errors
    assert "(students: 3, rows: 6)" in page


def test_whoever_names_the_exercises_is_not_warned(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert batch(folder, "gqa_attention", "rope") == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "Handed in, by how many of 3 students: gqa_attention 0, rope 1"
    assert errors == ""


def test_half_of_the_class_is_no_exception(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "cid" / "kv_bytes.ipynb").unlink()
    (folder / "cid").rmdir()
    assert batch(folder, "--lang", "zh") == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "各练习的提交人数（共 2 名学生）：kv_bytes 2, rope 1"
    assert errors == ""


def test_what_cannot_be_read_is_no_exercise_left_out(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for student in ("dan", "eve", "fay", "gus"):
        (folder / f"{student}.rar").write_bytes(b"Rar!")
    assert batch(folder) == 0
    page, errors = capfd.readouterr()
    assert page.splitlines()[0] == "Handed in, by how many of 3 students: kv_bytes 3, rope 1"
    unreadable, few = errors.splitlines()
    assert unreadable == "judge: 4 of 7 students handed in what cannot be read; their rows say why"
    assert "fewer than half of the 3 students" in few
    assert "kv_bytes" not in few
