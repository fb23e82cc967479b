"""Reports and lists as plain text for a terminal."""

import unicodedata
from collections.abc import Collection, Sequence

from practice.grader.catalogue import Card
from practice.grader.report import CaseResult, Report
from practice.grader.tell.messages import Language, plain, say, sentence


def render_report(report: Report, card: Card, lang: Language, again: str, *, verbose: bool) -> str:
    """The page for one grading: every test, then the failure to look at first, then the total.

    `again` is the command that grades the same cases once more.
    """
    lines = [say(lang, "head", exercise=report.exercise, title=card.title[lang]), ""]
    width = max((_width(result.name[lang]) for result in report.results), default=0)
    for result in report.results:
        verdict = "ok" if result.finding is None else str(result.verdict)
        lines.append(f"  {verdict:9}{_fill(result.name[lang], width)}  {result.milliseconds:8.1f} ms")
    if report.fault:
        lines.append(sentence(lang, report.fault))
    if report.smallest_failure:
        lines += ["", *_failure(report.smallest_failure, lang, verbose)]
        lines += ["", say(lang, "again", command=again)]
    if verbose and report.printed:
        shown = len(report.printed.encode())
        key = "printed" if report.printed_bytes <= shown else "printed_cut"
        lines += ["", say(lang, key, size=report.printed_bytes, shown=shown), plain(report.printed).rstrip()]
    counts = {"passed": report.passed, "total": len(report.results), "seconds": report.seconds}
    return "\n".join([*lines, "", say(lang, "total", verdict=report.verdict, **counts)])


def render_list(cards: Sequence[Card], begun: Collection[str], folder: str, lang: Language) -> str:
    """A table of the exercises; a star marks those that the learner has begun."""
    rows = [["", *say(lang, "list_head").split("|")]]
    for card in cards:
        star = "*" if card.id in begun else ""
        numbers = [str(card.minutes), f"{card.difficulty}/5", f"{card.importance}/5"]
        rows.append([star, card.id, card.chapter, *numbers, card.title[lang]])
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    table = ["  ".join(map(_fill, row, widths)).rstrip() for row in rows]
    return "\n".join([*table, *([say(lang, "list_foot", folder=folder)] if begun else [])])


def _failure(result: CaseResult, lang: Language, verbose: bool) -> list[str]:
    assert result.finding
    facts = {
        "inputs": result.inputs,
        "reason": sentence(lang, result.finding),
        "expected": plain(result.finding.expected),
        "got": plain(result.finding.got),
    }
    told = {say(lang, key): value for key, value in facts.items() if value}
    width = max(map(_width, told))
    lines = [say(lang, "first", name=result.name[lang])]
    lines += [f"  {_fill(label, width)}  {value}" for label, value in told.items()]
    return [*lines, "", plain(result.finding.traceback).rstrip()] if verbose and result.finding.traceback else lines


def _width(text: str) -> int:
    """Columns on a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _fill(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
