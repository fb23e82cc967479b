"""What a course folder's `nbgrader_config.py` sets, so that nbgrader grades through the judge."""

from typing import Any

from nbgrader.converters import GenerateAssignment

from practice.nbgrader.source import CheckSource


def grade_with_judge(c: Any) -> None:
    """Set nbgrader (`c` is what `get_config()` gives) to run no submission, and to trust none.

    Each line closes a way that the tests of this folder try: see `What nbgrader trusts` in the README beside.
    """
    c.GenerateAssignment.preprocessors = [CheckSource, *GenerateAssignment.preprocessors.default()]
    c.Autograde.exporter_class = "practice.nbgrader.answers.AnswerExporter"
    c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.CheckCellMetadata"]
    c.Autograde.autograde_preprocessors = [
        "practice.nbgrader.judged.JudgeCells",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    c.ExchangeFactory.collect = "practice.nbgrader.collect.CarefulCollect"
    c.GenerateFeedback.exporter_class = "practice.nbgrader.pages.FeedbackExporter"
    c.HTMLExporter.sanitize_html = True
    c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    c.ClearSolutions.text_stub = "YOUR ANSWER HERE · 请在这里作答"
