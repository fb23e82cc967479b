"""Leaving a grading: the scratch folder goes, however deep, and SIGTERM and SIGHUP wait until it is gone."""

import contextlib
import itertools
import os
import secrets
import shutil
import signal
import sys
import threading
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class PoliteEnd:
    """Turns SIGTERM and SIGHUP into SystemExit(128 + number) until `restore`; only on the main thread.

    A signal that is ignored or handled already, as under nohup, stays as it is.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._held = False
        on_main = threading.current_thread() is threading.main_thread()
        self._mine = [number for number in ENDING if on_main and signal.getsignal(number) is signal.SIG_DFL]
        for number in self._mine:
            signal.signal(number, self._leave)

    def hold(self) -> None:
        """From now on only remember a signal: nothing may interrupt the cleaning."""
        self._held = True

    def restore(self) -> None:
        """Give the signals back, and follow one that has come."""
        for number in self._mine:
            signal.signal(number, signal.SIG_DFL)
        if self._seen:
            raise SystemExit(128 + self._seen)

    def _leave(self, number: int, _: FrameType | None) -> None:
        self._seen = number
        if not self._held:
            raise SystemExit(128 + number)


def remove_folder(folder: str) -> None:
    """Remove `folder` and all in it, as far as the system lets; never raises OSError.

    Inner folders move up to the top one before they are looked into: neither depth nor long paths matter.
    """
    if sys.platform == "win32":
        shutil.rmtree(folder, ignore_errors=True)
        return
    prefix, number = os.path.join(folder, secrets.token_hex(8)), itertools.count()
    waiting = [folder]
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
    while waiting:
        inner = waiting.pop()
        for entry in _entries(inner):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                os.chmod(entry.path, 0o700)
                os.rename(entry.path, moved := f"{prefix}{next(number)}")
                waiting.append(moved)
        with contextlib.suppress(OSError):  # the top one is not empty yet, unless nothing moved
            os.rmdir(inner)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
