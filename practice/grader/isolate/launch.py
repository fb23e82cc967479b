"""The judge's end of the wire: starts the child, asks it one thing at a time, and stops it when its time is up."""

import contextlib
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, Self

from practice.grader.isolate.group import ProcessGroup, cpu_seconds
from practice.grader.isolate.wire import Frame, read_frame, write_frame

CHILD = Path(__file__).with_name("child.py")
READY_SECONDS = 60.0
POLL_SECONDS = 0.02
GRACE_SECONDS = 0.5
PRINTED_LIMIT = 64 << 10


@dataclass(frozen=True)
class Limits:
    """What an answer may use in all, from the moment the child is ready: CPU seconds, then bytes of memory."""

    cpu_seconds: float
    memory_bytes: int = 1 << 30

    @property
    def wall_seconds(self) -> float:
        """The backstop for what sleeps: twice the CPU limit, so that a busy machine does not turn slow into wrong."""
        return 2 * self.cpu_seconds


@dataclass(frozen=True)
class Stopped:
    """Why the child will not reply any more, and the detail: an exit status, a signal, what was wrong on the wire."""

    reason: Literal["time", "crash"]
    detail: str = ""


class NotStarted(RuntimeError):
    """The child did not get ready: nothing of the learner's has run, the fault is the judge's."""


class Child:
    """A process for one answer.  A context manager: leaving it leaves no process, pipe or file behind.

    Enter and leave it on one thread: on Linux the child dies with the thread that started it.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._wall_left = limits.wall_seconds
        self._cpu_end = float("inf")
        self._stopped: Stopped | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix="answer-", ignore_cleanup_errors=True)
        command = [sys.executable, "-I", "-X", "utf8", "-X", "faulthandler", str(CHILD)]
        command += [str(os.getpid()), str(limits.cpu_seconds), str(limits.memory_bytes)]
        self._group = ProcessGroup(command, _environment(self._scratch.name), self._scratch.name)
        self._process = self._group.process
        self._requests, self._replies, self._errors = self._group.pipes
        self._printed = bytearray()
        self.printed_bytes = 0
        self._drain = threading.Thread(target=self._keep_printed, args=(self._errors,), daemon=True)
        self._drain.start()
        self.layers = ["process", "data-only-wire", "wall-clock", "clean-environment", "scratch-directory"]
        self.layers += ["closed-descriptors", *self._group.layers]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._group.end()
        self._drain.join(GRACE_SECONDS)
        for pipe in (self._requests, self._replies, self._errors):
            pipe.close()
        self._scratch.cleanup()

    @property
    def printed(self) -> str:
        """The beginning of what the answer printed; whole only once the child has ended."""
        return bytes(self._printed).decode(errors="replace")

    def wait_until_ready(self) -> None:
        """Wait until the child has imported torch and set its limits; its clocks start here.  Raises NotStarted."""
        replies = self._exchange(None)
        frame = self._wait(replies, READY_SECONDS)
        if not isinstance(frame, Frame) or frame.header.get("kind") != "ready":
            self._group.end()
            self._drain.join(GRACE_SECONDS)
            raise NotStarted(f"the process for the answer did not start ({frame}): {self.printed[-2000:]}")
        self.layers += frame.header["layers"]
        used = cpu_seconds(self._process.pid)
        if used is not None:
            self._cpu_end = used + self._limits.cpu_seconds
            self.layers.append("cpu-clock")

    def ask(self, header: Mapping[str, Any], body: bytes = b"") -> Frame | Stopped:
        """Send one request and wait for its reply within what is left of the limits.

        After a `Stopped` every further question gets the same answer.
        """
        if self._stopped:
            return self._stopped
        token = secrets.token_hex(8)
        started = time.monotonic()
        reply = self._wait(self._exchange(Frame({**header, "token": token}, body)), self._wall_left)
        self._wall_left -= time.monotonic() - started
        if isinstance(reply, Frame) and reply.header.get("token") != token:
            reply = Stopped("crash", "a reply that nobody asked for")
        if isinstance(reply, Stopped):
            return self.stop(reply)
        return reply

    def stop(self, why: Stopped) -> Stopped:
        """End the child now."""
        self._stopped = why
        self._group.end()
        return why

    def _exchange(self, request: Frame | None) -> "queue.SimpleQueue[Frame | Stopped]":
        """Write and read on a thread of their own: a child that neither reads nor writes must not block the judge."""
        replies: queue.SimpleQueue[Frame | Stopped] = queue.SimpleQueue()

        def work() -> None:
            try:
                if request:
                    write_frame(self._requests, request)
                replies.put(read_frame(self._replies) or Stopped("crash", "the wire is closed"))
            except (OSError, ValueError) as error:
                replies.put(Stopped("crash", str(error)))

        threading.Thread(target=work, daemon=True).start()
        return replies

    def _wait(self, replies: "queue.SimpleQueue[Frame | Stopped]", seconds: float) -> Frame | Stopped:
        end = time.monotonic() + seconds
        while True:
            ended = self._process.poll() is not None  # asked first: what it still said is in the queue by then
            with contextlib.suppress(queue.Empty):
                reply = replies.get(timeout=POLL_SECONDS)
                return self._how_it_ended(reply) if isinstance(reply, Stopped) else reply
            if ended:
                return self._how_it_ended(Stopped("crash"))
            if time.monotonic() > end or (cpu_seconds(self._process.pid) or 0.0) > self._cpu_end:
                return Stopped("time")

    def _how_it_ended(self, seen: Stopped) -> Stopped:
        """The process's own end, where it has ended; else what was seen on the wire."""
        try:
            status = self._process.wait(timeout=GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return seen
        if sys.platform != "win32" and status == -signal.SIGXCPU:
            return Stopped("time")
        return Stopped("crash", _signal_name(-status) if status < 0 else f"exit status {status}")

    def _keep_printed(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError):  # closed under this thread, where the end of the stream never came
            while chunk := stream.read(1 << 16):
                self.printed_bytes += len(chunk)
                self._printed += chunk[: PRINTED_LIMIT - len(self._printed)]


def _environment(scratch: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    homes = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), scratch)
    return {**kept, **threads, **homes, "PATH": os.defpath, "LANG": "C.UTF-8"}


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
