"""What students are told: tests and misconceptions by name, nothing of a hidden case, on a page that runs nothing."""

import re

import pytest
from bs4 import BeautifulSoup
from classes.thirty import WRITTEN

from practice.nbgrader.pages import POLICY

STUDENTS = ["h01", "h03", "w01", "w03", "x01", "x03", "x07"]


@pytest.mark.parametrize("student", STUDENTS)
def test_no_script_runs_on_the_page(graded, student):
    page = BeautifulSoup(graded.feedback(student), "html.parser")
    (policy,) = page.find_all("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert policy["content"] == POLICY
    before = [tag.name for tag in policy.find_all_previous(["script", "style", "link", "img"])]
    assert before == []
    handlers = {name for tag in page.find_all(True) for name in tag.attrs if name.startswith("on")}
    assert handlers == set()


def test_a_misconception_is_named_and_no_case_is_shown(graded):
    page = BeautifulSoup(graded.feedback("w03"), "html.parser")
    told = page.find_all("div", class_="output_html")[0].get_text("\n")
    assert "<" not in told
    assert "WRONG: 10 of 23 tests passed, 4.34 of 10 points" in told
    assert "This is the plain sliding window" in told
    assert "✗ one sink" in told
    assert not re.search(r"tensor|expected \[|got \[|20260105|\d\.\d{3}", told)


def test_forged_outputs_are_gone(graded):
    page = graded.feedback("x07")
    assert "onerror" not in page
    assert page.count("0 of 10 points") == 4


def test_a_written_answer_is_shown_letter_by_letter(graded):
    page = BeautifulSoup(graded.feedback("h01"), "html.parser")
    (answer,) = page.find_all("div", style="white-space: pre-wrap")
    assert answer.get_text() == WRITTEN.replace("\r", "\n")
    assert {"tex2jax_ignore", "mathjax_ignore"} <= set(answer["class"])


def test_the_rubric_is_not_on_the_page(graded):
    assert "what was evicted is gone for good" not in graded.feedback("h01")
