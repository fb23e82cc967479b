"""The comics: drawn from their files, true to the ledger, readable, and told in words as well."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import sync_playwright

import comics
from cartoon.ink import Box
from cartoon.lettering import width, wrap
from cartoon.panel import DRAWN, lay_out
from cartoon.people import POSES
from cartoon.strip import alternative, draw
from chapters import LANGUAGES, ROOT, parse, sources
from jupyter_reader import CHROMIUM_ARGS, chromium
from mini_llm.longctx.ledger import QUOTE, quotable, quoted
from provenance import unexplained

SVG = "{http://www.w3.org/2000/svg}"
STRIPS = [(strip, language) for strip in comics.strips() for language in LANGUAGES]
each = pytest.mark.parametrize(
    ("strip", "language"), STRIPS, ids=[f"{strip.stem}-{language}" for strip, language in STRIPS]
)


def chapter(strip: Path) -> Path:
    """The source of the chapter that a comic belongs to."""
    return next(source for source in sources() if source.stem.startswith(f"{strip.stem}_"))


def spoken(comic: Any, language: str) -> str:
    """All that is written into the drawing."""
    texts = [comic["title"][language]]
    for panel in comic["panel"]:
        texts += [panel["caption"][language], *(said[language] for said in panel["says"])]
        for thing in panel["things"]:
            given = [value[language] if isinstance(value, dict) else value for value in thing.values()]
            texts += [value for value in given if isinstance(value, str)]
    return "\n".join(texts).replace("\u00a0", " ")


def test_every_chapter_has_a_comic_of_six_panels_and_nothing_else_is_there() -> None:
    numbered = [source.stem[:2] for source in sources() if source.stem[:2].isdigit()]
    assert [strip.stem for strip in comics.strips()] == numbered
    assert {len(comics.read(strip)["panel"]) for strip in comics.strips()} == {6}
    drawn = {path.name for path in comics.DRAWINGS.iterdir()}
    assert drawn == {comics.drawing(strip, language).name for strip, language in STRIPS}


@each
def test_the_committed_drawing_is_what_its_file_and_the_ledger_give(strip: Path, language: str) -> None:
    now = draw(quoted(comics.read(strip), quotable()), language)
    committed = comics.drawing(strip, language).read_text(encoding="utf-8")
    assert committed == now, "run `python tools/comics.py`"


@each
def test_numbers_come_from_the_ledger_from_arithmetic_or_from_the_chapters_code(strip: Path, language: str) -> None:
    comic = comics.read(strip)
    code = [cell.source for cell in parse(chapter(strip)).cells if cell.cell_type == "code"]
    assert unexplained(spoken(comic, language), code) == []
    assert unexplained(alternative(comic, language), []) == []  # a chapter may show it beside any code


@pytest.mark.parametrize("strip", comics.strips(), ids=lambda strip: strip.stem)
def test_both_languages_quote_the_same_numbers(strip: Path) -> None:
    comic = comics.read(strip)
    for told in (spoken, alternative):
        quotes = [sorted(QUOTE.findall(told(comic, language))) for language in LANGUAGES]
        assert quotes[0] == quotes[1] != []


@each
def test_the_chapter_shows_its_comic_with_the_words_of_now(strip: Path, language: str) -> None:
    assert comics.image(strip, language) in chapter(strip).read_text(encoding="utf-8"), (
        f"put there what `python tools/comics.py alt {strip.stem} {language}` prints"
    )


@each
def test_the_drawing_is_small_stands_alone_and_has_its_words(strip: Path, language: str) -> None:
    text = comics.drawing(strip, language).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert len(text.encode()) < 60_000
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "g", "path", "circle", "rect", "text")
    }
    assert not re.search(r"href|url\(|style=|\son\w+=", text)
    comic = quoted(comics.read(strip), quotable())
    assert root.findtext(f"{SVG}title") == comic["title"][language]
    assert root.findtext(f"{SVG}desc") == alternative(comic, language)
    sizes = [float(element.attrib["font-size"]) for element in root.iter(f"{SVG}text")]
    assert sum(size >= 24 for size in sizes) >= 24  # six captions, and bubbles


@each
def test_the_markdown_for_a_chapter_is_one_line_and_leads_to_the_drawing(strip: Path, language: str) -> None:
    line = comics.image(strip, language)
    found = re.fullmatch(r"!\[([^\[\]\n]+)\]\((\S+)\)", line)
    assert found
    for folder in (ROOT / "notebooks" / language, ROOT / "lab" / language):
        assert Path(folder, found[2]).resolve() == comics.drawing(strip, language)
    for panel in comics.read(strip)["panel"]:
        told = [panel["scene"], panel["caption"], *panel["says"]]
        assert all(words[language].replace("\u00a0", " ") in found[1] for words in told)


PANEL = """
scene = { en = "A scene.", zh = "一幕。" }
caption = { en = "A caption.", zh = "旁白。" }
things = [{ draw = "engineer", x = 100 }, { draw = "sign", x = 300, text = "sign" }]
says = [{ who = "engineer", en = "Hello.", zh = "你好。" }]
"""


def laid_out(**changes: Any) -> list[str]:
    """The collisions of the panel above with some of it changed."""
    return lay_out(deepcopy(tomllib.loads(PANEL)) | changes, "en").collisions()


def test_a_panel_in_order_has_no_collisions() -> None:
    assert laid_out() == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"caption": {"en": "far too many words " * 6}}, "the caption takes"),
        ({"says": [{"who": "engineer", "y": 80, "en": "Hello."}]}, "is over thing 0"),
        (
            {"says": [{"who": "engineer", "x": 100, "en": "Hello."}, {"who": "sign", "x": 120, "en": "You."}]},
            "is over bubble 1",
        ),
        ({"says": [{"who": "engineer", "y": -30, "en": "Hello."}]}, "leaves the panel"),
        (
            {"says": [{"who": "engineer", "x": 400, "en": "A."}, {"who": "sign", "x": 260, "y": 44, "en": "Crossed?"}]},
            "crosses bubble",
        ),
        ({"things": [{"draw": "engineer", "x": 10}]}, "thing 0 leaves the panel"),
        ({"things": [{"draw": "sign", "x": 100, "text": "a"}, {"draw": "engineer", "x": 100}]}, "is covered"),
    ],
)
def test_what_overlaps_is_found(changes: dict[str, Any], found: str) -> None:
    assert any(found in collision for collision in laid_out(**changes))


@pytest.mark.parametrize(
    ("thing", "meant"),
    [
        ({"draw": "unicorn", "x": 9}, "nobody has drawn 'unicorn'"),
        ({"draw": "engineer", "x": 9, "pose": "dance"}, "no pose 'dance'"),
        ({"draw": "engineer", "x": 9, "mood": "blue"}, "no mood 'blue'"),
        ({"draw": "clerk", "x": 9, "look": "up"}, "not 'up'"),
    ],
)
def test_what_nobody_has_drawn_is_named(thing: dict[str, Any], meant: str) -> None:
    with pytest.raises(ValueError, match=meant):
        laid_out(things=[thing])


def test_a_bubble_without_a_speaker_is_refused() -> None:
    with pytest.raises(ValueError, match="'judge' speaks and is not there"):
        laid_out(says=[{"who": "judge", "en": "Order!"}])


def test_a_whole_comic_that_collides_is_refused_with_its_panels() -> None:
    panel = tomllib.loads(PANEL) | {"says": [{"who": "engineer", "y": 80, "en": "Hello."}]}
    with pytest.raises(ValueError, match=r"panel 2, en: 'Hello.' is over thing 0"):
        draw({"title": {"en": "T"}, "panel": [tomllib.loads(PANEL), panel]}, "en")


@pytest.mark.parametrize("name", ["engineer", "clerk", "landlord", "judge"])
def test_people_stay_within_the_box_they_claim_in_every_pose(name: str) -> None:
    for look in ("left", "right"):
        for pose in POSES:
            thing = DRAWN[name](pose=pose, look=look)
            hands = [tuple(map(float, at)) for at in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)" r="6"', thing.svg)]
            assert len(hands) == 2
            assert all(thing.box.holds(Box(x - 6, y - 6, x + 6, y + 6)) for x, y in hands)


@pytest.mark.parametrize("limit", [100, 150, 240, 400])
def test_chinese_breaks_between_characters_but_not_before_a_closing_mark(limit: float) -> None:
    text = "他老哼同一个音，大家都靠它定调（“真的”）；一共 44% 的注意力，32 个口令！"
    lines = wrap(text, 24, limit, wide=True)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) > 1
    assert all(width(line, 24, wide=True) <= limit for line in lines)
    assert not any(line[0] in "，。；）！”%" or line[-1] in "（“" for line in lines)
    assert not any(before[-1].isdigit() for before, _ in pairwise(lines))


def test_english_breaks_at_spaces_at_sentence_ends_if_it_can_and_not_at_no_break_spaces() -> None:
    assert wrap("You are row 0. You see seat 0.", 24, 250, wide=False) == ["You are row 0.", "You see seat 0."]
    assert wrap("one two\u00a0three", 24, 130, wide=False) == ["one", "two\u00a0three"]
    with pytest.raises(ValueError, match="'unbreakable' does not fit"):
        wrap("an unbreakable word", 24, 100, wide=False)


@pytest.mark.browser
def test_chromium_sets_no_line_wider_than_was_measured() -> None:
    measure = """() => [...document.querySelectorAll('text')].map(t =>
        [t.textContent, +t.getAttribute('font-size'), t.hasAttribute('font-weight'), t.getComputedTextLength()])"""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        page = browser.new_page()
        for strip, language in STRIPS:
            page.set_content(comics.drawing(strip, language).read_text(encoding="utf-8"))
            lines = page.evaluate(measure)
            assert len(lines) > 20
            for text, size, bold, long in lines:
                assert long <= width(text, size, wide=language == "zh", bold=bold) * 1.02 + 1, text
        browser.close()
