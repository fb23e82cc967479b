"""Files that a student has put somewhere: only plain ones are opened, and none is followed elsewhere."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LARGEST = 16 << 20
"""Bytes of a file that are read; an honest notebook has some ten thousand."""


def read_plain_file(path: Path | str, folder: int | None = None) -> bytes | None:
    """A file's bytes; None where it is missing, too large, a folder, a link, a pipe or a device.

    `path` is looked up in the open directory `folder`, where one is given.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except (OSError, ValueError):
        return None
    try:
        told = os.fstat(descriptor)
        if not stat.S_ISREG(told.st_mode) or told.st_size > LARGEST:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST)
    finally:
        os.close(descriptor)


@contextmanager
def opened_folder(path: Path | str) -> Iterator[int | None]:
    """A folder, held open: whoever owns it can put a link in its place meanwhile, to no effect.

    None where it is missing, a link, or no folder.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
