"""What an attack is: a submission, and the verdicts that it may get."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent, indent

NOT_PASS = WRONG, CONTRACT, ERROR, MEMORY, TIME, POLICY, CRASH = (
    *("WRONG", "CONTRACT", "ERROR", "MEMORY", "TIME", "POLICY", "CRASH"),
)
PASS = "PASS"
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n"


@dataclass(frozen=True)
class Attack:
    """A submission to `exercise`.  Below a source in text the world defines `right`, `wrong` and what it holds.

    `told` is part of a message that goes with the first of the verdicts.
    `portable` is false where only Linux's layers hold the attack.
    """

    source: str | bytes
    verdicts: tuple[str, ...]
    told: str = ""
    portable: bool = True
    file: str = "answer.py"
    exercise: str = "evict_sinks"


Attacks = Mapping[str, Attack]


def body(code: str, *verdicts: str, told: str = "", portable: bool = True) -> Attack:
    """An attack from inside the function evict_sinks(k, v, positions, budget, sinks)."""
    return Attack(DEF + indent(dedent(code).strip(), "    "), verdicts, told, portable)


def module(code: str, *verdicts: str, told: str = "", portable: bool = True) -> Attack:
    """An attack that is a whole file."""
    return Attack(dedent(code).lstrip("\n"), verdicts, told, portable)


def swallowing(code: str, then: str = "wrong") -> str:
    """A body that tries `code`, swallows what it raises, and then returns what is `right` or `wrong`."""
    tried = indent(dedent(code).strip(), "    ")
    return f"try:\n{tried}\nexcept BaseException: pass\nreturn {then}(k, v, positions, budget, sinks)"
