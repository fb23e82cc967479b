"""What a class may be told of a grading: tests by name, verdicts and misconceptions, and nothing of a hidden case.

An answer knows the cases it was called with, and whatever it says itself may repeat them: the messages and the types
of its exceptions, its exit status, what it printed.  None of that is kept.  The line of its own source that raised is,
where it has no more than three digits: the answer's process tells it, and a number may hold a whole case.
"""

import builtins
import re
from dataclasses import replace

from practice.grader.report import CaseResult, Finding, Report

SAFE = ("not_run", "unwritten", "input_changed", "time")
TOLD_AS = {
    "outputs": "class_count",
    "count": "class_count",
    "type": "class_type",
    "number_type": "class_type",
    "shape": "class_shape",
    "dtype": "class_dtype",
    "not_finite": "class_not_finite",
    "read_poison": "class_read_poison",
    "number": "class_values",
    "number_factor": "class_values",
    "values": "class_values",
    "exercise": "class_values",
    "exception": "class_exception",
    "memory": "class_memory",
    "policy": "class_policy",
    "crash": "class_crash",
    "missing": "class_crash",  # the function was there, and fitted, before the first call: the reply is forged
    "signature": "class_crash",
}
KEPT = ("name", "place", "limit")
LINE = re.compile(r":(-?\d+)\Z")
LONGEST_LINE = 3


def for_class(report: Report) -> Report:
    """The report that students may see; KeyError for a kind of finding that nobody has decided about.

    What was found before the first call (at import, or in the file itself) stays in full: no case was known yet.  The
    seed is 0: it would give the cases away.
    """
    called = any(result.milliseconds for result in report.results)
    results = tuple(_result(result, called) for result in report.results)
    return replace(report, results=results, seed=0, printed="", printed_bytes=0, printed_shown=0, example=None, work=())


def _result(result: CaseResult, called: bool) -> CaseResult:
    found = result.finding
    told = None if found is None else _finding(found) if called else replace(found, traceback="")
    return CaseResult(result.name, told)


def _finding(finding: Finding) -> Finding:
    key = finding.key if finding.key in SAFE else TOLD_AS[finding.key]
    fields = {name: value for name, value in finding.fields.items() if name in KEPT}
    if "place" in fields:
        fields["place"] = LINE.sub(lambda line: line[0] if len(line[1]) <= LONGEST_LINE else "", str(fields["place"]))
    if key == "class_exception":
        fields["type"] = _known_exception(str(finding.fields["type"]))
    return Finding(finding.verdict, key, fields)


def _known_exception(name: str) -> str:
    """The name of one of Python's own exceptions; an answer may give its own any name."""
    known = getattr(builtins, name, None)
    return name if isinstance(known, type) and issubclass(known, BaseException) else Exception.__name__
