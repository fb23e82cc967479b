"""The quiz in a browser: what a wrong answer is told, what a right one, what is counted, what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bare_page import show
from mini_llm.show import quiz
from mini_llm.show.quiz import Quiz

QUESTIONS = """
[[question]]
id = "which"
kind = "choice"
section = 2
en = "What does `k[-0:]` keep?"
zh = "`k[-0:]` 留下什么？"
option = [
  { en = "Nothing", zh = "没有", why_en = "No, -0 is 0.", why_zh = "不，-0 就是 0。" },
  { en = "All <b>of</b> it", zh = "全部", why_en = "Yes, all.", why_zh = "对，全部。", right = true },
  { en = "The last", zh = "最后一个", why_en = "That is -1.", why_zh = "那是 -1。" },
]

[[question]]
id = "how-much"
kind = "number"
section = 1
en = "How much is it?"
zh = "是多少？"
right = "{{01.kv.llama-2-70b.gb:.3f}}"
tolerance = 0.01
unit_en = "GB"
unit_zh = "GB"
why_en = "Counted right."
why_zh = "数对了。"
hint_en = "Count KV heads."
hint_zh = "数 KV 头。"
mistake = [{ value = 10.74, why_en = "Those are query heads.", why_zh = "那是 query 头。" }]

[[question]]
id = "in-order"
kind = "order"
section = 3
en = "Smallest first."
zh = "从小到大。"
why_en = "So it is."
why_zh = "正是。"
item = [
  { place = 3, en = "three", zh = "三", why_en = "three comes after two", why_zh = "三在二之后" },
  { place = 1, en = "one", zh = "一" },
  { place = 2, en = "two", zh = "二", why_en = "two comes after one", why_zh = "二在一之后" },
]
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Quiz:
    (tmp_path / "07.toml").write_text(QUESTIONS, encoding="utf-8")
    monkeypatch.setattr(quiz, "FOLDER", tmp_path)
    widget = Quiz("07")
    widget.lang = "en"
    return widget


def expect_verdict(page: Page, words: str) -> None:
    expect(page.get_by_role("status")).to_have_text(words)


def test_a_wrong_option_is_told_why_and_the_right_one_is_found_later(small: Quiz) -> None:
    with show(small) as page:
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "Choose an answer first.")
        page.get_by_label("The last").check()
        page.keyboard.press("Enter")
        expect_verdict(page, "✗ Not yet.That is -1.")
        expect(page.get_by_role("radio", name="The last")).to_be_disabled()
        page.get_by_label("Nothing").check()
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "✗ Not yet.No, -0 is 0.")
        expect(page.get_by_text("That is -1.")).to_be_visible()  # beside the option, still
        page.get_by_label("All <b>of</b> it").check()  # text, not markup
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "✓ Right.Yes, all.")
        expect(page.locator(".score")).to_contain_text("Right later: 1. Still open: 2.")
        expect(page.locator(".score")).to_contain_text("Sections to read again: 2.")
        expect(page.locator(".stem code")).to_have_text("k[-0:]")


TYPED = {
    "1.34": "✓ Right.1.34 GB: Counted right.",
    "1,35 GB": "✓ Right.1.35 GB: Counted right.",
    "１．３４": "✓ Right.1.34 GB: Counted right.",
    "10.7": "✗ Not yet.10.7 GB: Those are query heads.",
    "1,342": "✗ Not yet.1,342 GB: too large. Count KV heads.",
    "-1.34": "✗ Not yet.-1.34 GB: too small. Count KV heads.",
    "1.25 GiB": "The answer is asked in GB, and you wrote “GiB”: convert it first.",
    "a lot": "Write one number, such as 1.5 or 1,500.",
    "": "Write one number, such as 1.5 or 1,500.",
}


def test_a_number_is_read_as_it_is_written(small: Quiz) -> None:
    small.current = 1
    with show(small) as page:
        for typed, told in TYPED.items():
            page.get_by_role("textbox").fill(typed)
            page.get_by_role("textbox").press("Enter")
            expect_verdict(page, told)
            counted = page.evaluate("(model.get('answers')['how-much'] ?? []).length")
            assert counted == ("GB: " in told), "what cannot be read is no try"
            page.evaluate("millisecondsToDraw(() => model.set('answers', {}))")


