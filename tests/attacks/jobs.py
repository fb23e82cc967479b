"""What is graded in which way."""

import importlib
import os
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
STAYING = Way("staying")
PORTABLE = Way("portable", portable=True)
WRAPPED = Way("bubblewrap", bubblewrap=True)
NOBODYS = (Way("nobody", user=NOBODY), Way("wrapped nobody", user=NOBODY, bubblewrap=True))
HAVE_BUBBLEWRAP = shutil.which("bwrap") is not None
WAYS = [
    way
    for way in (COMMAND, STAYING, PORTABLE, WRAPPED, *NOBODYS)
    if (way.user is None or can_become_nobody()) and (HAVE_BUBBLEWRAP or not way.bubblewrap)
]
WRAPPED_KINDS = ("looks_for_the_answer", "reaches_out", "strikes")
SYSTEM_KINDS = (*WRAPPED_KINDS, "eats_the_machine", "forges_the_wire")
SAMPLES = {COMMAND: 3, PORTABLE: 3}  # of each kind, where each grading is a start of Python and torch
SOAK = os.environ.get("SOAK") == "1"


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
    """Every attack by a judge that stays, and what the other ways are to hold; all of it in all ways where SOAK=1."""
    for way in WAYS:
        for kind, attacks in KINDS.items():
            names = [name for name, attack in attacks.items() if attack.portable or not way.portable]
            tried = WRAPPED_KINDS if way.bubblewrap else SYSTEM_KINDS if way.user is not None else KINDS
            if not SOAK and kind not in tried:
                continue
            step = 1 if SOAK else -(-len(names) // SAMPLES.get(way, len(names) or 1))
            yield from (Job(way, kind, name) for name in names[:: max(1, step)])
