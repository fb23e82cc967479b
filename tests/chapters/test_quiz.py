"""The chapters' quizzes keep to the rules, and the lint finds what breaks one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import quiz_lint
from mini_llm.show import quiz

TEMPLATE = """[[question]]
id = "which-{number}"
kind = "choice"
section = 2
en = "Which of the layers keeps most of the cache?"
zh = "哪一层存得最多？"

[[question.option]]
en = "The widest of them"
zh = "最宽的那层"
why_en = "Width does not enter."
why_zh = "与宽度无关。"

[[question.option]]
right = true
en = "The one that has no window"
zh = "没有窗口的那层"
why_en = "It goes on growing."
why_zh = "它一直在长。"

[[question.option]]
en = "The first, where everything is still exact"
zh = "最前面的一层，那里什么都还准确"
why_en = "Depth does not enter."
why_zh = "与深度无关。"

"""
CHOICE = TEMPLATE.format(number=1)
NUMBER = """[[question]]
id = "how-much"
kind = "number"
section = 2
en = "Of 2 layers with 12 slots each, how many slots are there?"
zh = "2 层，每层 12 个槽位，一共多少个？"
right = 24
tolerance = 0.01
unit_en = "slots"
unit_zh = "个"
why_en = "2 × 12 = 24."
why_zh = "2 × 12 = 24。"
hint_en = "Multiply."
hint_zh = "乘起来。"

[[question.mistake]]
value = 14
why_en = "2 + 12 = 14 adds."
why_zh = "2 + 12 = 14 是相加。"

"""
ORDER = """[[question]]
id = "in-order"
kind = "order"
section = 2
en = "Fewest bytes first."
zh = "字节从少到多。"
why_en = "So it is."
why_zh = "正是。"
item = [
  { place = 3, en = "bf16", zh = "bf16", why_en = "Twice fp8.", why_zh = "是 fp8 的两倍。" },
  { place = 1, en = "int4", zh = "int4" },
  { place = 2, en = "fp8", zh = "fp8", why_en = "Twice int4.", why_zh = "是 int4 的两倍。" },
  { place = 4, en = "fp32", zh = "fp32", why_en = "Twice bf16.", why_zh = "是 bf16 的两倍。" },
]
"""
GOOD = CHOICE + NUMBER + ORDER


def found_in(text: str, folder: Path) -> list[str]:
    path = folder / "03.toml"
    path.write_text(text, encoding="utf-8")
    return quiz_lint.lint(path)


def test_every_chapter_has_a_quiz() -> None:
    sources = {path.stem[:2] for path in quiz_lint.SOURCES.glob("[0-9][0-9]_*.md")}
    assert set(quiz.chapters()) == sources


@pytest.mark.parametrize("chapter", quiz.chapters())
def test_a_quiz_keeps_to_the_rules(chapter: str) -> None:
    assert quiz_lint.lint(quiz.FOLDER / f"{chapter}.toml") == []
    assert len(quiz.load(chapter)) >= 4
    assert {question["kind"] for question in quiz.load(chapter)} == {"choice", "number", "order"}


def test_a_plain_quiz_passes(tmp_path: Path) -> None:
    assert found_in(GOOD, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("The widest of them", "All of the above", "answers for the others"),
        ("最宽的那层", "以上都不对", "answers for the others"),
        ("The widest of them", "the first, where everything is still exact.", "two options are the same"),
        (
            "The one that has no window",
            "The one that has no window, so that nothing ever leaves it at all",
            "far the longest",
        ),
        ("没有窗口的那层", "没有窗口的那层，因为什么也不会离开它，于是一直增长", "zh: the right option is by far"),
        ("The one that has no window", "Often the one without a window", "only the right option has a hedge"),
        ("The one that has no window", "Number 7, which has no window", "only the right option has a number"),
        ("The one that has no window", "The one with a cache for good", r"only the right option repeats .*\['cache'\]"),
        ('why_zh = "与宽度无关。"\n', "", "which-1, option: why_zh is missing"),
        ('why_en = "It goes on growing."', 'why_en = ""', "which-1, option: why_en is missing"),
        ('zh = "哪一层存得最多？"\n', "", "which-1: zh is missing"),
        ("right = true\n", "", "one of them right"),
        ("right = true\n", "rigth = true\n", "rigth is not known"),
        ("section = 2", "section = 99", "the chapter has no section 99"),
        ('kind = "choice"', 'kind = "essay"', "kind 'essay' is none of"),
        ("Width does not enter.", "Width, some 31.7 units, does not enter.", "en: 31.7 comes from nowhere"),
        (
            "Width does not enter.",
            "Width, {{03.ppl.full:.1f}}, does not enter.",
            "the languages quote different numbers",
        ),
        ("Width does not enter.", "Width does *not* enter.", "only `code` is set as such"),
        ("Width does not enter.", "Width 与此无关.", "en: Chinese in"),
        ("与宽度无关。", "与宽度无关,真的。", "zh: Western punctuation"),
        ("value = 14", "value = 24.1", "24 and 24.1 cannot be told apart"),
        ("value = 14", "value = 13", "the reason for 13 does not show"),
        ("tolerance = 0.01", "tolerance = 0.4", "tolerance 0.4 is not within"),
        ('hint_zh = "乘起来。"\n', "", "how-much: hint_zh is missing"),
        ('why_en = "Twice int4.", ', "", "in-order, item: why_en is missing"),
        ("place = 4", "place = 5", r"places are \[3, 1, 2, 5\]"),
        ('id = "in-order"', 'id = "which-1"', "two questions have this id"),
    ],
)
def test_the_lint_finds(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert GOOD.count(old) > 0
    found = found_in(GOOD.replace(old, new, 1), tmp_path)
    assert any(re.search(said, line) for line in found), found


def test_items_already_in_order_are_found(tmp_path: Path) -> None:
    before, _, _ = ORDER.partition("item = [")
    items = sorted(line for line in ORDER.splitlines() if "place = " in line)
    in_order = "\n".join((before + "item = [", *items, "]"))
    assert found_in(in_order, tmp_path) == ["in-order: the items stand in the right order in the file"]


def test_habits_of_a_whole_quiz_are_found(tmp_path: Path) -> None:
    three = "".join(TEMPLATE.format(number=number) for number in range(3))
    assert found_in(three, tmp_path) == ["the right option is number 2 in 3 of 3 questions"]
    longest = three.replace("The first, where everything is still exact", "The first")
    assert "en: the right option is the longest in 3 of 3 questions" in found_in(longest, tmp_path)
    shortest = three.replace("The one that has no window", "The full one")
    assert "en: the right option is the shortest in 3 of 3 questions" in found_in(shortest, tmp_path)
    absolute = three.replace("The widest of them", "Always the widest of them")
    assert "en: words such as “all” or “never” stand in 3 wrong options and in no right one" in found_in(
        absolute, tmp_path
    )
