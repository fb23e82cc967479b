"""The child's process group: started apart from the judge, and ended with everything that it left behind."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SWEEP_SECONDS = 10.0
HIDDEN_SECONDS = 0.2

_lock = threading.Lock()
_live: set[int] = set()


class ProcessGroup:
    """One process in a session of its own, with raw pipes for stdin, stdout and stderr.

    On Linux the judge is the reaper of orphans while a group lives, so that a descendant which left the group comes
    back as a child of the judge and can be ended too.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        with _lock:
            if not _live:
                _adopt_orphans(True)
            try:
                self._before = _children()
                self.process = _start(command, environment, folder)
            except BaseException:
                if not _live:
                    _adopt_orphans(False)
                raise
            _live.add(self.process.pid)

    @property
    def layers(self) -> list[str]:
        """Names of what this system's process group gives."""
        return ["process-group-kill", *(["orphan-reaper"] if sys.platform == "linux" else [])]

    def end(self) -> None:
        """Kill the group and whatever escaped from it; returns when none of it is left."""
        if self.process.pid not in _live:
            return
        _kill_group(self.process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):  # what traces a process hides its end, until it is swept
            self.process.wait(HIDDEN_SECONDS)
        with _lock:
            _sweep(self._before | _live - {self.process.pid})
            self.process.wait()
            _live.discard(self.process.pid)  # last: an end that is interrupted can be asked for again
            if not _live:
                _adopt_orphans(False)


def _start(command: Sequence[str], environment: Mapping[str, str], folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
        start_new_session=True,
    )


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that a process and its threads have used, or None where this system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        fields = _stat(pid)
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int | None:
    """Memory of a process that is really there, shared mappings included; None where this system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        pages = _resident_pages(Path("/proc", str(pid)))
        if not pages:  # where the first thread has ended, only the others tell
            pages = max(map(_resident_pages, Path(f"/proc/{pid}/task").iterdir()))
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def thread_count(pid: int) -> int:
    """How many threads a process has; 0 where this system does not tell."""
    if sys.platform != "linux":
        return 0
    try:
        return int(_stat(pid)[17])
    except OSError:
        return 0


def _resident_pages(folder: Path) -> int:
    """Memory of a process or thread, by its folder in /proc."""
    return int((folder / "statm").read_text().split()[1])


def _kill_group(pid: int) -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
        return
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # the group is gone; macOS says EPERM when only zombies are left
        return


def _stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat from `state` (the third) on."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """Linux: id, parent, group and session of each process, looked up one by one in the order of their ids."""
    if sys.platform != "linux":
        return
    for pid in sorted(int(entry) for entry in os.listdir("/proc") if entry.isdigit()):
        try:
            _, parent, group, session, *_ = _stat(pid)
        except (OSError, ValueError):
            continue
        yield pid, int(parent), int(group), int(session)


def _children() -> set[int]:
    """Children of the judge in another session than its own: groups, and orphans that it has adopted."""
    own = os.getpid(), os.getsid(0) if sys.platform == "linux" else 0
    return {pid for pid, parent, _, session in _processes() if parent == own[0] and session != own[1]}


def _stop_strays(spared: set[int], stopped: set[int]) -> set[int]:
    """Stop adopted orphans and all that descends from them, as they are found; gives all of them."""
    strays: set[int] = set()
    own = os.getpid(), os.getsid(0) if sys.platform == "linux" else 0
    for pid, parent, group, session in _processes():
        if pid not in spared and (parent in strays or (parent == own[0] and session != own[1])):
            strays.add(pid)
            if pid not in stopped:
                _send(pid, signal.SIGSTOP)
                if group > 1 and group not in spared:  # what was forked since then is often in the same group
                    _send(-group, signal.SIGSTOP)
    return strays


def _sweep(spared: set[int]) -> None:
    """Kill strays until none is left.  First all of them are stopped, so that none forks away from its own death."""
    end = time.monotonic() + SWEEP_SECONDS
    stopped: set[int] = set()
    while (strays := _stop_strays(spared, stopped)) and time.monotonic() < end:
        if strays <= stopped:
            for pid in strays:
                _send(pid, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.001)
        stopped = strays
    for pid in strays:
        _send(pid, signal.SIGKILL)


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _adopt_orphans(wanted: bool) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)
