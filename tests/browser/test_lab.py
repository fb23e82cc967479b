"""The course as a learner meets it: `make lab`, a chapter run top to bottom in Chromium, a slider moved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from jupyter_reader import Reader, chromium, lab_server, reader

pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    chromium()
    with lab_server(tmp_path_factory.mktemp("jupyter")) as url:
        yield url


@pytest.fixture
def learner(server: str) -> Iterator[Reader]:
    with reader(server) as looking:
        yield looking
        assert looking.errors == []
        assert looking.outside == []


def test_a_chapter_runs_top_to_bottom_and_its_slider_redraws(learner: Reader) -> None:
    learner.open("lab/en/01_cost.ipynb")
    learner.run_all()
    outputs = learner.outputs()
    assert [output for cell in outputs for output in cell if output["output_type"] == "error"] == []
    assert any("1,342,177,280 bytes" in "".join(o.get("text", "")) for cell in outputs for o in cell)
    told = [o["data"]["text/plain"] for cell in outputs for o in cell if "text/html" in o.get("data", {})]
    assert sum("This is the starter still" in "".join(text) for text in told) == 4

    learner.page.evaluate(
        """() => {
            const {content} = window.jupyterapp.shell.currentWidget;
            const index = content.model.sharedModel.cells.findIndex(c => c.source.includes('interact('));
            content.activeCellIndex = index;
            return content.scrollToItem(index);
        }"""
    )
    widget = learner.page.locator(".jp-CodeCell", has=learner.page.locator(".noUi-handle")).first
    picture = widget.locator(".jp-OutputArea-output img").first
    picture.wait_for(timeout=30_000)
    before = picture.get_attribute("src") or ""
    handle = widget.locator(".widget-slider .noUi-handle").first
    handle.focus()
    handle.press("ArrowRight")
    expect(picture).not_to_have_attribute("src", before, timeout=60_000)
    learner.screenshot("01_cost_en")


@pytest.mark.parametrize(
    ("chapter", "title"), [("03_streaming", "KV 淘汰与 StreamingLLM"), ("04_sparse", "稀疏注意力")]
)
def test_the_chinese_edition_opens(learner: Reader, chapter: str, title: str) -> None:
    learner.open(f"lab/zh/{chapter}.ipynb")
    heading = learner.page.locator(".jp-MarkdownCell h1").first
    heading.wait_for(timeout=30_000)
    assert title in heading.inner_text()
    learner.screenshot(f"{chapter}_zh")
