"""Files that are saved, as an endless series of events."""

from collections.abc import Collection, Iterator
from pathlib import Path

QUIET_MS = 50
"""A save is over once nothing has happened for so long: an editor may take several steps to save."""


def saves(files: Collection[Path]) -> Iterator[set[Path]]:
    """Which of `files` were saved, each time that some were; an empty set at the start: from here on none is missed.

    It is their folders that are watched, so that a save by renaming is seen as well.  KeyboardInterrupt ends it.
    """
    from watchfiles import Change, watch  # imported here: `list` and `start` also run where it is not installed

    def is_save(change: Change, path: str) -> bool:
        return change != Change.deleted and Path(path) in files

    batches = watch(
        *{file.parent for file in files},
        watch_filter=is_save,
        step=QUIET_MS,
        debounce=3 * QUIET_MS,
        poll_delay_ms=QUIET_MS,
        rust_timeout=2 * QUIET_MS,
        yield_on_timeout=True,
        recursive=False,
    )
    yield set(map(_path, next(batches)))
    for batch in batches:
        if batch:
            yield set(map(_path, batch))


def _path(event: tuple[object, str]) -> Path:
    return Path(event[1])
