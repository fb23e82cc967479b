"""Landlock (Linux): a process gives up every file but a few it may read, and sockets, and signals to others.

Installed with ctypes; what a kernel does not know yet (its ABI is older) is left out. See landlock(7).
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # ABI -> how many rights over files it knows
NET_SINCE, SCOPE_SINCE = 4, 6
TCP = 0b11  # bind, connect
OTHERS = 0b11  # abstract unix sockets and signals, outside this domain
PR_SET_NO_NEW_PRIVS = 38


def abi() -> int:
    """The version of Landlock that this kernel offers; 0 where it offers none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(CREATE_RULESET, None, ctypes.c_long(0), ctypes.c_long(1))))


def restrict(readable: Iterable[str]) -> int:
    """Leave this process nothing but reading `readable` and what lies beneath; the ABI in force, 0 for none.

    Paths that do not exist are passed over.
    """
    version = abi()
    if not version:
        return 0
    rights = (1 << max(count for since, count in FILE_RIGHTS.items() if since <= version)) - 1
    attributes = struct.pack("<Q", rights)
    if version >= NET_SINCE:
        attributes += struct.pack("<Q", TCP)
    if version >= SCOPE_SINCE:
        attributes += struct.pack("<Q", OTHERS)
    libc = _libc()
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_long(len(attributes)), ctypes.c_long(0))
    if ruleset < 0:
        return 0
    try:
        for path in readable:
            _allow(libc, ruleset, path)
        held = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)
    return version if held else 0


def _allow(libc: ctypes.CDLL, ruleset: int, path: str) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        folder = stat.S_ISDIR(os.fstat(beneath).st_mode)
        rule = struct.pack("<Qi", READ_FILE | READ_DIR if folder else READ_FILE, beneath)
        libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(beneath)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
