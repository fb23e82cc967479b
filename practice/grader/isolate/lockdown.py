"""The second layer: the process of an answer gives up its privileges, for good, before it sees a line of the answer."""

import ctypes
import os
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from practice.grader.isolate import landlock, seccomp

CAPABILITY_VERSION = 0x20080522
SYSTEM = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
TOLD = ("/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")


def lock_down(readable: Iterable[str]) -> list[str]:
    """Drop capabilities, leave of the files only those `readable` (and beneath), filter system calls.

    Gives the names of what this system has.
    """
    if sys.platform != "linux":
        return []
    held = ["no-capabilities"] if _drop_capabilities() else []
    if version := landlock.restrict(readable):
        held.append(f"landlock-{version}")
    if seccomp.install():
        held.append("seccomp")
    return held


def python_files() -> Iterator[str]:
    """What Python and its packages may read: their own libraries, and what the C library looks into."""
    paths = sysconfig.get_paths()
    yield from {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    yield from (entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages", "lib-dynload"))
    yield from (str(Path(prefix) / "lib") for prefix in {sys.prefix, sys.base_prefix})
    yield from os.environ.get("LD_LIBRARY_PATH", "").split(":")
    yield from (*SYSTEM, *DEVICES, *TOLD)


def _drop_capabilities() -> bool:
    """Root without its capabilities is an ordinary owner of files; an ordinary user has none to drop."""
    header = struct.pack("<Ii", CAPABILITY_VERSION, 0)
    return bool(ctypes.CDLL(None, use_errno=True).capset(header, struct.pack("<6I", *[0] * 6)) == 0)
