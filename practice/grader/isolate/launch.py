"""The judge's end of the wire: starts the child, asks it one thing at a time, and stops it when its time is up."""

import contextlib
import importlib.util
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, Self

from practice.grader.isolate.clock import Clock
from practice.grader.isolate.group import ProcessGroup, cpu_seconds
from practice.grader.isolate.leaving import PoliteEnd, remove_folder
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
        """The backstop for what sleeps: twice the CPU limit; waits for a processor, where known, are not counted."""
        return 2 * self.cpu_seconds

    @property
    def longest_seconds(self) -> float:
        """The end of it all, however busy the machine is."""
        return 10 * self.cpu_seconds


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
        self._cpu_end = float("inf")
        self._stopped: Stopped | None = None
        self._printed = bytearray()
        self.printed_bytes = 0
        with contextlib.ExitStack() as cleaning:  # what is begun is undone, in here or in __exit__
            self._end = PoliteEnd()
            cleaning.callback(self._end.restore)
            scratch = tempfile.mkdtemp(prefix="answer-")
            cleaning.callback(remove_folder, scratch)
            self._group = ProcessGroup(self._command(), _environment(scratch), scratch)
            cleaning.callback(self._finish)
            self._process = self._group.process
            self._requests, self._replies, self._errors = self._group.pipes
            self._drain = threading.Thread(target=self._keep_printed, args=(self._errors,), daemon=True)
            self._drain.start()
            self._cleaning = cleaning.pop_all()
        self._clock = Clock(self._process.pid, limits.wall_seconds, limits.longest_seconds)
        self.layers = ["process", "data-only-wire", "wall-clock", "clean-environment", "scratch-directory"]
        self.layers += ["closed-descriptors", *self._group.layers]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end.hold()
        with contextlib.suppress(Exception):  # what cannot be cleaned up is no reason to lose the results
            self._cleaning.close()

    @property
    def printed(self) -> str:
        """The beginning of what the answer printed; whole only once the child has ended."""
        return bytes(self._printed).decode(errors="replace")

    def wait_until_ready(self) -> None:
        """Wait until the child has imported torch and set its limits; its clocks start here.  Raises NotStarted."""
        replies = self._exchange(None)
        frame = self._wait(replies, Clock(self._process.pid, READY_SECONDS, READY_SECONDS))
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
        reply = self._wait(self._exchange(Frame({**header, "token": token}, body)), self._clock)
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

    def _wait(self, replies: "queue.SimpleQueue[Frame | Stopped]", clock: Clock) -> Frame | Stopped:
        clock.resume()
        while True:
            ended = self._process.poll() is not None  # asked first: what it still said is in the queue by then
            reply: Frame | Stopped | None = Stopped("crash") if ended else None
            with contextlib.suppress(queue.Empty):
                reply = replies.get(timeout=POLL_SECONDS)
            clock.tick()
            if reply is not None:
                return self._how_it_ended(reply) if isinstance(reply, Stopped) else reply
            if clock.is_over or (cpu_seconds(self._process.pid) or 0.0) > self._cpu_end:
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

    def _command(self) -> list[str]:
        python = [sys.executable, "-I", "-X", "utf8", "-X", "faulthandler"]
        limits = [str(self._limits.cpu_seconds), str(self._limits.memory_bytes)]
        return [*python, str(CHILD), str(os.getpid()), *limits, _torch_folder()]

    def _finish(self) -> None:
        """Leave no process of the answer's, and no pipe to one."""
        try:
            self._group.end()
            if self._drain.is_alive():
                self._drain.join(GRACE_SECONDS)
        finally:
            for pipe in self._group.pipes:
                pipe.close()

    def _keep_printed(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError):  # closed under this thread, where the end of the stream never came
            while chunk := stream.read(1 << 16):
                self.printed_bytes += len(chunk)
                self._printed += chunk[: PRINTED_LIMIT - len(self._printed)]


def _torch_folder() -> str:
    """Where the judge's own torch is found; nothing of it is imported."""
    spec = importlib.util.find_spec("torch")
    return str(Path(spec.origin).absolute().parents[1]) if spec and spec.origin else ""


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
