"""The exercises on disk: one folder each, described by its `card.toml`."""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from practice.grader.report import Misconception, Text

EXERCISES = Path(__file__).resolve().parents[1] / "exercises"


@dataclass(frozen=True)
class Card:
    """What a card says: title, chapter ("03"), minutes, difficulty and importance (1 to 5), the chapters it needs,
    the function to write, and `time_limit`, the CPU seconds that all its cases together may take.

    `poison` says that it is about not reading: what no answer may read is NaN.  `survivors` explains the mutations of
    the reference that its cases let pass, "line -> mutated line" = reason: "equivalent: ..." where both are right.
    """

    id: str
    folder: Path
    title: Text
    chapter: str
    minutes: int
    difficulty: int
    importance: int
    needs: tuple[str, ...]
    function: str
    time_limit: float
    poison: bool = False
    survivors: Mapping[str, str] = field(default_factory=dict)


class UnknownExercise(LookupError):
    """No exercise has this id; `nearest` are the ids most like it."""

    def __init__(self, exercise: str, nearest: list[str]) -> None:
        super().__init__(exercise)
        self.nearest = nearest


def read_card(folder: Path) -> Card:
    """The card of one exercise folder; KeyError or TypeError where it does not say what a card must say."""
    told = tomllib.loads((folder / "card.toml").read_text(encoding="utf-8"))
    return Card(
        id=folder.name,
        folder=folder,
        **{**told, "needs": tuple(told["needs"]), "time_limit": float(told["time_limit"])},
    )


def mistake(mutant: Path) -> str:
    """The mistake that a mutant makes: `mistake.py` and `mistake__otherwise.py` make the same one."""
    return mutant.stem.partition("__")[0]


def misconception(mutant: Path, docstring: str) -> Misconception:
    """What a mutant's docstring tells: one sentence a language, `en: ...` and `zh: ...`."""
    lines = (line.partition(": ") for line in docstring.splitlines())
    return Misconception(mistake(mutant), {lang: sentence for lang, _, sentence in lines if sentence})


def all_cards() -> list[Card]:
    """Every exercise, in the order of the chapters, then from easy to hard."""
    cards = [read_card(path.parent) for path in EXERCISES.glob("*/card.toml")]
    return sorted(cards, key=lambda card: (card.chapter, card.difficulty, card.id))


def find_card(exercise: str) -> Card:
    """The card of one exercise; UnknownExercise names the nearest ids."""
    ids = sorted(path.parent.name for path in EXERCISES.glob("*/card.toml"))
    if exercise not in ids:
        raise UnknownExercise(exercise, difflib.get_close_matches(exercise, ids, n=3, cutoff=0.4) or ids)
    return read_card(EXERCISES / exercise)
