"""Collecting: what is taken from the exchange, a folder that every student may write into."""

import datetime
import glob
import os
import re
import secrets
import shutil
import stat
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc

from practice.grader.assignments.files import opened_folder, read_plain_file

FROM_EXCHANGE = ("timestamp.txt", "submission_secret.txt")
STUDENT = re.compile(r"\w[\w.@-]{0,63}")
SECRET = re.compile(rb"[0-9a-f]{128}")
NOBODY: dict[str, Any] = {"username": "", "filename": "", "timestamp": datetime.datetime.min}


class CarefulCollect(ExchangeCollect):
    """nbgrader's own, which copies with the instructor's rights whatever it finds, and follows links.

    This one takes the files that were released and what `nbgrader submit` adds, as plain files of a sensible size, out
    of folders that are named as `nbgrader submit` names them; anything else is left where it is, and logged.
    """

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        """What a submission's name tells; nobody's, where it is no folder or nbgrader would not have named it so."""
        name, *rest = os.path.basename(path).split("+")
        try:
            is_usual = len(rest) in (2, 3) and STUDENT.fullmatch(name) and rest[1].isascii()  # `tidy` reads it as ASCII
            if not is_usual or not stat.S_ISDIR(os.lstat(path).st_mode):
                raise ValueError("not as nbgrader submits")
            return {"username": name, "filename": os.path.basename(path), "timestamp": parse_utc(rest[1])}
        except (ValueError, OverflowError, TypeError, AttributeError, OSError) as error:
            self.log.warning("Not collected: %r (%s)", path, error)
            return NOBODY

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy one submission, a folder of the exchange, to `dest`."""
        release = Path(self.coursedir.format_path(self.coursedir.release_directory, ".", self.coursedir.assignment_id))
        os.makedirs(dest)
        names = [*(file.name for file in release.iterdir() if file.is_file()), FROM_EXCHANGE[1]]
        with opened_folder(src) as folder:
            for name in names:
                content = None if folder is None else read_plain_file(name, folder)
                if content is None:
                    self.log.warning("Not collected: %s of %r is missing, no plain file, or too large", name, src)
                Path(dest, name).write_bytes(content or b"")  # so that who hands in no notebook has a mark, too
        Path(dest, FROM_EXCHANGE[0]).write_text(os.path.basename(src).split("+")[2])
        secret = Path(dest, FROM_EXCHANGE[1])
        if not SECRET.fullmatch(secret.read_bytes()):
            secret.write_text(secrets.token_hex(64))  # without one, nobody's feedback could be released


def tidy(coursedir: Any, log: Any) -> None:
    """Before autograding: make submissions that came by hand or by zip as harmless as those collected.

    Takes out links, whatever else is no plain file, folders in the place of files, and a `timestamp.txt` that tells no
    time.  What cannot be tidied in one student's folder is logged, and is left for nbgrader to fail on.
    """
    submitted = coursedir.format_path(coursedir.submitted_directory, coursedir.student_id, coursedir.assignment_id)
    for folder in glob.glob(submitted):
        try:
            _tidy(Path(folder))
        except (OSError, RecursionError) as error:
            log.error("Not made harmless: %r (%s)", folder, error)


def _tidy(folder: Path) -> None:
    for path in list(folder.rglob("*")):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            path.unlink()
    for path in [*folder.glob("*.ipynb"), *(folder / name for name in FROM_EXCHANGE)]:
        if path.is_dir():
            shutil.rmtree(path)
    told = folder / FROM_EXCHANGE[0]
    if told.exists() and not _tells_time(told):
        told.unlink()


def _tells_time(path: Path) -> bool:
    try:
        parse_utc((read_plain_file(path) or b"").decode("ascii").strip())
    except (ValueError, OverflowError, TypeError, AttributeError):
        return False
    return True
