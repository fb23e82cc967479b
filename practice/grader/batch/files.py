"""What a student handed in, as files: a folder or a zip.  Nothing is unpacked, no link followed, no pipe waited on.

Whoever hands in chooses names, sizes and kinds of files, so everything is bounded and only regular files are opened.
"""

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

COUNT_LIMIT = 10_000
DEPTH_LIMIT = 6
READ_LIMIT = 64 << 20
FILE_LIMIT = 16 << 20
ZIP_LIMIT = 32 << 20
LONGEST_PATH = 1024
NOT_HANDED_IN = ("__MACOSX", "__pycache__")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Of compression: what others unpack to may need gigabytes of memory on the way."""

ENCRYPTED = 1
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Unusable(Exception):
    """Something that was handed in cannot be read; `key` and `fields` are the sentence that says why."""

    def __init__(self, key: str, **fields: str | int) -> None:
        super().__init__(key, fields)
        self.key, self.fields = key, fields


@dataclass(frozen=True)
class Entry:
    """One file that was handed in: its path within the folder or zip, and its bytes, at most FILE_LIMIT.

    `read` raises Unusable.
    """

    path: str
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name


class Budget:
    """Bytes that are `left` to read of one student's files; below 0, more was read than anybody should hand in."""

    def __init__(self) -> None:
        self.left = READ_LIMIT

    def read(self, read: Callable[[int], bytes], name: str) -> bytes:
        """What `read` gives, at most FILE_LIMIT bytes.  Where it fails, so much may have been unpacked, and counts."""
        self.left -= FILE_LIMIT
        content = read(FILE_LIMIT + 1)
        if len(content) > FILE_LIMIT:
            raise Unusable("class_too_large", file=name, limit=f"{FILE_LIMIT:,}")
        self.left += FILE_LIMIT - len(content)
        return content


def entries_of(path: Path, budget: Budget) -> list[Entry]:
    """The files of a student's folder or zip, by path; reading them costs of the `budget`.  Raises Unusable."""
    name = told_name(path.name)
    try:
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            found = _folder_entries(path, budget)
        else:
            _check_kind(mode, name)
            found = _zip_entries(path, budget)
    except OSError as error:
        raise Unusable("class_unreadable", file=name, reason=error.strerror or str(error)) from error
    return sorted(found, key=lambda entry: entry.path)


def told_name(name: str) -> str:
    """A name from the disk as text: bytes that are no UTF-8 are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _folder_entries(top: Path, budget: Budget) -> list[Entry]:
    found: list[Entry] = []
    for path in _walk(top, DEPTH_LIMIT):
        if len(found) == COUNT_LIMIT:
            raise Unusable("class_too_many", file=told_name(top.name), limit=COUNT_LIMIT)
        found.append(Entry(told_name(path.relative_to(top).as_posix()), partial(_read_file, path, budget)))
    return found


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Whatever is no folder, down to `depth` folders below; a link to a folder is no folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif depth and _is_handed_in(entry.name):
                yield from _walk(Path(entry.path), depth - 1)


def _is_handed_in(folder: str) -> bool:
    return not folder.startswith(".") and folder not in NOT_HANDED_IN


def _read_file(path: Path, budget: Budget) -> bytes:
    name = told_name(path.name)
    try:
        _check_kind(path.lstat().st_mode, name)
        with os.fdopen(os.open(path, OPEN), "rb") as file:
            _check_kind(os.fstat(file.fileno()).st_mode, name)
            return budget.read(file.read, name)
    except OSError as error:
        raise Unusable("class_unreadable", file=name, reason=error.strerror or str(error)) from error


def _check_kind(mode: int, name: str) -> None:
    if stat.S_ISLNK(mode):
        raise Unusable("class_link", file=name)
    if not stat.S_ISREG(mode):
        raise Unusable("class_not_a_file", file=name)


def _zip_entries(path: Path, budget: Budget) -> list[Entry]:
    """The files of a zip; one path that leads out of it, or a link, and none of it is used."""
    if path.stat().st_size > ZIP_LIMIT:
        raise Unusable("class_too_large", file=told_name(path.name), limit=f"{ZIP_LIMIT:,}")
    try:
        archive = ZipFile(path)  # open as long as one of its entries is
        infos = archive.infolist()
    except BROKEN as error:
        raise Unusable("class_broken_zip", file=told_name(path.name), reason=str(error)) from error
    if len(infos) > COUNT_LIMIT:
        raise Unusable("class_too_many", file=told_name(path.name), limit=COUNT_LIMIT)
    for info in infos:
        _check_member(info, told_name(path.name))
    files = {_slashed(info): info for info in infos if info.filename and not info.is_dir()}
    return [
        Entry(name, partial(_read_member, archive, info, budget))
        for name, info in files.items()
        if _all_handed_in(name)
    ]


def _slashed(info: zipfile.ZipInfo) -> str:
    """The path of a member; some systems zip with backslashes."""
    return info.filename.replace("\\", "/")


def _check_member(info: zipfile.ZipInfo, archive: str) -> None:
    path = PurePosixPath(_slashed(info))
    if len(info.filename) > LONGEST_PATH:
        raise Unusable("class_broken_zip", file=archive, reason=f"a path of {len(info.filename):,} characters")
    if path.is_absolute() or ".." in path.parts:
        raise Unusable("class_escape", file=archive, path=info.filename)
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unusable("class_link", file=f"{archive}: {info.filename}")
    if info.flag_bits & ENCRYPTED:
        raise Unusable("class_encrypted", file=archive)
    if info.compress_type not in METHODS:
        raise Unusable("class_broken_zip", file=archive, reason=f"compression method {info.compress_type}")


def _all_handed_in(path: str) -> bool:
    return all(map(_is_handed_in, PurePosixPath(path).parts[:-1]))


def _read_member(archive: ZipFile, info: zipfile.ZipInfo, budget: Budget) -> bytes:
    try:
        with archive.open(info) as member:
            return budget.read(member.read, info.filename)
    except BROKEN as error:
        raise Unusable("class_broken_zip", file=info.filename, reason=str(error)) from error
