"""What is graded in which way."""

import importlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from attacks.attack import Attack, Attacks
from attacks.nobody import NOBODY, can_become_nobody
from attacks.runner import Way

KINDS: dict[str, Attacks] = {
    path.stem: importlib.import_module(f"attacks.kinds.{path.stem}").ATTACKS
    for path in sorted((Path(__file__).parent / "kinds").glob("*.py"))
}
COMMAND = Way("command", command=True)
PORTABLE = Way("portable", portable=True)
WRAPPED = Way("bubblewrap", bubblewrap=True)
ORDINARY = [Way("nobody", user=NOBODY), Way("nobody, bubblewrap", user=NOBODY, bubblewrap=True)]
HAVE_BUBBLEWRAP = shutil.which("bwrap") is not None
WAYS = [
    way
    for way in (COMMAND, PORTABLE, WRAPPED, *ORDINARY)
    if (way.user is None or can_become_nobody()) and (HAVE_BUBBLEWRAP or not way.bubblewrap)
]
WITH_BUBBLEWRAP = ("strikes", "looks_for_the_answer", "reaches_out")


@dataclass(frozen=True)
class Job:
    """One attack, graded in one way."""

    way: Way
    kind: str
    name: str

    @property
    def attack(self) -> Attack:
        return KINDS[self.kind][self.name]

    def __str__(self) -> str:
        return f"{self.way.name}-{self.kind}-{self.name}"


def jobs() -> Iterator[Job]:
    """Every attack by the real command; in other ways what they are to hold."""
    for way in WAYS:
        for kind, attacks in KINDS.items():
            if way.bubblewrap and kind not in WITH_BUBBLEWRAP:
                continue
            yield from (Job(way, kind, name) for name in attacks if attacks[name].portable or not way.portable)