def test_items_are_moved_by_the_keyboard_and_the_first_that_stands_wrong_is_told(small: Quiz) -> None:
    small.current = 2
    with show(small) as page:

        def push(item: str, direction: str) -> None:
            page.get_by_role("button", name=f"up: {item}").focus()
            for _ in range(2):
                page.keyboard.press(direction)

        order = page.locator("li > span")
        expect(order).to_have_count(3)
        expect(order).not_to_have_text(["one", "two", "three"])  # not in the right order at first
        push("three", "ArrowUp")
        push("one", "ArrowDown")
        expect(order).to_have_text(["three", "two", "one"])
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "✗ Not yet.two comes after one")
        push("one", "ArrowUp")
        expect(page.get_by_role("button", name="up: one")).to_be_focused()  # the focus moves along
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "✗ Not yet.three comes after two")
        page.get_by_role("button", name="down: three").click()
        page.get_by_role("button", name="Check").click()
        expect_verdict(page, "✓ Right.So it is.")


def test_no_key_pressed_on_a_control_is_taken_by_jupyterlab(small: Quiz) -> None:
    small.current = 2
    with show(small) as page:
        expect(page.get_by_role("button", name="down: one")).to_be_visible()
        expect(page.locator(":is(button, input, [tabindex]):not([data-lm-suppress-shortcuts])")).to_have_count(0)


def test_saved_answers_come_back_and_a_new_round_forgets_them(small: Quiz) -> None:
    small.answers = {"which": [1], "how-much": [10.74, 1.34], "in-order": [[1, 2, 0]]}
    small.current = 1
    with show(small) as page:
        expect(page.get_by_role("textbox")).to_have_value("1.34")
        expect(page.locator(".score")).to_contain_text("Right at the first try: 2 of 3. Right later: 1. Still open: 0.")
        marks = page.get_by_role("group", name="questions").get_by_role("button")
        expect(marks).to_have_text(["1 ✓", "2 ◐", "3 ✓"])
        page.get_by_role("button", name="Start again").click()
        page.get_by_role("heading", name="question 1 of 3").wait_for()
        assert page.evaluate("[model.get('answers'), model.get('round')]") == [{}, 1]


def test_chinese_is_asked_and_answered_in_chinese(small: Quiz) -> None:
    small.lang = "zh"
    with show(small) as page:
        page.get_by_label("没有").check()
        page.get_by_role("button", name="检查").click()
        expect_verdict(page, "✗ 还不对。不，-0 就是 0。")
        expect(page.locator(".score")).to_contain_text("值得重读的节：2。")


def test_the_right_option_stands_in_different_places(small: Quiz, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the real quizzes, all on one page
    choices = {chapter: [q for q in quiz.load(chapter) if q["kind"] == "choice"] for chapter in quiz.chapters()}
    small.questions = [question for each in choices.values() for question in each]
    with show(small) as page:
        number = 0
        for questions in choices.values():
            places = set()
            for question in questions:
                page.evaluate(f"model.set('current', {number})")
                expect(page.locator(".stem")).to_have_text(question["en"].replace("`", ""))
                shown = page.locator(".option").all_inner_texts()
                (right,) = (option["en"] for option in question["option"] if option.get("right"))
                places.add([text.strip() for text in shown].index(right.replace("`", "")))
                number += 1
            assert len(places) > 1


def test_every_chapter_has_one_wherever_the_notebook_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for chapter in quiz.chapters():
        assert "{{" not in str(Quiz(chapter).questions)
        data, _ = Quiz(chapter)._repr_mimebundle_()
        assert data["image/png"].startswith(b"\x89PNG")


def test_quotes_become_text_and_numbers(small: Quiz) -> None:
    assert small.questions[1]["right"] == 1.342


def test_a_chapter_without_a_quiz_is_named() -> None:
    with pytest.raises(ValueError, match=r"no quiz for chapter '99'; there are 00, 01"):
        Quiz("99")


def test_braces_that_are_no_quote_are_an_error(small: Quiz) -> None:
    path = quiz.FOLDER / "07.toml"
    path.write_text(QUESTIONS.replace("Counted right.", "{{01.kv.llama-2-70b.gb}} GB"), encoding="utf-8")
    with pytest.raises(ValueError, match="no quote"):
        quiz.load("07")
