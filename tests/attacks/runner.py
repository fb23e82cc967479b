"""Runs attacks: each through the real command; and in other ways, by judges that grade many."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks.nobody import NOBODY, as_nobody
from attacks.world import World

DRIVER = Path(__file__).with_name("driver.py")
SECONDS = 120.0


@dataclass(frozen=True)
class Way:
    """One way to grade: by the `command` itself or by a judge that stays, as which user, with or without bubblewrap."""

    name: str
    command: bool = False
    user: int | None = None
    bubblewrap: bool = False
    portable: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of one command."""

    status: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON object on stdout."""
        report: dict[str, Any] = json.loads(self.out)
        return report


class Runner:
    """Two commands at a time; `worlds` by user."""

    def __init__(self, worlds: dict[int | None, World]) -> None:
        self._worlds = worlds
        self._pool = ThreadPoolExecutor(2)
        self._lock = threading.Lock()
        self._idle: dict[Way, list[subprocess.Popen[bytes]]] = {}
        self._drivers: list[subprocess.Popen[bytes]] = []

    def submit(self, way: Way, *arguments: str) -> "Future[Outcome]":
        """Ask for one command of the judge."""
        words = [*arguments, "--portable"] if way.portable else [*arguments]
        return self._pool.submit(self.run_command if way.command else self._ask_driver, way, words)

    def close(self) -> None:
        """Wait for what runs, forget what waits, end the judges that stay."""
        self._pool.shutdown(cancel_futures=True)
        for driver in self._drivers:
            assert driver.stdin
            driver.stdin.close()
        for driver in self._drivers:
            driver.wait(SECONDS)
            assert driver.stdout
            driver.stdout.close()

    def run_command(self, way: Way, words: Sequence[str]) -> Outcome:
        """Run one command of the judge now, in a process of its own."""
        process = self._start(way, [str(self._worlds[way.user].door), *words], stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        return Outcome(process.returncode, out.decode(), err.decode())

    def _ask_driver(self, way: Way, words: Sequence[str]) -> Outcome:
        with self._lock:
            idle = self._idle.setdefault(way, [])
            driver = idle.pop() if idle else self._start_driver(way)
        assert driver.stdin
        assert driver.stdout
        timer = threading.Timer(SECONDS, driver.kill)
        timer.start()
        driver.stdin.write(json.dumps(words).encode() + b"\n")
        driver.stdin.flush()
        line = driver.stdout.readline()
        timer.cancel()
        assert line, f"the judge has ended, exit status {driver.wait()}"
        idle.append(driver)
        return Outcome(*json.loads(line))

    def _start_driver(self, way: Way) -> "subprocess.Popen[bytes]":
        driver = self._start(way, [str(DRIVER), str(self._worlds[way.user].inside)], stdin=subprocess.PIPE)
        self._drivers.append(driver)
        return driver

    def _start(self, way: Way, words: Sequence[str], **pipes: int) -> "subprocess.Popen[bytes]":
        path = os.environ["PATH"] if way.bubblewrap else str(self._worlds[way.user].outside)
        world = self._worlds[way.user]
        become = as_nobody(world.outside / "aside") if way.user == NOBODY else []
        return subprocess.Popen(
            [*become, sys.executable, *words],
            stdout=subprocess.PIPE,
            env=world.environment(path),
            cwd=world.inside,
            start_new_session=True,
            **pipes,
        )
