"""The sink map: every head's share told where the keys lead."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from bare_page import show
from mini_llm.show.sink_map import SinkMap

MASSES = {"story": [[0.1, 0.9], [0.5, 0.25], [0.0, 1.0]], "code": [[0.0, 0.0]] * 3}  # [layers][heads]


def test_the_keys_walk_over_heads_and_layers() -> None:
    with show(SinkMap(MASSES)) as page:
        expect(page.get_by_text("3 of 6 heads put half or more")).to_be_visible()
        page.locator("canvas").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.get_by_role("status")).to_have_text("layer 2, head 1: 100 % of the attention is on token 0")
        page.get_by_role("combobox").select_option("code")
        expect(page.get_by_text("0 of 6 heads put half or more")).to_be_visible()


def test_chinese_says_the_same() -> None:
    widget = SinkMap(MASSES)
    widget.lang = "zh"
    with show(widget) as page:
        expect(page.get_by_text("6 个头里有 3 个")).to_be_visible()


def test_the_picture_for_where_no_script_runs() -> None:
    data, _ = SinkMap(MASSES)._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize(("folder", "expected"), [("lab/zh", "zh"), ("lab/en", "en"), ("elsewhere", "zh")])
def test_the_edition_decides_the_language(
    folder: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / folder
    home.mkdir(parents=True)
    monkeypatch.chdir(home)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert SinkMap(MASSES).lang == expected
