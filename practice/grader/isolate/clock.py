"""The wall clock of an answer: counts neither the judge's own pauses nor the wait for a busy machine's processors."""

import time
from pathlib import Path

STEP_LIMIT = 0.1


class Clock:
    """Counts only while the judge looks: `seconds` of waiting in all, and `idle` without the wait for a processor.

    Only Linux tells how long a process waited for a processor; elsewhere the two are the same.
    """

    def __init__(self, pid: int, idle_limit: float, limit: float) -> None:
        self._pid, self._idle_limit, self._limit = pid, idle_limit, limit
        self.seconds = self.idle = 0.0
        self._last = 0.0
        self._last_delay: float | None = None

    def resume(self) -> None:
        """Count from now.  What the process waits for a processor is known from the first tick on."""
        self._last, self._last_delay = time.monotonic(), None

    def tick(self) -> None:
        """Count what has passed since the last look; a step too long to be one of the judge's is a pause of its own."""
        delay = _run_delay(self._pid)
        self._count(0.0 if self._last_delay is None else max(0.0, delay - self._last_delay))
        self._last_delay = delay

    def stop(self) -> None:
        """Count what has passed since the last look, for the last time before another `resume`."""
        self._count(0.0)

    def _count(self, delayed: float) -> None:
        now = time.monotonic()
        step = min(now - self._last, STEP_LIMIT)
        self.seconds += step
        self.idle += max(0.0, step - delayed)
        self._last = now

    @property
    def is_over(self) -> bool:
        """Whether one of the two limits is passed."""
        return self.idle > self._idle_limit or self.seconds > self._limit


def _run_delay(pid: int) -> float:
    """Seconds that the process was ready to run and another one ran; 0 where this system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
