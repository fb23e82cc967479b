"""What a batch leaves in its folder of results: each file whole, or as it was before."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from practice.grader.catalogue import Card
from practice.grader.rows import Item, Row
from practice.grader.tell.class_junit import rows_as_junit
from practice.grader.tell.class_table import items_as_csv, rows_as_csv, rows_as_data
from practice.grader.tell.gradescope import rows_as_gradescope
from practice.grader.tell.messages import Language

GRADESCOPE = "gradescope"
LONGEST_NAME = 200


def write_results(folder: Path, rows: Sequence[Row], cards: Mapping[str, Card], lang: Language) -> list[Item]:
    """Write marks.csv, results.json, junit.xml, items.csv, items.png and gradescope/STUDENT.json; gives the items.

    Only the items tell times: the other files are the same, byte for byte, for the same answers and seed.
    """
    from practice.grader.batch.items import analyse
    from practice.grader.batch.plot import plot_items

    items = analyse(rows)
    _write(folder / "marks.csv", rows_as_csv(rows, lang))
    _write(folder / "results.json", _json(rows_as_data(rows, lang)))
    _write(folder / "junit.xml", rows_as_junit(rows, lang))
    _write(folder / "items.csv", items_as_csv(items, lang))
    plot_items(items, _new(folder / "items.png"))
    _new(folder / "items.png").replace(folder / "items.png")
    titles = {exercise: card.title for exercise, card in cards.items()}
    (folder / GRADESCOPE).mkdir(exist_ok=True)
    by_student: dict[str, list[Row]] = {}
    for row in rows:
        by_student.setdefault(row.student, []).append(row)
    for student, own in by_student.items():
        _write(folder / GRADESCOPE / file_name(student), _json(rows_as_gradescope(own, titles, lang)))
    return items


def file_name(student: str) -> str:
    """A name of a file for a student's name, whatever is in it; two students never share one."""
    name = quote(student, safe=" ")
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(student.encode()).hexdigest()[:16]}"
    return f"{name}.json"


def _json(told: object) -> str:
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    new = _new(path)
    new.write_text(text, encoding="utf-8", newline="")
    new.replace(path)


def _new(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(f"{path.name}.new")
