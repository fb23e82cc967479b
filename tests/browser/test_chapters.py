"""The chapters as a learner meets them in Chromium: every edition opened, every chapter run, every widget moved."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

import chapters
from jupyter_reader import ROOT, Reader, chromium, lab_server, picture_path, reader

pytestmark = [pytest.mark.browser, pytest.mark.model]

VIEW = "application/vnd.jupyter.widget-view+json"
PAGES = [source.stem for source in chapters.sources()]
RUN = [(stem, "en" if number % 2 else "zh") for number, stem in enumerate(p for p in PAGES if p[0].isdigit())]
MOVES = {
    "input[type=range]": "ArrowRight",
    "canvas": "ArrowDown",
    "tbody button": "Enter",
    "form input, form ol button": "Space",
}
PICTURE = """(widget) => widget.innerHTML + widget.innerText
    + [...widget.querySelectorAll('canvas')].map(canvas => canvas.toDataURL()).join()
    + [...widget.querySelectorAll('input, select')].map(control => control.value + control.checked).join()"""

CANVASES = "widget => [...widget.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())"
REDRAWN = f"([widget, before]) => ({CANVASES})(widget).every(canvas => !before.includes(canvas))"
CUT = """widget => [...widget.closest('.jp-OutputArea').querySelectorAll('.course, .course *')]
    .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth
        && getComputedStyle(part).overflowX !== 'auto')
    .map(part => part.outerHTML.slice(0, 200))"""
CHANGE_THEME = "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    chromium()
    home = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(home))  # the progress of whoever runs the tests stays as it is
        with lab_server(home) as url:
            yield url


@pytest.fixture
def learner(server: str) -> Iterator[Reader]:
    with reader(server) as looking:
        yield looking
        assert looking.errors == []
        assert looking.outside == []


def source(stem: str) -> Path:
    return chapters.SOURCES / f"{stem}.md"


def title(stem: str, language: str) -> str:
    """A chapter's heading, by its source."""
    cells = chapters.parse(source(stem)).cells
    first = next(cell for cell in cells if cell.metadata.get("lang") == language)
    return str(first.source.splitlines()[0].lstrip("# "))


def widgets(learner: Reader) -> Iterator[Locator]:
    """The course's widgets of the open notebook, each scrolled to and drawn."""
    for index in learner.cells_that_show(VIEW):
        cell = learner.show_cell(index)
        widget = cell.locator(".course").first
        widget.wait_for(timeout=30_000)
        yield widget


@pytest.mark.parametrize("language", chapters.LANGUAGES)
@pytest.mark.parametrize("stem", PAGES)
def test_an_edition_opens_with_its_widgets_drawn_before_anything_is_run(
    learner: Reader, stem: str, language: str
) -> None:
    learner.open(f"lab/{language}/{stem}.ipynb")
    expect(learner.page.locator(".jp-MarkdownCell h1").first).to_contain_text(title(stem, language))
    for widget in widgets(learner):
        assert widget.bounding_box()["height"] > 40
    pictures = learner.page.locator(".jp-MarkdownCell img")
    for picture in pictures.all():
        assert picture.evaluate("async picture => (await picture.decode(), picture.naturalWidth)") > 100


@pytest.mark.parametrize(("stem", "language"), RUN)
def test_a_chapter_runs_to_the_end_and_its_widgets_move(learner: Reader, stem: str, language: str) -> None:
    learner.open(f"lab/{language}/{stem}.ipynb")
    learner.run_all()
    outputs = learner.outputs()
    assert [output for cell in outputs for output in cell if output["output_type"] == "error"] == []
    told = ["".join(o["data"]["text/plain"]) for cell in outputs for o in cell if "text/html" in o.get("data", {})]
    untouched = {"en": "This is the starter still", "zh": "这还是起始代码"}[language]
    exercises = sum(cell.source.startswith("%%judge ") for cell in chapters.parse(source(stem)).cells)
    assert sum(untouched in text for text in told) == exercises
    for widget in widgets(learner):
        before = widget.evaluate(PICTURE)
        move(widget)
        expect_change(widget, before)


def move(widget: Locator) -> None:
    """Move a widget by the keyboard as a reader would: its first slider, else its canvas, table or form."""
    for control, key in MOVES.items():
        found = widget.locator(f"{control}:visible").first
        if found.count():
            expect(found).to_be_enabled(timeout=30_000)  # some wait for the kernel's answer
            found.focus()
            found.press(key)
            return
    raise AssertionError(f"nothing to move: {widget.inner_text()[:200]}")


