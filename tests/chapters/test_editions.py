"""What is committed: built from its source, the same in both languages but for the prose, whole and executed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import chapters
from execution import NOT_RUN, STATES
from mini_llm.longctx import ledger
from practice.grader import catalogue

SOURCES = chapters.sources()
CHAPTERS = [source for source in SOURCES if source.stem[0].isdigit()]
by_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
by_chapter = pytest.mark.parametrize("source", CHAPTERS, ids=lambda source: source.stem)


def committed(source: Path, language: str) -> Any:
    return nbformat.read(chapters.target(source, language), as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_chapters() -> None:
    assert [source.stem[:2] for source in CHAPTERS] == [f"{number:02d}" for number in range(len(CHAPTERS))]
    assert {"cheat_sheet", "glossary"} == {source.stem for source in SOURCES} - {source.stem for source in CHAPTERS}


@by_source
@pytest.mark.parametrize("language", chapters.LANGUAGES)
def test_an_edition_is_what_its_source_builds(source: Path, language: str) -> None:
    notebook, found = chapters.parse(source), committed(source, language)
    expected = [
        (
            cell.cell_type,
            ledger.quote(cell.source, ledger.quotable())
            if cell.cell_type == "markdown"
            else chapters.code_in(cell.source, language),
        )
        for cell in notebook.cells
        if cell.metadata.get("lang", language) == language
    ]
    assert [(cell.cell_type, cell.source) for cell in found.cells] == expected, "run `make notebooks`"


@pytest.mark.parametrize("prose", ["{{03.ppl.full}}", "{{03.ppl.full:.1f}} and {{ 03", "a }} b"])
def test_a_placeholder_that_is_no_quote_is_an_error(prose: str) -> None:
    with pytest.raises(ValueError, match="no quote of the ledger"):
        ledger.quote(prose, {"03.ppl.full": {"value": 1.0, "rel_tol": 0.1}})


@by_source
def test_code_and_outputs_are_the_same_in_both_languages(source: Path) -> None:
    english, chinese = (code_cells(committed(source, language)) for language in ("en", "zh"))
    assert [c.source.replace("--lang en", "--lang zh") for c in english] == [c.source for c in chinese]
    for one, other in zip(english, chinese, strict=True):
        assert one.outputs == other.outputs or chapters.MAP.search(one.source), one.source


@by_source
def test_every_passage_has_both_languages(source: Path) -> None:
    languages = [cell.metadata.get("lang") for cell in chapters.parse(source).cells if cell.cell_type == "markdown"]
    assert None not in languages
    assert languages == ["zh", "en"] * (len(languages) // 2)
    for cell in chapters.parse(source).cells:
        if cell.metadata.get("lang") == "en" and source.stem != "glossary":
            assert not re.search(r"[\u4e00-\u9fff]", cell.source)


@by_source
def test_both_languages_quote_the_same_numbers(source: Path) -> None:
    cells = [cell for cell in chapters.parse(source).cells if cell.cell_type == "markdown"]
    for chinese, english in zip(cells[::2], cells[1::2], strict=True):
        assert sorted(ledger.QUOTE.findall(chinese.source)) == sorted(ledger.QUOTE.findall(english.source))


@by_chapter
def test_cells_are_short_executed_and_clean(source: Path) -> None:
    for cell in code_cells(committed(source, "en")):
        assert bool(cell.execution_count) != (NOT_RUN in cell.metadata.get("tags", [])), cell.source
        assert len(cell.source.splitlines()) <= 25, cell.source
        assert not re.search(r"[\u4e00-\u9fff]", cell.source)
        assert all(output.output_type != "error" for output in cell.outputs)
        assert all(len(text) < 5000 for text in chapters._texts(cell, {cell.id: cell})[1:]), "a value left to be shown"


@by_chapter
def test_a_chapter_has_a_figure_and_a_control(source: Path) -> None:
    kinds = {kind for cell in code_cells(committed(source, "en")) for o in cell.outputs for kind in o.get("data", {})}
    assert {"image/png", "application/vnd.jupyter.widget-view+json"} <= kinds


@by_chapter
@pytest.mark.parametrize("language", chapters.LANGUAGES)
def test_widgets_have_the_present_scripts_and_questions(source: Path, language: str) -> None:
    """Else: `python tools/chapters.py prose`."""
    states = [model["state"] for model in committed(source, language).metadata.widgets[STATES]["state"].values()]
    views = [state for state in states if "lang" in state]
    assert sum("questions" in state for state in views) == 1
    for state in views:
        assert {"lang": language, **chapters.present(state)}.items() <= state.items()


@by_source
@pytest.mark.parametrize("language", chapters.LANGUAGES)
def test_a_notebook_is_under_a_megabyte(source: Path, language: str) -> None:
    assert chapters.target(source, language).stat().st_size < 1_000_000


@by_source
def test_every_number_in_the_prose_comes_from_somewhere(source: Path) -> None:
    assert chapters.numbers_from_nowhere(chapters.parse(source), committed(source, "en")) == []


def test_every_published_number_has_a_source_and_is_quoted() -> None:
    quoted = {key for source in SOURCES for key, _ in ledger.QUOTE.findall(source.read_text(encoding="utf-8"))}
    for key, entry in ledger.read(ledger.PUBLISHED).items():
        assert entry.keys() == {"value", "source"}
        assert key in quoted
        assert key.startswith("pub.")
        assert entry["source"].strip()


def test_every_exercise_stands_in_its_chapter() -> None:
    """Once, in the chapter that its card names."""
    where = {
        exercise: source.stem[:2]
        for source in CHAPTERS
        for exercise in re.findall(r"^%%judge (\w+)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert where == {card.id: card.chapter for card in catalogue.all_cards()}


def test_every_number_of_the_ledger_is_quoted_or_belongs_to_a_quoted_family() -> None:
    prose = "".join(source.read_text(encoding="utf-8") for source in SOURCES)
    quoted = {key.rsplit(".", 1)[0] for key, _ in ledger.QUOTE.findall(prose) if not key.startswith("pub.")}
    families = {key.rsplit(".", 1)[0] for key in ledger.read()}
    assert quoted <= families
    assert {family.split(".")[0] for family in families} <= {source.stem[:2] for source in CHAPTERS}


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(KeyError, match=r"03\.nothing"):
        ledger.quote("{{03.nothing:.1f}}", ledger.read())


@by_source
def test_chinese_prose_has_chinese_punctuation(source: Path) -> None:
    for cell in chapters.parse(source).cells:
        if cell.metadata.get("lang") == "zh":
            assert not re.findall(r"[\u4e00-\u9fff][*]*[,:;?!()]|[,;?!][*]*[\u4e00-\u9fff]", cell.source)
