"""The child's process group: started apart from the judge, and ended with everything that it left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, cast

PR_SET_CHILD_SUBREAPER = 36
SWEEP_SECONDS = 2.0

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
            self._before = _children()
            self.process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
            _live.add(self.process.pid)

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """The judge's ends of the process's stdin, stdout and stderr."""
        ends = self.process.stdin, self.process.stdout, self.process.stderr
        return cast(tuple[IO[bytes], IO[bytes], IO[bytes]], ends)

    @property
    def layers(self) -> list[str]:
        """Names of what this system's process group gives."""
        return ["process-group-kill", *(["orphan-reaper"] if sys.platform == "linux" else [])]

    def end(self) -> None:
        """Kill the group and whatever escaped from it; returns when none of it is left."""
        if self.process.pid not in _live:
            return
        _kill_group(self.process.pid)
        self.process.wait()
        with _lock:
            _live.discard(self.process.pid)
            _sweep(self._before)
            if not _live:
                _adopt_orphans(False)


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that a process and its threads have used, or None where this system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        fields = _stat(pid)
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


def _children() -> set[int]:
    """Children of the judge in another session than its own: groups, and orphans that it has adopted."""
    if sys.platform != "linux":
        return set()
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                _, parent, _, session, *_ = _stat(int(entry))
            except (OSError, ValueError):
                continue
            if int(parent) == os.getpid() and int(session) != os.getsid(0):
                found.add(int(entry))
    return found


def _sweep(before: set[int]) -> None:
    """Kill adopted orphans until none is left; each death may hand over children of its own."""
    end = time.monotonic() + SWEEP_SECONDS
    while (strays := _children() - before - _live) and time.monotonic() < end:
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
            except (ProcessLookupError, ChildProcessError):
                continue
        time.sleep(0.001)


def _adopt_orphans(wanted: bool) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)
