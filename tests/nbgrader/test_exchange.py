"""What the exchange, or whoever unpacks submissions by hand, may bring into the course folder."""

import logging
import os
import shutil
from pathlib import Path

import pytest
from classes.thirty import ASSIGNMENT, marks
from nbgrader.auth import Authenticator
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from practice.grader.assignments.files import read_plain_file
from practice.nbgrader.answers import AnswerExporter
from practice.nbgrader.collect import CarefulCollect, tidy


def test_folders_that_nbgrader_did_not_make_stay_in_the_exchange(graded):
    assert {path.name for path in (graded.folder / "submitted").iterdir()} == set(marks())
    assert [name for name in graded.strange if f"inbound/{name}+{ASSIGNMENT}" not in graded.collected] == []
    assert not (graded.folder / ASSIGNMENT).exists()


def test_only_what_was_released_is_collected(graded):
    folder = graded.folder / "submitted/x12" / ASSIGNMENT
    names = {path.name for path in folder.rglob("*")}
    assert names == {f"{ASSIGNMENT}.ipynb", "timestamp.txt", "submission_secret.txt"}
    assert (folder / "timestamp.txt").read_text() == "2026-01-05 10:00:00.000000 UTC"
    assert len((folder / "submission_secret.txt").read_text()) == 128


@pytest.fixture
def by_hand(tmp_path):
    """A course whose submissions were unpacked by somebody: its directory, and ada's folder in it."""
    folder = tmp_path / "submitted/ada" / ASSIGNMENT
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    return CourseDirectory(root=str(tmp_path), assignment_id=ASSIGNMENT), folder


def test_what_came_by_hand_is_made_harmless(by_hand):
    directory, folder = by_hand
    secret = Path(directory.root, "secret")
    (folder / "leak.html").symlink_to(secret)
    (folder / "folder").symlink_to(directory.root)
    os.mkfifo(folder / "pipe")
    (folder / "timestamp.txt").write_text("no time at all")
    (folder / "notes.txt").write_text("mine")
    for name in (f"{ASSIGNMENT}.ipynb", "submission_secret.txt"):
        (folder / name).mkdir()
        (folder / name / "inside").symlink_to(secret)
    tidy(directory, logging.getLogger())
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert secret.read_text() == "secret"


def test_one_folder_that_cannot_be_tidied_does_not_keep_the_others_from_it(by_hand, monkeypatch, caplog):
    directory, folder = by_hand
    for student in ("bob", "cyd"):
        other = Path(directory.root, "submitted", student, ASSIGNMENT)
        other.mkdir(parents=True)
        (other / "timestamp.txt").mkdir()
    real = shutil.rmtree
    monkeypatch.setattr(
        shutil, "rmtree", lambda path: real(path) if "cyd" in str(path) else os.open(folder / "gone", os.O_RDONLY)
    )
    tidy(directory, logging.getLogger())
    assert "bob" in caplog.text
    assert not Path(directory.root, "submitted/cyd", ASSIGNMENT, "timestamp.txt").exists()


def test_a_time_that_can_be_read_stays(by_hand):
    directory, folder = by_hand
    told = folder / "timestamp.txt"
    told.write_text("2026-01-05 10:00:00.000000 UTC\n")
    tidy(directory, logging.getLogger())
    assert told.exists()


def test_submissions_are_tidied_before_nbgrader_opens_one(by_hand):
    directory, folder = by_hand
    (folder / "timestamp.txt").mkdir()
    AnswerExporter(parent=Autograde(coursedir=directory))
    assert not (folder / "timestamp.txt").exists()


def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path):
    """As it would be where a student puts it there between nbgrader's look at a folder and the copying."""
    directory = CourseDirectory(root=str(tmp_path), assignment_id=ASSIGNMENT)
    for folder in ("release", "submitted/bob"):
        (tmp_path / folder / ASSIGNMENT).mkdir(parents=True)
        (tmp_path / folder / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").write_text("bob's")
    link = tmp_path / f"ada+{ASSIGNMENT}+2026-01-05 10:00:00 UTC"
    link.symlink_to(tmp_path / "submitted/bob" / ASSIGNMENT)
    dest = tmp_path / "submitted/ada" / ASSIGNMENT
    CarefulCollect(coursedir=directory, authenticator=Authenticator()).do_copy(str(link), str(dest))
    assert (dest / f"{ASSIGNMENT}.ipynb").read_bytes() == b""


def test_only_plain_files_are_read_and_none_stays_open(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    before = os.listdir("/proc/self/fd")
    assert [read_plain_file(tmp_path / name) for name in ("folder", "pipe", "link", "none", "\0")] == [None] * 5
    assert os.listdir("/proc/self/fd") == before


def test_the_course_folder_is_its_owners_alone(graded):
    assert Path(graded.folder).stat().st_mode & 0o077 == 0
    assert (graded.folder / ".judge-seed").is_file()