def expect_change(widget: Locator, before: str) -> None:
    """Wait until a widget looks other than before."""
    widget.page.wait_for_function(
        f"([widget, before]) => ({PICTURE})(widget) !== before", arg=[widget.element_handle(), before], timeout=60_000
    )


def course_widget(learner: Reader, notebook: str, title: str) -> Locator:
    """Open a notebook and scroll to the widget of this title; nothing is run."""
    learner.open(notebook)
    return next(widget for widget in widgets(learner) if title in widget.inner_text())


def test_the_eviction_replay_tells_why_a_window_fails_and_a_sink_helps(learner: Reader) -> None:
    replay = course_widget(learner, "lab/en/03_streaming.ipynb", "Who is kept")
    expect(replay).to_contain_text("Window alone, budget 64: perplexity 123, full cache 48")
    expect(replay).to_contain_text("Token 0 goes in step 5")
    replay.locator("[data-key=sinks] input").press("ArrowRight")
    expect(replay).to_contain_text("1 sink + window, budget 64: perplexity 55")


def test_the_calculator_counts_the_requests_that_fit(learner: Reader) -> None:
    calculator = course_widget(learner, "lab/en/01_cost.ipynb", "What a request costs")
    expect(calculator).to_contain_text(re.compile(r"18\s*requests of 32K fit"))


def test_a_quiz_is_answered_wrong_and_then_right(learner: Reader) -> None:
    quiz = course_widget(learner, "lab/en/01_cost.ipynb", "Quiz")
    answer, verdict = quiz.locator("input[type=text]"), quiz.locator(".verdict")
    answer.fill("1.00")
    answer.press("Enter")
    expect(verdict).to_contain_text("That is GiB")
    learner.screenshot("quiz_wrong")
    answer.fill("1.07")
    answer.press("Enter")
    expect(verdict).to_contain_text("Right.")
    expect(quiz.locator(".score")).to_contain_text("Right later: 1")
    learner.screenshot("quiz_right")


def test_what_was_answered_and_what_was_not_run_is_there_on_the_next_day(server: str) -> None:
    copy = ROOT / "build" / "next_day.ipynb"
    shutil.copy(ROOT / "notebooks" / "en" / "00_start.ipynb", copy)
    subprocess.run([sys.executable, "-m", "nbformat.sign", copy], check=True, stdout=subprocess.DEVNULL)
    with reader(server) as first:
        quiz = course_widget(first, "build/next_day.ipynb", "Quiz")
        quiz.locator("input[type=radio]:visible, input[type=text]:visible").first.press("Space")
        shown = len(first.cells_that_show(VIEW))
        quiz.get_by_role("button", name="Check").click()
        expect(quiz.locator(".verdict")).not_to_be_empty()
        told = quiz.locator(".score").inner_text()
        first.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        first.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
        again = course_widget(first, "build/next_day.ipynb", "Quiz")
        expect(again.locator(".score")).to_have_text(told)
        assert sum(1 for _ in widgets(first)) == shown
        assert first.errors == []


@pytest.mark.parametrize(("stem", "language"), RUN)
def test_no_widget_is_cut_at_any_width_and_in_either_theme(server: str, stem: str, language: str) -> None:
    with reader(server, height=1600) as looking:  # the tallest widget whole
        looking.open(f"lab/{language}/{stem}.ipynb")
        light: dict[tuple[int, int], list[str]] = {}
        for theme, width in (("Light", 1280), ("Light", 1920), ("Dark", 1920), ("Dark", 1280)):
            looking.page.set_viewport_size({"width": width, "height": 1600})
            looking.page.evaluate(CHANGE_THEME, f"JupyterLab {theme}")
            looking.page.wait_for_timeout(1000)
            for number, widget in enumerate(widgets(looking)):
                assert widget.evaluate(CUT) == [], (theme, width)
                if theme == "Light":
                    light[number, width] = widget.evaluate(CANVASES)
                else:
                    looking.page.wait_for_function(REDRAWN, arg=[widget.element_handle(), light[number, width]])
                widget.screenshot(path=picture_path(f"{stem}_{number}_{width}_{theme.lower()}"))
        looking.page.evaluate(CHANGE_THEME, "JupyterLab Light")
