"""A class's rows as JUnit XML: a suite for each student and exercise, a case for each test."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from practice.grader.report import CaseResult, Verdict
from practice.grader.rows import MISSING, UNUSABLE, Row
from practice.grader.tell.class_table import message
from practice.grader.tell.messages import Language, plain, sentence

NOT_GRADED = (MISSING, UNUSABLE, Verdict.UNGRADED)


def rows_as_junit(rows: Sequence[Row], lang: Language) -> str:
    """An XML document.  What failed is a failure, what was not run is skipped, what could not be graded an error."""
    suites = ET.Element("testsuites", name="judge batch")
    for row in rows:
        suite = ET.SubElement(suites, "testsuite", name=f"{plain(row.student)} / {row.exercise}")
        for result in row.results:
            _add_case(suite, row.exercise, result, lang)
        if not row.results:
            case = ET.SubElement(suite, "testcase", classname=row.exercise, name=row.exercise)
            kind = "error" if row.outcome in NOT_GRADED else "failure"
            ET.SubElement(case, kind, type=row.outcome, message=message(row, lang))
        for name, tags in {"tests": "testcase", "failures": ".//failure", "errors": ".//error"}.items():
            suite.set(name, str(len(suite.findall(tags))))
        suite.set("skipped", str(len(suite.findall(".//skipped"))))
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _add_case(suite: ET.Element, exercise: str, result: CaseResult, lang: Language) -> None:
    case = ET.SubElement(suite, "testcase", classname=exercise, name=result.name["en"])
    if result.finding:
        kind = "skipped" if result.verdict is Verdict.NOT_RUN else "failure"
        told = ET.SubElement(case, kind, type=result.verdict, message=sentence(lang, result.finding))
        if kind == "skipped":
            del told.attrib["type"]
