"""The judge's end of the wire: starts the child, asks it one thing at a time, and stops it when its time is up."""

import contextlib
import queue
import secrets
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Literal, Protocol, Self

from practice.grader.isolate import spare
from practice.grader.isolate.clock import Clock
from practice.grader.isolate.forking import Forked, NotStarted, can_fork
from practice.grader.isolate.group import cpu_seconds, resident_bytes, thread_count
from practice.grader.isolate.leaving import PoliteEnd
from practice.grader.isolate.wire import BODY_LIMIT, Frame, read_frame, write_frame

READY_SECONDS = 60.0
POLL_SECONDS = 0.02
GRACE_SECONDS = 0.5
LEAVE_SECONDS = 0.1
PRINTED_LIMIT = 64 << 10
RECEIVED_LIMIT = 4 * BODY_LIMIT
THREADS_LIMIT = 256
REASONS: Mapping[int, Literal["time", "policy"]] = (
    {-signal.SIGXCPU: "time", -signal.SIGSYS: "policy"} if sys.platform != "win32" else {}
)


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

    reason: Literal["time", "memory", "policy", "crash"]
    detail: str = ""


class Worker(Protocol):
    """A process for one answer: forked by the zygote, or a spare one."""

    pid: int
    layers: list[str]
    requests: IO[bytes]
    replies: IO[bytes]
    errors: IO[bytes]

    def start(self, seconds: float) -> None: ...

    def wait(self, seconds: float) -> int | None: ...

    def end(self) -> None: ...

    def close(self) -> None: ...


class Child:
    """A process for one answer.  A context manager: leaving it leaves no process, pipe or file behind.

    ``portable`` does without what only Linux has, as on other systems. A spare process dies with the thread that
    started it: enter and leave it on one thread.
    """

    def __init__(self, limits: Limits, portable: bool = False) -> None:
        self._limits = limits
        self._cpu_end = self._memory_end = float("inf")
        self._stopped: Stopped | None = None
        self._printed = bytearray()
        self._asked: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._told: queue.SimpleQueue[Frame | Stopped] = queue.SimpleQueue()
        self._received_bytes = 0  # the verifier keeps every reply until the end
        self.printed_bytes = 0
        with contextlib.ExitStack() as cleaning:  # what is begun is undone, in here or in __exit__
            self._end = PoliteEnd()
            cleaning.callback(self._end.restore)
            self._worker: Worker = Forked() if can_fork() and not portable else spare.take()
            cleaning.callback(self._worker.close)
            self._drain = threading.Thread(target=self._keep_printed, args=(self._worker.errors,), daemon=True)
            self._drain.start()
            threading.Thread(target=self._exchange, daemon=True).start()
            cleaning.callback(self._finish)
            self._cleaning = cleaning.pop_all()
        self.layers = ["process", "data-only-wire", "wall-clock", "clean-environment", "closed-descriptors"]
        self.layers += self._worker.layers

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
        """Wait until the child has set its limits; its clocks start here.  Raises NotStarted."""
        self._worker.start(READY_SECONDS)
        limits = {"cpu_seconds": self._limits.cpu_seconds, "memory_bytes": self._limits.memory_bytes}
        frame = self._ask(Frame(limits), Clock(self._worker.pid, READY_SECONDS, READY_SECONDS))
        if not isinstance(frame, Frame) or frame.header.get("kind") != "ready":
            self._worker.end()
            self._drain.join(GRACE_SECONDS)
            raise NotStarted(f"the process for the answer did not start ({frame}): {self.printed[-2000:]}")
        self.layers += frame.header["layers"]
        if isinstance(self._worker, Forked) and "seccomp" not in frame.header["layers"]:
            raise NotStarted("this system refuses the filter of system calls that a forked process stands on")
        self._clock = Clock(self._worker.pid, self._limits.wall_seconds, self._limits.longest_seconds)
        used, resident = cpu_seconds(self._worker.pid), resident_bytes(self._worker.pid)
        if used is not None and resident is not None:
            self._cpu_end = used + self._limits.cpu_seconds
            self._memory_end = resident + self._limits.memory_bytes
            self.layers += ["cpu-clock", "memory-watchdog", "thread-watchdog"]

    def ask(self, header: Mapping[str, Any], body: bytes = b"") -> Frame | Stopped:
        """Send one request and wait for its reply within what is left of the limits.

        After a `Stopped` every further question gets the same answer.
        """
        if self._stopped:
            return self._stopped
        token = secrets.token_hex(8)
        reply = self._ask(Frame({**header, "token": token}, body), self._clock)
        if isinstance(reply, Frame) and reply.header.get("token") != token:
            reply = Stopped("crash", "a reply that nobody asked for")
        if isinstance(reply, Frame):
            self._received_bytes += len(reply.body)
            if self._received_bytes > RECEIVED_LIMIT:
                reply = Stopped("memory", f"replies of more than {RECEIVED_LIMIT >> 20} MiB in all")
        if isinstance(reply, Stopped):
            return self.stop(reply)
        return reply

    def stop(self, why: Stopped) -> Stopped:
        """End the child now."""
        self._stopped = why
        self._worker.end()
        return why

    def _exchange(self) -> None:
        """Write and read on a thread of its own: a child that neither reads nor writes must not block the judge."""
        while request := self._asked.get():
            try:
                write_frame(self._worker.requests, request)
                self._told.put(read_frame(self._worker.replies) or Stopped("crash", "the wire is closed"))
            except (OSError, ValueError) as error:
                self._told.put(Stopped("crash", str(error)))

    def _ask(self, request: Frame, clock: Clock) -> Frame | Stopped:
        self._asked.put(request)
        clock.resume()
        while True:
            ended = self._worker.wait(0) is not None  # asked first: what it still said is in the queue by then
            reply: Frame | Stopped | None = Stopped("crash") if ended else None
            with contextlib.suppress(queue.Empty):
                reply = self._told.get(timeout=POLL_SECONDS)
            if reply is not None:
                clock.stop()
                return self._how_it_ended(reply) if isinstance(reply, Stopped) else reply
            clock.tick()
            if clock.is_over or (cpu_seconds(self._worker.pid) or 0.0) > self._cpu_end:
                return Stopped("time")
            if (resident_bytes(self._worker.pid) or 0) > self._memory_end:
                return Stopped("memory", "memory watchdog")
            if thread_count(self._worker.pid) > THREADS_LIMIT:
                return Stopped("policy", f"more than {THREADS_LIMIT} threads")

    def _how_it_ended(self, seen: Stopped) -> Stopped:
        """The process's own end, where it has ended; else what was seen on the wire."""
        status = self._worker.wait(GRACE_SECONDS)
        if status is None:
            return seen
        if status in REASONS:
            return Stopped(REASONS[status], _signal_name(-status))
        return Stopped("crash", _signal_name(-status) if status < 0 else f"exit status {status}")

    def _finish(self) -> None:
        """Wait for the end of what was printed: a child with nothing left to do leaves by itself, others are killed."""
        self._asked.put(None)
        self._worker.requests.close()
        self._drain.join(0 if self._stopped else LEAVE_SECONDS)
        if self._drain.is_alive():
            self._worker.end()
            self._drain.join(GRACE_SECONDS)

    def _keep_printed(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError):  # closed under this thread, where the end of the stream never came
            while chunk := stream.read(1 << 16):
                self.printed_bytes += len(chunk)
                self._printed += chunk[: PRINTED_LIMIT - len(self._printed)]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"
