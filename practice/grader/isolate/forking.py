"""The judge's side of the zygote: starts it once, asks it for children, and ends them."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

from practice.grader.isolate import bubblewrap, seccomp
from practice.grader.isolate.python import clean_environment, command

SCRIPT = Path(__file__).with_name("zygote.py")
END_SECONDS = 5.0
TOLD_LIMIT = 64

_lock = threading.Lock()
_zygote: "Zygote | None" = None


class NotStarted(RuntimeError):
    """The process for an answer did not get ready: nothing of the learner's has run, the fault is the judge's."""


class Zygote:
    """The one zygote of this process. It ends by itself when this process does, however that happens."""

    def __init__(self) -> None:
        wrapped = bubblewrap.prefix()
        self.layers = ["bubblewrap"] if wrapped else []
        with contextlib.ExitStack() as undo:
            self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            undo.callback(self._control.close)
            self._said = undo.enter_context(tempfile.TemporaryFile())
            scratch = bubblewrap.SCRATCH if wrapped else tempfile.mkdtemp(prefix="answer-")
            if not wrapped:
                undo.callback(os.rmdir, scratch)
            with theirs:
                self._process = subprocess.Popen(
                    [*wrapped, *command(SCRIPT, str(theirs.fileno()))],
                    stdin=subprocess.DEVNULL,
                    stdout=self._said,
                    stderr=self._said,
                    env=clean_environment(scratch),
                    cwd=None if wrapped else scratch,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            undo.pop_all()  # from here on the zygote itself removes the folder, when it ends

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def said(self) -> str:
        """The end of what it wrote: why it could not start."""
        self._said.seek(0)
        return self._said.read().decode(errors="replace")[-2000:]

    def fork(self, descriptors: list[int]) -> None:
        """Ask for a child on these descriptors. Raises NotStarted where the zygote is gone."""
        try:
            socket.send_fds(self._control, [b"fork"], descriptors)
        except OSError as error:
            raise NotStarted(f"the process that starts answers has ended: {self.said}") from error

    def close(self) -> None:
        """End it, and its children."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._said.close()


def zygote() -> Zygote:
    """The zygote, started where there is none."""
    global _zygote
    with _lock:
        if _zygote is None or not _zygote.alive:
            _zygote = Zygote()
        return _zygote


def end_zygote() -> None:
    """End the zygote where there is one; the next answer starts another."""
    global _zygote
    with _lock:
        if _zygote is not None:
            _zygote.close()
        _zygote = None


def can_fork() -> bool:
    """Whether this system has what the zygote stands on: forking that is safe, process descriptors, a known CPU."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open") and os.uname().machine in seccomp.ARCHITECTURES


class Forked:
    """A child of the zygote, and the judge's ends of its pipes. It cannot start a process: ending it ends all."""

    def __init__(self) -> None:
        self._zygote = zygote()
        self.layers = ["zygote", *self._zygote.layers]
        pipes = [os.pipe() for _ in range(3)]
        self._told, theirs = socket.socketpair()
        (requests, to_child), (from_child, replies), (printed, errors) = pipes
        self.requests: IO[bytes] = os.fdopen(to_child, "wb", buffering=0)
        self.replies: IO[bytes] = os.fdopen(from_child, "rb", buffering=0)
        self.errors: IO[bytes] = os.fdopen(printed, "rb", buffering=0)
        self.pid = 0
        self._process = -1
        self._status: int | None = None
        try:
            self._zygote.fork([requests, replies, errors, theirs.fileno()])
        except NotStarted:
            self.close()
            raise
        finally:
            theirs.close()
            for descriptor in (requests, replies, errors):
                os.close(descriptor)

    def start(self, seconds: float) -> None:
        """Wait until the child is there. Raises NotStarted."""
        self._told.settimeout(seconds)
        try:
            message, descriptors, _, _ = socket.recv_fds(self._told, TOLD_LIMIT, 1)
        except OSError as error:
            raise NotStarted(f"no child after {seconds:g} s: {self._zygote.said}") from error
        if not message:
            raise NotStarted(f"the process that starts answers has ended: {self._zygote.said}")
        (self._process,) = descriptors
        info = Path(f"/proc/self/fdinfo/{self._process}").read_text()
        self.pid = int(info.split("Pid:")[1].split()[0])

    def wait(self, seconds: float) -> int | None:
        """How the child ended (minus the signal that ended it), or None where it runs on."""
        if self._status is None and self._process >= 0:
            self._told.settimeout(seconds)  # 0: without waiting
            try:
                told = self._told.recv(TOLD_LIMIT)
                self._status = int(told) if told else -signal.SIGKILL
            except (TimeoutError, BlockingIOError):
                return None
            except (OSError, ValueError):
                self._status = -signal.SIGKILL
        return self._status

    def end(self) -> None:
        """Kill the child; returns when it is gone."""
        if self._process < 0 or self._status is not None:
            return
        self._kill()
        if self.wait(END_SECONDS) is None:
            select.select([self._process], [], [], END_SECONDS)
            self._status = -signal.SIGKILL

    def close(self) -> None:
        """Kill the child, if it is there still, without waiting for it, and give back every descriptor."""
        for pipe in (self._told, self.requests, self.replies, self.errors):
            pipe.close()
        if self._process >= 0:
            self._kill()
            os.close(self._process)
            self._process = -1

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._process, signal.SIGKILL)
