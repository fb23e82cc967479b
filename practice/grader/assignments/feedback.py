"""What a student is told about a grading, as the output of a notebook's cell."""

import html
from collections.abc import Iterator

from practice.grader.classroom import for_class
from practice.grader.marks import Mark
from practice.grader.report import CaseResult, Finding, Report, Verdict
from practice.grader.tell.messages import Language, say, sentence

PASSED, FAILED = "✓", "✗"


def feedback(report: Report, mark: Mark, lang: Language) -> list[str]:
    """A grading in lines: tests by name, verdicts and misconceptions, nothing of a hidden case."""
    told = for_class(report)
    lines = [
        say(
            lang,
            "feedback_total",
            verdict=told.verdict,
            passed=told.passed,
            total=len(told.results),
            points=mark.points,
            max_points=mark.max_points,
        )
    ]
    if told.verdict is Verdict.PASS:
        return lines
    return [*lines, *_mistakes(told, lang), *_tests(told, lang), say(lang, "feedback_hidden")]


def no_feedback(why: Finding, max_points: float, lang: Language) -> list[str]:
    """What is told where there is nothing to grade."""
    return [say(lang, "feedback_none", max_points=max_points), sentence(lang, why)]


def as_html(lines: list[str]) -> str:
    """Lines as HTML that shows them and does nothing; only tags that nbconvert's sanitizer lets pass."""
    first, *rest = map(html.escape, lines)
    below = "".join(f"<div>{line}</div>" for line in rest)
    return f'<div class="tex2jax_ignore mathjax_ignore"><div><b>{first}</b></div>{below}</div>'


def _tests(report: Report, lang: Language) -> Iterator[str]:
    """A line a test that was run; one for all where all met the same end."""
    findings = {sentence(lang, result.finding) if result.finding else "" for result in report.results}
    if len(findings) == 1:
        yield from findings
        return
    for result in report.results:
        if result.verdict is not Verdict.NOT_RUN:
            yield _test(result, lang)


def _test(result: CaseResult, lang: Language) -> str:
    if not result.finding:
        return f"{PASSED} {result.name[lang]}"
    return f"{FAILED} {result.name[lang]}: {result.verdict}, {sentence(lang, result.finding)}"


def _mistakes(report: Report, lang: Language) -> Iterator[str]:
    if report.misconceptions:
        yield say(lang, "mistake" if len(report.misconceptions) == 1 else "mistakes")
        for each in report.misconceptions:
            yield each.text[lang]
