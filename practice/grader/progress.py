"""What a learner has done so far: one small file outside the tree, shared by all clones of the course.

Two judges that write at once lose nothing.  A judge that is killed leaves the file as it was before its update or as
it is after it, and no lock: the system drops the lock with the process.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

FORMAT = 1
NAME = "long-context-course"
LOCK_SECONDS = 10.0
NOT_UNDERSTOOD = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Record:
    """One exercise: how often it was graded, when it first passed (UTC, ISO 8601; "" for not yet), how many hints are
    open, and whether the reference was shown."""

    gradings: int = 0
    passed_at: str = ""
    hints: int = 0
    revealed: bool = False

    def graded(self, passed: bool) -> "Record":
        """After one more grading."""
        now = datetime.now(UTC).isoformat(timespec="seconds") if passed else ""
        return replace(self, gradings=self.gradings + 1, passed_at=self.passed_at or now)


class ProgressFile:
    """The file `path`; ``moved`` is told where a file that could not be understood was put aside."""

    def __init__(self, path: Path, moved: Callable[[Path], object]) -> None:
        self._path, self._moved = path, moved

    def read(self) -> dict[str, Record]:
        """The records by exercise; those never touched are left out.  OSError where the file cannot be read."""
        try:
            return self._parse()
        except NOT_UNDERSTOOD:
            with self._locked():
                return self._load()

    def update(self, exercise: str, change: Callable[[Record], Record]) -> Record:
        """Replace one record by what `change` makes of it; once this returns, the change lasts.  Raises OSError."""
        with self._locked():
            records = self._load()
            records[exercise] = changed = change(records.get(exercise, Record()))
            self._store(records)
        return changed

    @contextmanager
    def _locked(self) -> Iterator[None]:
        # Imported here, as platformdirs is below: `list` and `start` also run where neither is installed.
        from filelock import FileLock

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._path}.lock", timeout=LOCK_SECONDS, poll_interval=0.005):
            yield

    def _load(self) -> dict[str, Record]:
        try:
            return self._parse()
        except NOT_UNDERSTOOD:
            aside = _unused(self._path.with_name(f"{self._path.name}.broken"))
            self._path.rename(aside)
            self._moved(aside)
            return {}

    def _parse(self) -> dict[str, Record]:
        try:
            told = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        if told["format"] != FORMAT:
            raise ValueError(f"format {told['format']}")
        return {exercise: _record(fields) for exercise, fields in told["exercises"].items()}

    def _store(self, records: Mapping[str, Record]) -> None:
        told = {"format": FORMAT, "exercises": {exercise: asdict(record) for exercise, record in records.items()}}
        new = self._path.with_name(f"{self._path.name}.new")
        with new.open("w", encoding="utf-8") as stream:
            json.dump(told, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(self._path)


def progress_path() -> Path:
    """Where progress is kept: under XDG_STATE_HOME where that is set, else where this system keeps such files."""
    from platformdirs import user_state_path

    chosen = os.environ.get("XDG_STATE_HOME", "")
    folder = Path(chosen, NAME) if os.path.isabs(chosen) else user_state_path(NAME, appauthor=False)
    return folder / "progress.json"


def _record(fields: Mapping[str, object]) -> Record:
    record = Record(**fields)  # type: ignore[arg-type]
    if [type(value) for value in astuple(record)] != [int, str, int, bool]:
        raise TypeError(f"not a record: {fields}")
    return record


def _unused(path: Path) -> Path:
    """`path`, or `path`-2, `path`-3, ... where that is taken."""
    names = (path if n == 1 else path.with_name(f"{path.name}-{n}") for n in range(1, 1 << 30))
    return next(name for name in names if not name.exists())
