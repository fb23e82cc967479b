"""Reports and lists as text for a terminal: coloured on one, plain where the output goes elsewhere."""

import io
import os
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence

from practice.grader.catalogue import Card
from practice.grader.report import CaseResult, Report, Verdict
from practice.grader.tell.messages import Language, plain, say, sentence

Line = list[tuple[str, str]]
"""Pieces of text, each with the name of its style."""

RULE: Line = [("", "")]
"""A line across the terminal; an empty one where the page is plain."""

NUMBERS = re.compile(r"-?[0-9.]+(e[-+][0-9]+)?|True|False|torch\.(nan|inf)|\s")
EXPLAINED = (Verdict.CONTRACT, Verdict.POLICY, Verdict.CRASH)
"""Verdicts whose names do not say what they mean."""

GOOD, BAD, QUIET, STRONG = "green", "red", "dim", "bold"


def render_report(report: Report, card: Card, lang: Language, again: str, *, verbose: bool) -> str:
    """The page for one grading: every test, the failure to look at first and what is behind it, then the total.

    `again` is the command that grades the same cases once more.
    """
    page = [[(say(lang, "head", exercise=report.exercise, title=card.title[lang]), STRONG)], [], *_tests(report, lang)]
    if report.fault:
        page += [[(sentence(lang, report.fault), BAD)]]
    if report.smallest_failure:
        page += [[], *_failure(report, report.smallest_failure, lang, verbose), *_mistakes(report, lang)]
        page += [[], [(say(lang, "again", command=again), "")]]
    if report.work:
        page += [[], [(say(lang, "work"), STRONG)], *_work(report, lang)]
    if verbose and report.printed:
        key = "printed" if report.printed_bytes <= report.printed_shown else "printed_cut"
        page += [[], [(say(lang, key, size=report.printed_bytes, shown=report.printed_shown), "")]]
        page += _lines(plain(report.printed).rstrip())
    if report.isolation and "seccomp" not in report.isolation:
        page += [[], [(say(lang, "unlocked"), QUIET)]]
    page += [[], [(total(report, lang), f"{STRONG} {GOOD if report.verdict is Verdict.PASS else BAD}")]]
    if report.verdict in EXPLAINED:
        page += [[(say(lang, f"means_{report.verdict}"), QUIET)]]
    return _paint(page)


def render_list(
    cards: Sequence[Card], begun: Collection[str], passed: Collection[str], folder: str, lang: Language
) -> str:
    """A table of the exercises, with a mark for those that the learner has passed, or begun."""
    rows = [["", *say(lang, "list_head").split("|")]]
    for card in cards:
        mark = "✓" if card.id in passed else "*" if card.id in begun else ""
        numbers = [str(card.minutes), f"{card.difficulty}/5", f"{card.importance}/5"]
        rows.append([mark, card.id, card.chapter, *numbers, card.title[lang]])
    return "\n".join([render_table(rows), *([say(lang, "list_foot", folder=folder)] if begun or passed else [])])


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells, each column as wide as its widest cell."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(_fill, row, widths)).rstrip() for row in rows)


def total(report: Report, lang: Language) -> str:
    """The verdict, and how many tests passed, in one sentence."""
    counts = {"passed": report.passed, "total": len(report.results), "seconds": report.seconds}
    return say(lang, "total_pass" if report.verdict is Verdict.PASS else "total", verdict=report.verdict, **counts)


def all_alike(report: Report) -> bool:
    """Whether there is one finding, and every test has it: the source did not load, or nothing is written yet."""
    first = report.results[0].finding if report.results else None
    return first is not None and all(result.finding == first for result in report.results)


def differing_lines(expected: str, got: str) -> Iterator[tuple[str, str, str]]:
    """Each pair of lines that differ, and "^" under what differs where only numbers do; else all as one pair."""
    sides = plain(expected).splitlines(), plain(got).splitlines()
    pairs = list(zip(*sides, strict=True)) if len(sides[0]) == len(sides[1]) else [(plain(expected), plain(got))]
    for first, second in pairs:
        if first != second:
            marks = "".join(" ^"[one != other] for one, other in zip(first, second, strict=False))
            alike = len(first) == len(second) and NUMBERS.sub("", first) == NUMBERS.sub("", second)
            yield first, second, marks.rstrip() if alike else ""


