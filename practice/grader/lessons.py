"""What an exercise teaches besides its tests: three hints, and the gallery of its usual mistakes."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from practice.grader.catalogue import Card, misconception
from practice.grader.report import Misconception

HINTS = 3


@dataclass(frozen=True)
class Hint:
    """A heading, and Markdown."""

    title: str
    text: str


@dataclass(frozen=True)
class Mistake:
    """A mutant: what it gets wrong, and its code: the lines ("- " right, "+ " wrong) by which it differs from the
    nearest right answer, or the whole body where that is shorter."""

    misconception: Misconception
    code: tuple[str, ...]


def read_hints(card: Card, lang: str) -> list[Hint]:
    """The hints of an exercise, the gentlest first; ValueError where its file does not hold three."""
    path = card.folder / f"hints.{lang}.md"
    _, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if len(sections) != HINTS:
        raise ValueError(f"{path} has {len(sections)} sections instead of {HINTS}")
    parts = [section.partition("\n") for section in sections]
    return [Hint(title.strip(), text.strip()) for title, _, text in parts]


def read_mistakes(card: Card) -> list[Mistake]:
    """The gallery, each mistake once: `mistake__otherwise.py` is another implementation of `mistake.py`."""
    right = [card.folder / "reference.py", *sorted(card.folder.glob("variants/*.py"))]
    answers = [_body(path, card.function) for path in right]
    mistakes: dict[str, Mistake] = {}
    for path in sorted(card.folder.glob("mutants/*.py")):
        body = _body(path, card.function)
        code = min([*(list(_difference(answer, body)) for answer in answers), body], key=len)
        told = misconception(path, ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")
        mistakes.setdefault(told.id, Mistake(told, tuple(code)))
    return list(mistakes.values())


def _body(path: Path, function: str) -> list[str]:
    """The lines of a function without its docstring, comments and line breaks of no meaning."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
            return [line for statement in statements for line in ast.unparse(statement).splitlines()]
    raise ValueError(f"{path} does not define {function}")


def _difference(right: Sequence[str], wrong: Sequence[str]) -> Iterator[str]:
    for kind, a, b, c, d in SequenceMatcher(None, right, wrong, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"- {line}" for line in right[a:b])
            yield from (f"+ {line}" for line in wrong[c:d])
