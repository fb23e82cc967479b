"""A report as the one JSON object of `--json`, which `result.schema.json` describes."""

import json
from dataclasses import asdict

from practice.grader.report import CaseResult, Example, Finding, Report
from practice.grader.tell.messages import Language, plain, say, sentence


def as_json(report: Report, lang: Language) -> str:
    """ASCII JSON on one line; test names are the English ones in either language, so that they stay keys."""
    return json.dumps(
        {
            "exercise": report.exercise,
            "verdict": report.verdict,
            "passed": report.passed,
            "total": len(report.results),
            "tests": [_test(result, lang) for result in report.results],
            "misconception": "\n".join(each.text[lang] for each in report.misconceptions) or None,
            "isolation": list(report.isolation),
            "seconds": round(report.seconds, 3),
            "seed": report.seed,
            "misconceptions": [each.id for each in report.misconceptions],
            "example": _example(report.example, lang) if report.example else None,
            "work": [asdict(each) for each in report.work],
        }
    )


def _test(result: CaseResult, lang: Language) -> dict[str, object]:
    return {
        "name": result.name["en"],
        "verdict": result.verdict,
        "message": _message(result.finding, lang) if result.finding else "",
        "milliseconds": round(result.milliseconds, 3),
    }


def _message(finding: Finding, lang: Language) -> str:
    """What was found, in one line."""
    shown = {"expected": finding.expected, "got": finding.got}
    facts = [f"{say(lang, key)} {plain(value)}" for key, value in shown.items() if value]
    return "; ".join([sentence(lang, finding), *(" ".join(fact.split()) for fact in facts)])


def _example(example: Example, lang: Language) -> dict[str, str]:
    return {
        "message": sentence(lang, example.finding),
        "source": example.source,
        "expected": example.expected,
        "got": plain(example.got),
    }
