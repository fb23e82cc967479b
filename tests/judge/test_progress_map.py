"""The map of the exercises: `%judge_progress`, and the page that it shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.catalogue import all_cards
from practice.grader.notebook.magic import JudgeMagic
from practice.grader.progress import Record
from practice.grader.tell.messages import LANGUAGES, Language
from practice.grader.tell.progress_map import chapter_pages, render_map

PASSED, TRIED = Record(gradings=2, passed_at="2026-01-01T00:00:00+00:00"), Record(gradings=1)


def words(page: str) -> str:
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.DOTALL).split())


def test_each_exercise_has_its_sign_and_the_next_one_is_named() -> None:
    cards = all_cards()
    records = {cards[0].id: PASSED, cards[1].id: TRIED}
    told = words(render_map(cards, records, "en", "01", {}))
    assert f"1 of {len(cards)} exercises passed. Next: {cards[1].id} (" in told
    assert [told.count(sign) for sign in "●◐○"] == [2, 2, len(cards) - 1]  # once in the legend
    assert f"● {cards[0].id}" in told
    assert f"◐ {cards[1].id}" in told


def test_other_chapters_are_links_and_this_one_is_marked() -> None:
    page = render_map(all_cards(), {}, "en", "03", {"03": "03_streaming.ipynb", "04": "04_sparse.ipynb"})
    assert '<b aria-current="page">▸ 03 streaming</b>' in page
    assert '<a href="04_sparse.ipynb">04 sparse</a>' in page
    assert "<span>02</span>" in page


@pytest.mark.parametrize(("lang", "sentence"), [("en", "You have passed them all."), ("zh", "全部通过。")])
def test_all_passed(lang: Language, sentence: str) -> None:
    assert sentence in render_map(all_cards(), {card.id: PASSED for card in all_cards()}, lang, "01", {})


def test_pages_are_the_chapters_of_the_folder(tmp_path: Path) -> None:
    for name in ("01_cost.ipynb", "glossary.ipynb", "02_mini_llm.md"):
        (tmp_path / name).touch()
    assert chapter_pages(tmp_path) == {"01": "01_cost.ipynb"}


class Terminal:
    """An IPython shell without a kernel."""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_magic_tells_it_in_a_terminal_and_says_how_it_is_called(
    lang: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    magic: Callable[[str], None] = JudgeMagic(Terminal()).progress
    magic(f"03 --lang {lang}")
    assert "0/16" in capsys.readouterr().out
    magic("03 --lang")
    assert "%judge_progress 03" in capsys.readouterr().err
