"""A report as the one JSON object of `--json`."""

import json

from practice.grader.report import CaseResult, Report
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
            "misconception": None,
            "isolation": list(report.isolation),
            "seconds": round(report.seconds, 3),
        }
    )


def _test(result: CaseResult, lang: Language) -> dict[str, object]:
    message = ""
    if result.finding:
        parts = [sentence(lang, result.finding)]
        shown = {"expected": result.finding.expected, "got": result.finding.got}
        parts += [f"{say(lang, key)} {plain(value)}" for key, value in shown.items() if value]
        message = "; ".join(parts)
    milliseconds = round(result.milliseconds, 3)
    return {"name": result.name["en"], "verdict": result.verdict, "message": message, "milliseconds": milliseconds}
