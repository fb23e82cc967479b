"""What a proof of an exercise found, as plain data: `lint` writes it, `tell` turns it into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from practice.grader.report import CaseResult


@dataclass(frozen=True)
class Flaw:
    """What is wrong: `flaw_<key>` of the message tables, the facts of its sentence, and the test that showed it."""

    key: str
    fields: Mapping[str, object] = field(default_factory=dict)
    shown_by: CaseResult | None = None


@dataclass(frozen=True)
class Check:
    """One thing that an exercise must prove (`check_<key>` of the message tables), and what speaks against it."""

    key: str
    flaws: tuple[Flaw, ...]


@dataclass(frozen=True)
class Survivor:
    """A mutation of the reference that the cases let pass; `reason` is what the card says about it, or empty."""

    line: int
    before: str
    after: str
    reason: str

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"

    @property
    def is_equivalent(self) -> bool:
        """Whether the mutated reference is right too, so that no case could tell."""
        return self.reason.startswith("equivalent")


@dataclass(frozen=True)
class Score:
    """The mutation score of a reference; `mutations` counts all, equivalent ones included."""

    mutations: int
    survivors: tuple[Survivor, ...]

    @property
    def total(self) -> int:
        """Mutations that could be killed."""
        return self.mutations - sum(survivor.is_equivalent for survivor in self.survivors)

    @property
    def killed(self) -> int:
        return self.mutations - len(self.survivors)


@dataclass(frozen=True)
class Soundness:
    """The checks of one exercise, and its score where it was good enough to get that far."""

    exercise: str
    checks: tuple[Check, ...]
    score: Score | None = None

    @property
    def is_sound(self) -> bool:
        return not any(check.flaws for check in self.checks)
