"""The attacks that were collected, graded two at a time while the tests look at one after another."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack

import pytest
from attacks.jobs import KINDS, WAYS, Job
from attacks.runner import Outcome, Runner
from attacks.world import World

Ask = Callable[..., "Future[Outcome]"]


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
        opened.callback(self._runner.close)
        self.graded: dict[Job, Future[Outcome]] = {}

    def grade(self, job: Job, *options: str) -> "Future[Outcome]":
        """Grade an attack."""
        file = self._files[job.way.user, job.kind, job.name]
        return self._runner.submit(job.way, "run", job.attack.exercise, file, *options)


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
