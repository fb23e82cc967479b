"""Limits that the child sets on itself before it has seen a line of the answer."""

import os
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
FILES = 256
ADDRESSES_PER_BYTE = 4  # threads reserve far more addresses than they use memory


def apply_limits(cpu_seconds: float, memory_bytes: int) -> list[str]:
    """Set what this system can set and return the names of the layers that hold.

    `cpu_seconds` and `memory_bytes` count from now: what importing torch took is not the answer's.
    """
    if sys.platform == "win32":
        return []
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + cpu_seconds) + 1
    held = []
    if _lower(resource.RLIMIT_CPU, seconds, seconds + 1):  # SIGXCPU, and a second later SIGKILL
        held.append("rlimit-cpu")
    if _lower(resource.RLIMIT_FSIZE, 0, 0):
        held.append("rlimit-file-size")
    if _lower(resource.RLIMIT_CORE, 0, 0):
        held.append("rlimit-core")
    if _lower(resource.RLIMIT_NOFILE, FILES, FILES):  # a pipe costs memory of the kernel's
        held.append("rlimit-files")
    if sys.platform == "linux":
        addresses = _mapped_bytes() + ADDRESSES_PER_BYTE * memory_bytes
        if _lower(resource.RLIMIT_AS, addresses, addresses):  # so do the page tables of what is mapped and only read
            held.append("rlimit-addresses")
        data = _data_bytes() + memory_bytes
        if _lower(resource.RLIMIT_DATA, data, data) and _is_refused(memory_bytes):
            held.append("rlimit-data")
    return held


def die_with_parent(parent: int) -> None:
    """Linux: be killed when the judge is, even while the answer runs; `parent` is the judge's process id."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def _lower(limit: int, soft: int, hard: int) -> bool:
    import resource

    ceiling = resource.getrlimit(limit)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    try:
        resource.setrlimit(limit, (soft, hard))
    except (OSError, ValueError):
        return False
    return True


def _data_bytes() -> int:
    """Private writable memory mapped so far, which RLIMIT_DATA counts, and the stack."""
    return _pages(5)


def _mapped_bytes() -> int:
    """All that is mapped so far, which RLIMIT_AS counts."""
    return _pages(0)


def _pages(field: int) -> int:
    """A field of /proc/self/statm, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[field]) * os.sysconf("SC_PAGE_SIZE")


def _is_refused(memory_bytes: int) -> bool:
    """Whether a private mapping over the limit is refused: some kernels accept the limit and ignore it."""
    import mmap

    try:
        mmap.mmap(-1, memory_bytes + (1 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return True
    return False
