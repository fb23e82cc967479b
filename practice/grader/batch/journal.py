"""The batch's journal: what has been graded is on the disk before it is counted, and a killed batch goes on from there.

JSON lines, only ever appended to.  The first of a batch tells its seed, which stays secret: the file is its owner's
alone.  A line that was torn by the end of the process is cut off by the next one.
"""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from practice.grader.rows import Row, row_as_data, row_from_data

NAME = "journal.jsonl"
LOCK = ".lock"
BROKEN = (ValueError, TypeError, KeyError, RecursionError)
"""What reading a line raises that no batch has written."""


class InUse(Exception):
    """Another batch works on the same results."""


@dataclass(frozen=True)
class Key:
    """What a grading depends on: the same key gives the same row."""

    student: str
    exercise: str
    source: str
    cases: str
    seed: int
    isolated: bool
    """Whether isolation was required, and found."""


class Journal:
    """The journal of one folder of results, locked.  A context manager; entering it raises InUse or OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / LOCK, timeout=0)
        self.rows: dict[Key, Row] = {}
        self.seed: int | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise InUse from error
        self._file = os.open(self._folder / NAME, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        for line in self._read():
            with contextlib.suppress(*BROKEN):  # its answer is graded again
                self._take(json.loads(line))
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)
        self._lock.release()

    def begin(self, seed: int) -> None:
        """Note the seed that the rows from here on are graded with."""
        if seed != self.seed:
            self._append({"seed": seed})
            self.seed = seed

    def add(self, key: Key, row: Row) -> None:
        """Keep a row; once this returns, it stays."""
        self._append({"key": vars(key), "row": row_as_data(row)})
        self.rows[key] = row

    def _take(self, told: dict[str, Any]) -> None:
        if "seed" in told:
            if type(told["seed"]) is not int or not 0 <= told["seed"] < 1 << 63:
                raise ValueError(told["seed"])
            self.seed = told["seed"]
        else:
            self.rows[Key(**told["key"])] = row_from_data(told["row"])

    def _append(self, told: dict[str, Any]) -> None:
        line = json.dumps(told).encode() + b"\n"
        while line:
            line = line[os.write(self._file, line) :]
        os.fsync(self._file)

    def _read(self) -> list[bytes]:
        """The lines of the journal; leaves the file at its end, without a torn line."""
        with os.fdopen(os.dup(self._file), "rb") as stream:
            lines = stream.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
        os.ftruncate(self._file, end := sum(map(len, lines)))
        os.lseek(self._file, end, os.SEEK_SET)
        return lines
