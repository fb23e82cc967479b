"""What is read of a submitted notebook: the text of the answers, and nothing else.

A submission is a file that a student has made, by whatever means.  It is parsed as JSON, never as a notebook that
something could run; none of its outputs, attachments and other cells goes any further, and of its metadata only the
names of cells are asked for.
"""

import functools
import json
import re
from dataclasses import dataclass
from typing import Any

from practice.grader.batch.notebooks import Cell, marked_cells, plain_source
from practice.grader.catalogue import all_cards
from practice.grader.report import Finding, Verdict
from practice.grader.verify.source import Unfit

LONGEST = 20_000
"""Characters of one answer that are shown."""
FEW = 10
"""Cells that are listed by number."""
MEANS_SOMETHING = re.compile(r"[^\w ]|_")
"""What could be markup, or end a line of it: of all characters, those that are no letter, digit or space."""


@dataclass(frozen=True)
class Handed:
    """The answer to one exercise as it was handed in: what to show of it, what to grade, or why there is nothing."""

    shown: str
    code: bytes = b""
    name: str = ""
    finding: Finding | None = None


def handed_in(raw: bytes, file: str, exercise: str, function: str) -> Handed:
    """The answer to `exercise`: the one cell that is marked as such.  Two of them are none, as in `judge batch`."""
    marked = _marked(raw)
    if isinstance(marked, Finding):
        return Handed("", finding=Finding(Verdict.ERROR, marked.key, {**marked.fields, "place": file}))
    cells = [cell for cell in marked if cell.exercise == exercise]
    shown = _cut("\n\n".join(cell.source for cell in cells))
    if not cells:
        return Handed(shown, finding=Finding(Verdict.NOT_RUN, "feedback_missing", {"file": file, "exercise": exercise}))
    if len(cells) > 1:
        numbers = ", ".join([str(cell.number) for cell in cells[:FEW]] + ["..."] * (len(cells) > FEW))
        fields = {"file": file, "cells": numbers, "function": function}
        return Handed(shown, finding=Finding(Verdict.ERROR, "cells", fields))
    code, name, finding = plain_source(cells[0], file)
    return Handed(shown, code, name, finding)


def written_answer(raw: bytes, grade_id: str) -> str | None:
    """The text under a question, all cells of that name together; None where there is none."""
    found = _named(raw).get(grade_id)
    return _cut("\n\n".join(found)) if found else None


def as_text(answer: str) -> str:
    """A student's text as Markdown that shows it letter by letter: no HTML, no link, no script of it takes effect.

    The pages of nbgrader and of nbconvert do not sanitize Markdown, and are opened by whoever grades; formgrader's
    looks for formulas in what is shown as text, too.
    """
    lines = answer.replace("\r\n", "\n").replace("\r", "\n")
    shown = MEANS_SOMETHING.sub(lambda found: f"&#{ord(found[0])};", lines)
    return f'<div class="tex2jax_ignore mathjax_ignore" style="white-space: pre-wrap">{shown}</div>'


@functools.lru_cache(maxsize=1)
def _marked(raw: bytes) -> tuple[Cell, ...] | Finding:
    """The cells of all exercises, read once: 16 MiB can be made to take seconds.  The finding where it is no notebook.

    Not the exception: that would keep what was parsed so far.
    """
    try:
        return tuple(marked_cells(raw, {card.id for card in all_cards()}))
    except Unfit as unfit:
        return unfit.finding


@functools.lru_cache(maxsize=1)
def _named(raw: bytes) -> dict[str, list[str]]:
    """The texts of all cells that have a name, by name; read once, as above."""
    found: dict[str, list[str]] = {}
    try:
        for cell in json.loads(raw)["cells"]:
            if name := _name(cell):
                found.setdefault(name, []).append(_text(cell["source"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return found


def _name(cell: Any) -> str:
    try:
        name = cell["metadata"]["nbgrader"]["grade_id"]
    except (TypeError, KeyError):
        return ""
    return name if isinstance(name, str) else ""


def _text(source: object) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _cut(text: str) -> str:
    """Text that can be written and looked at."""
    text = text.encode(errors="replace").decode()  # half of a surrogate pair cannot
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[...]"
