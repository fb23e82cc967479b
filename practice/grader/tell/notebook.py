"""A grading as HTML for a notebook: the tests as they finish, then the result.  Hints as Markdown."""

import html
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from practice.grader.catalogue import Card
from practice.grader.lessons import HINTS, Hint
from practice.grader.report import CaseResult, Report, Text, Verdict
from practice.grader.tell.messages import Language, plain, say, sentence
from practice.grader.tell.terminal import all_alike, differing_lines, total

STYLE = Path(__file__).with_name("notebook.css").read_text(encoding="utf-8")
GOOD, BAD, QUIET = "judge-good", "judge-bad", "judge-quiet"


def render_progress(card: Card, names: Sequence[Text], seen: Mapping[str, CaseResult], lang: Language) -> str:
    """The page while tests run: those that are done, by their English names, and those to come."""
    told = say(lang, "grading", done=len(seen), total=len(names))
    rows = "".join(_test(name[lang], seen.get(name["en"]), lang) for name in names)
    return _page([_head(card, lang), _paragraph(told, QUIET), f"<ul>{rows}</ul>"])


def render_notebook(report: Report, card: Card, lang: Language, notes: Sequence[str]) -> str:
    """The page for one grading; `notes` are what else there is to say, a line each."""
    return _page(
        [
            _head(card, lang),
            _total(report, lang),
            *_tests(report, lang),
            *_failure(report, lang),
            *_mistakes(report, lang),
            *_behind(report, lang),
            f'<p class="{QUIET}">{"<br>".join(map(_safe, notes))}</p>',
        ]
    )


def render_hints_markdown(hints: Sequence[Hint], lang: Language, *, opened: bool) -> str:
    """Hints that fold; the last one is unfolded where it has just been `opened`."""
    parts = []
    for number, hint in enumerate(hints, 1):
        tag = "<details open>" if opened and number == len(hints) else "<details>"
        head = html.escape(say(lang, "hint_head", number=number, total=HINTS, title=hint.title))
        parts.append(f"{tag}<summary>{head}</summary>\n\n{hint.text}\n\n</details>\n")
    return "\n".join(parts)


def _page(parts: Sequence[str]) -> str:
    return f'<style>{STYLE}</style><div class="judge mathjax_ignore">{"".join(parts)}</div>'


def _head(card: Card, lang: Language) -> str:
    return _paragraph(say(lang, "head", exercise=card.id, title=card.title[lang]), "judge-head", "strong")


def _total(report: Report, lang: Language) -> str:
    if report.fault:
        return _paragraph(sentence(lang, report.fault), BAD, "b")
    return _paragraph(total(report, lang), GOOD if report.verdict is Verdict.PASS else BAD, "b")


def _tests(report: Report, lang: Language) -> Iterator[str]:
    if report.results and not all_alike(report):
        rows = "".join(_test(result.name[lang], result, lang) for result in report.results)
        yield f"<ul>{rows}</ul>"


def _test(name: str, result: CaseResult | None, lang: Language) -> str:
    """A row that says by more than its colour how a test ended; `result` None where it has not yet."""
    verdict = result.verdict if result else None
    if verdict in (None, Verdict.NOT_RUN):
        label = say(lang, "label_not_run") if verdict else ""
        return f'<li class="{QUIET}"><span>·</span>{_safe(name)}<b>{_safe(label)}</b></li>'
    if verdict is Verdict.PASS:
        return f'<li><span class="{GOOD}">✓</span>{_safe(name)}</li>'
    return f'<li><span class="{BAD}">✗</span>{_safe(name)}<b class="{BAD}">{verdict}</b></li>'


def _failure(report: Report, lang: Language) -> Iterator[str]:
    """The failure to look at first: as source where it is short, else the test's name and what its inputs are."""
    result = report.smallest_failure
    if not result or not result.finding:
        return
    finding = result.finding
    expected, got = finding.expected, finding.got
    if report.example:
        finding, expected, got = report.example.finding, report.example.expected, report.example.got
        yield _paragraph(say(lang, "first_example"))
        yield f"<pre>{_safe(report.example.source)}</pre>"
    elif not all_alike(report):
        yield _paragraph(say(lang, "first", name=result.name[lang]))
        yield f"<pre>{_safe(result.inputs)}</pre>"
    reason = _fact("reason", _safe(sentence(lang, finding)), "", lang)
    yield f"<dl>{reason}{''.join(_pair(*lines, lang) for lines in differing_lines(expected, got))}</dl>"
    if finding.traceback:
        yield _folded(say(lang, "traceback"), finding.traceback)


def _pair(expected: str, got: str, marks: str, lang: Language) -> str:
    first = _fact("expected", _marked(expected, marks), GOOD, lang)
    return first + _fact("got", _marked(got, marks), BAD, lang)


def _fact(key: str, told: str, style: str, lang: Language) -> str:
    return f'<dt class="judge-{key}">{_safe(say(lang, key))}</dt><dd class="judge-{key} {style}">{told}</dd>'


def _marked(text: str, marks: str) -> str:
    """`text` with what stands above a mark underlined."""
    pieces = groupby(zip(text, marks.ljust(len(text)), strict=True), key=lambda pair: pair[1] != " ")
    told = [(is_marked, _safe("".join(char for char, _ in pairs))) for is_marked, pairs in pieces]
    return "".join(f"<u>{piece}</u>" if is_marked else piece for is_marked, piece in told)


def _mistakes(report: Report, lang: Language) -> Iterator[str]:
    if report.misconceptions:
        head = _paragraph(say(lang, "mistake" if len(report.misconceptions) == 1 else "mistakes"), QUIET)
        texts = "".join(_paragraph(each.text[lang]) for each in report.misconceptions)
        yield f"<blockquote>{head}{texts}</blockquote>"


def _behind(report: Report, lang: Language) -> Iterator[str]:
    """What the answer printed, and the traceback of the judge's own failure."""
    if report.printed:
        key = "printed" if report.printed_bytes <= report.printed_shown else "printed_cut"
        yield _folded(say(lang, key, size=report.printed_bytes, shown=report.printed_shown), report.printed)
    if report.fault and report.fault.traceback:
        yield _folded(say(lang, "traceback"), report.fault.traceback)


def _folded(head: str, text: str) -> str:
    return f"<details><summary>{_safe(head)}</summary><pre>{_safe(text.rstrip())}</pre></details>"


def _paragraph(text: str, style: str = "", tag: str = "span") -> str:
    return f'<p class="{style}"><{tag}>{_safe(text)}</{tag}></p>'


def _safe(text: str) -> str:
    """Text that may come from an answer, as HTML that shows it and does nothing."""
    return html.escape(plain(text))
