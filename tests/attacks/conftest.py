"""The attacks that were collected, graded two at a time while the tests look at one after another."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from attacks.jobs import KINDS, WAYS, Job
from attacks.runner import Outcome, Runner
from attacks.world import World

SECONDS = 20.0


class Arena:
    """The worlds, sealed with all submissions in them, and what runs there."""

    def __init__(self, opened: ExitStack) -> None:
        self.worlds = {user: opened.enter_context(World(user)) for user in {way.user for way in WAYS}}
        self._files = {
            (user, kind, name): str(world.submit(f"{kind} {name}", attack))
            for user, world in self.worlds.items()
            for kind, attacks in KINDS.items()
            for name, attack in attacks.items()
        }
        for world in self.worlds.values():
            world.seal()
        self._runner = Runner(self.worlds)
        opened.callback(self._close)
        self.graded: dict[Job, Future[Outcome]] = {}

    def grade(self, job: Job, *options: str) -> "Future[Outcome]":
        """Grade an attack, as soon as fewer than two others are being graded."""
        return self._runner.submit(job.way, "run", job.attack.exercise, self._file(job), *options)

    def grade_together(self, *jobs: Job) -> list[Outcome]:
        """Grade attacks all at once, each by a command of its own."""
        with ThreadPoolExecutor(len(jobs)) as pool:
            words = [("run", job.attack.exercise, self._file(job), "--json") for job in jobs]
            return list(pool.map(self._runner.run_command, [job.way for job in jobs], words))

    def _file(self, job: Job) -> str:
        return self._files[job.way.user, job.kind, job.name]

    def _close(self) -> None:
        """End the judges; then nothing of theirs may run, or have changed."""
        self._runner.close()
        end = time.monotonic() + SECONDS
        while (left := [pid for world in self.worlds.values() for pid in world.processes()]) and time.monotonic() < end:
            time.sleep(0.05)
        assert left == []
        assert [change for world in self.worlds.values() for change in world.changes()] == []


@pytest.fixture(scope="session")
def arena(request: pytest.FixtureRequest) -> Iterator[Arena]:
    """Everything that was collected is being graded, in the order of the tests."""
    with ExitStack() as opened:
        arena = Arena(opened)
        for item in request.session.items:
            job = item.callspec.params.get("job") if hasattr(item, "callspec") else None
            if job:
                arena.graded[job] = arena.grade(job, "--json")
        yield arena
