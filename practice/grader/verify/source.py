"""An answer as Python source: a file as it is, or the one cell of a notebook that holds it, without its magics."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from practice.grader.catalogue import Card
from practice.grader.isolate.wire import SOURCE_LIMIT
from practice.grader.report import Finding, Verdict

LINE = re.compile(r"[^\n]*\n|[^\n]+")
# What decides whether a line begins a statement: strings, comments, brackets, ends of lines.  No branch gives up late:
# the time stays linear in the cell.
LEXEME = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\\?\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'(?:\\.|[^'\\\n])*'?"
    r"|\#[^\n]*|\\\n|[()\[\]{}]|\n",
    re.DOTALL,
)
MAGIC = re.compile(r"(?P<indent>[ \t]*)(?P<magic>%%?\w*|!|\?)(?P<rest>[^\n]*)")
HARMLESS = {"%matplotlib", "%load_ext", "%reload_ext", "%autoreload", "%config", "%precision", "%timeit", "?"}
HARMLESS_FIRST = {"%%judge", "%%time", "%%capture"}
STATEMENT_FOLLOWS = "%time"


@dataclass(frozen=True)
class Source:
    """Python source and what to call it in messages; or the finding that says why there is none."""

    code: bytes
    name: str
    finding: Finding | None = None


class Unfit(Exception):
    """The file holds no answer that can be run; `finding` says why."""

    def __init__(self, key: str, **fields: str) -> None:
        super().__init__(key)
        self.finding = Finding(Verdict.ERROR, key, fields)


def read_source(raw: bytes, file: str, card: Card) -> Source:
    """The source in a file's bytes.

    Of a notebook, the cell that begins with ``%%judge ID``; where none does, the one that defines the function.
    """
    if not file.endswith(".ipynb"):
        return Source(raw, file)
    try:
        number, cell = _find_cell(_code_cells(raw, file), file, card)
        name = f"{file}[cell {number}]"
        is_small = len(cell) <= SOURCE_LIMIT  # else it will be refused in any case
        return Source((without_magics(cell, name) if is_small else cell).encode(errors="replace"), name)
    except Unfit as unfit:
        return Source(b"", file, unfit.finding)


def without_magics(cell: str, name: str) -> str:
    """A cell as plain Python, line for line.  Raises Unfit where a magic does more than show or measure."""
    lines: list[str] = LINE.findall(cell)
    plain, is_blank = list(lines), True
    for index in _statement_lines(lines):
        magic = MAGIC.match(lines[index])
        if magic:
            plain[index] = _replaced(magic, f"{name}:{index + 1}", first=is_blank)
        is_blank = is_blank and not plain[index].strip()
    return "".join(plain)


def _code_cells(raw: bytes, file: str) -> list[str]:
    """The sources of a notebook's code cells."""
    try:
        notebook: Any = json.loads(raw)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells]
    except json.JSONDecodeError as error:
        raise Unfit("no_notebook", place=f"{file}:{error.lineno}", reason=error.msg) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Unfit("no_notebook", place=file, reason=f"{type(error).__name__}: {error}") from error


def _find_cell(cells: list[str], file: str, card: Card) -> tuple[int, str]:
    """The number of the answer's cell among the code cells, from 1, and the cell."""
    name = card.function
    marked = re.compile(rf"\s*%%judge\s+{re.escape(card.id)}\b")
    defining = re.compile(rf"^(?:async\s+)?(?:def\s+{name}\b|{name}\s*[:=])", re.MULTILINE)
    for wanted in (marked.match, defining.search):
        found = [(number, cell) for number, cell in enumerate(cells, 1) if wanted(cell)]
        if len(found) > 1:
            raise Unfit("cells", file=file, cells=", ".join(str(number) for number, _ in found), function=name)
        if found:
            return found[0]
    raise Unfit("no_cell", file=file, exercise=card.id, function=name)


def _statement_lines(lines: list[str]) -> Iterator[int]:
    """Indices of the lines that are no continuation of a string, a bracket or a line before."""
    depth, index, text = 0, 0, "".join(lines)
    position, starts = 0, True
    while position < len(text):
        if starts:
            yield index
            if MAGIC.match(lines[index]):  # not Python: its quotes and brackets mean nothing
                position += len(lines[index])
                index += 1
                continue
        found = LEXEME.search(text, position)
        if not found:
            return
        lexeme = found.group()
        depth = max(0, depth + (lexeme in "([{") - (lexeme in ")]}"))
        starts = lexeme == "\n" and depth == 0
        position, index = found.end(), index + lexeme.count("\n")


def _replaced(magic: re.Match[str], place: str, first: bool) -> str:
    """What stands in the place of a magic's line."""
    word, rest, end = magic["magic"], magic["rest"], "\n" if magic.string.endswith("\n") else ""
    if word == STATEMENT_FOLLOWS and rest.strip():
        return f"{magic['indent']}{rest.strip()}{end}"
    if word in HARMLESS or word == STATEMENT_FOLLOWS or (first and word in HARMLESS_FIRST):
        return (f"{magic['indent']}pass" if magic["indent"] else "") + end  # a block must not be empty
    raise Unfit("magic", place=place, line=f"{word}{rest}".strip()[:200])
