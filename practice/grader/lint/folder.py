"""Whether the folder of an exercise holds all that it must, in both languages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from practice.grader.catalogue import Card, mistake
from practice.grader.lessons import HINTS, read_hints
from practice.grader.soundness import Flaw

LANGUAGES = ("en", "zh")
FILES = (
    "starter.py",
    "reference.py",
    "cases.py",
    *(f"{kind}.{lang}.md" for kind in ("statement", "hints") for lang in LANGUAGES),
)
MASKED = "mutants/masked.py"
AT_LEAST = {"variants": 2, "mutants": 5}
STATEMENT_LINES = 60
CHAPTER = re.compile(r"\d\d")
MISTAKE = re.compile(r"en: .+\.\nzh: .*[\u4e00-\u9fff].*。")


def folder_flaws(card: Card) -> Iterator[Flaw]:
    """What is missing from the folder or the card, or is not as it should be."""
    for name in (*FILES, *([MASKED] if card.poison else [])):
        if not (card.folder / name).exists():
            yield Flaw("missing", {"file": name})
    for name, wanted in AT_LEAST.items():
        count = len({mistake(path) for path in sources(card, name)})
        if count < wanted:
            yield Flaw("too_few", {"folder": name, "count": count, "wanted": wanted})
    yield from _card_flaws(card)
    yield from _statement_flaws(card)
    yield from _hint_flaws(card)
    for path in sources(card, "mutants"):
        if not MISTAKE.fullmatch(ast.get_docstring(ast.parse(path.read_bytes())) or ""):
            yield Flaw("mistake_untold", {"file": shown(path)})


def sources(card: Card, kind: str) -> list[Path]:
    """The Python files in one folder of the exercise, in order."""
    return sorted((card.folder / kind).glob("*.py"))


def is_otherwise(mutant: Path) -> bool:
    """Whether a mutant is another implementation of its mistake: such a one may also raise."""
    return "__" in mutant.stem


def shown(path: Path) -> str:
    """A path as it is called inside its exercise."""
    return path.name if path.parent.name not in AT_LEAST else f"{path.parent.name}/{path.name}"


def _card_flaws(card: Card) -> Iterator[Flaw]:
    is_right = {
        "title": set(card.title) == set(LANGUAGES),
        "chapter": bool(CHAPTER.fullmatch(card.chapter)),
        "needs": all(CHAPTER.fullmatch(chapter) and chapter < card.chapter for chapter in card.needs),
        "minutes": card.minutes > 0,
        "difficulty": 1 <= card.difficulty <= 5,
        "importance": 1 <= card.importance <= 5,
        "time_limit": card.time_limit > 0,
    }
    for name, holds in is_right.items():
        if not holds:
            yield Flaw("card", {"name": name, "value": str(getattr(card, name))})


def _hint_flaws(card: Card) -> Iterator[Flaw]:
    for lang in LANGUAGES:
        try:
            read_hints(card, lang)
        except FileNotFoundError:
            continue  # told above
        except ValueError:
            yield Flaw("hints", {"file": f"hints.{lang}.md", "wanted": HINTS})


def _statement_flaws(card: Card) -> Iterator[Flaw]:
    """A statement is short and shows the signature of the starter."""
    starter = card.folder / "starter.py"
    tree = ast.parse(starter.read_bytes()) if starter.exists() else ast.Module([], [])
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == card.function]
    if starter.exists() and not functions:
        yield Flaw("no_function", {"file": starter.name, "function": card.function})
    for path in (card.folder / f"statement.{lang}.md" for lang in LANGUAGES):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for function in functions:
            signature = f"{function.name}({', '.join(argument.arg for argument in function.args.args)})"
            if text and signature not in text:
                yield Flaw("no_signature", {"file": path.name, "signature": signature})
        if len(text.splitlines()) > STATEMENT_LINES:
            yield Flaw("too_long", {"file": path.name, "wanted": STATEMENT_LINES})