def _tests(report: Report, lang: Language) -> Iterator[Line]:
    """A line for each test; one for all where they say the same."""
    if all_alike(report):
        yield [(f"  {report.verdict:9}", BAD), (say(lang, "all_tests", total=len(report.results)), "")]
        return
    width = max((_width(result.name[lang]) for result in report.results), default=0)
    for result in report.results:
        name = _fill(result.name[lang], width)
        if result.verdict is Verdict.NOT_RUN:
            yield [(f"  {_fill(say(lang, 'label_not_run'), 9)}{name}".rstrip(), QUIET)]
            continue
        label, style = ("ok", GOOD) if result.finding is None else (str(result.verdict), BAD)
        yield [(f"  {label:9}", style), (name, ""), (f"  {result.milliseconds:8.1f} ms", QUIET)]


def _failure(report: Report, result: CaseResult, lang: Language, verbose: bool) -> Iterator[Line]:
    """The failure to look at first: as source where it is short, else the test's name and what its inputs are."""
    finding = result.finding
    assert finding
    expected, got = finding.expected, finding.got
    if report.example:
        finding, expected, got = report.example.finding, report.example.expected, report.example.got
        yield from ([(say(lang, "first_example"), STRONG)], RULE, *_lines(plain(report.example.source)), RULE)
    elif not all_alike(report):
        yield [(say(lang, "first", name=result.name[lang]), STRONG)]
        yield [(f"  {_label('inputs', lang)}{result.inputs}", "")]
    yield [(f"  {_label('reason', lang)}{sentence(lang, finding)}", "")]
    yield from _compared(expected, got, lang)
    if verbose and finding.traceback:
        yield from ([], *_lines(plain(finding.traceback).rstrip()))


def _compared(expected: str, got: str, lang: Language) -> Iterator[Line]:
    """Lines that differ, one under the other, with marks where they fit column by column."""
    for first, second, marks in differing_lines(expected, got):
        for key, text, style in (("expected", first, GOOD), ("got", second, BAD)):
            for line in text.splitlines():
                yield [(f"  {_label(key, lang)}", ""), (line, style)]
        if marks:
            yield [(f"  {_label('', lang)}{marks}", STRONG)]


def _mistakes(report: Report, lang: Language) -> Iterator[Line]:
    if report.misconceptions:
        yield from ([], [(say(lang, "mistake" if len(report.misconceptions) == 1 else "mistakes"), STRONG)])
        yield from ([(f"  {each.text[lang]}", "")] for each in report.misconceptions)


def _work(report: Report, lang: Language) -> list[Line]:
    rows = [[f"  {say(lang, f'work_{each.who}')}", f"{each.flops:,}", f"{each.bytes_read:,}"] for each in report.work]
    return _lines(render_table([say(lang, "work_head").split("|"), *rows]))


def _label(key: str, lang: Language) -> str:
    """A label of a fact, or room for one."""
    width = max(_width(say(lang, each)) for each in ("inputs", "reason", "expected", "got"))
    return _fill(say(lang, key) if key else "", width + 2)


def _lines(text: str) -> list[Line]:
    return [[(line, "")] for line in text.split("\n")]


def _paint(page: Iterable[Line]) -> str:
    """The page as one string, in colour where it goes to a terminal; no line is ever wrapped."""
    if not _is_colourful():
        return "\n".join("".join(text for text, _ in line) for line in page)
    from rich.console import Console
    from rich.rule import Rule
    from rich.text import Text

    console = Console(file=io.StringIO(), force_terminal=True, highlight=False)
    with console.capture() as painted:
        for line in page:
            console.print(Rule(style=QUIET) if line is RULE else Text.assemble(*line), soft_wrap=line is not RULE)
    return painted.get().rstrip("\n")


def _is_colourful() -> bool:
    asked_not = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return bool(sys.stdout) and sys.stdout.isatty() and not asked_not


def _width(text: str) -> int:
    """Columns on a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _fill(text: str, width: int) -> str:
    return text + " " * (width - _width(text))
