"""What is read of a submitted notebook, of any size and shape."""

import json

from practice.grader.assignments import submission
from practice.grader.assignments.submission import as_text, handed_in, written_answer

FILE = "01_cost.ipynb"


def notebook(*cells):
    return json.dumps({"cells": list(cells)}).encode()


def cell(source, name="kv_bytes", kind="code"):
    return {"cell_type": kind, "source": source, "metadata": {"nbgrader": {"grade_id": name, "solution": True}}}


def test_a_notebook_is_read_once_for_all_its_exercises(monkeypatch):
    calls = []
    real = submission.marked_cells
    monkeypatch.setattr(submission, "marked_cells", lambda *known: calls.append(known) or real(*known))
    for raw, found in ((notebook(cell("once")), [b"once", b""]), (b"no notebook, once", [b"", b""])):
        calls.clear()
        assert [handed_in(raw, FILE, name, name).code for name in ("kv_bytes", "tpot_floor")] == found
        assert len(calls) == 1


def test_of_very_many_cells_only_some_are_listed():
    handed = handed_in(notebook(*[cell("x = 1")] * 100_000), FILE, "kv_bytes", "kv_bytes")
    assert handed.finding.fields["cells"] == "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..."
    assert len(handed.shown) < 1.1 * submission.LONGEST


def test_names_that_are_no_text_name_nothing():
    strange = [cell("x", name) for name in (["question"], {"question": 1}, 7, None, "")]
    assert written_answer(notebook(*strange, 7, cell("mine", "question", "markdown")), "question") == "mine"


def test_nothing_in_a_written_answer_can_be_markup():
    shown = as_text("</div>\r\r# **b** _i_ $x$ `c`\u2028<img src=x>")
    assert shown.endswith("&#95;i&#95; &#36;x&#36; &#96;c&#96;&#8232;&#60;img src&#61;x&#62;</div>")
    assert not set("<$*_`\n\r") & set(shown.partition(">")[2].removesuffix("</div>"))
