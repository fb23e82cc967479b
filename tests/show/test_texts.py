"""Every view has the same texts, with the same fields in them, in both languages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import sync_playwright

from jupyter_reader import CHROMIUM_ARGS, chromium
from mini_llm.show.widget import LANGUAGES, SCRIPTS

pytestmark = pytest.mark.browser


def fields(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_both_languages_have_the_same_texts() -> None:
    scripts = {path.name: path.read_text(encoding="utf-8") for path in sorted(SCRIPTS.glob("*.js"))}
    tables = {name: source for name, source in scripts.items() if "const TEXT = " in source}
    assert "sink_map.js" in tables
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        page = browser.new_page()
        for name, source in tables.items():
            body = source.split("export default")[0] + "; return TEXT;"
            table = page.evaluate("(body) => new Function(body)()", body)
            assert set(table) == set(LANGUAGES), name
            assert set(table["en"]) == set(table["zh"]), name
            for key, text in table["en"].items():
                assert fields(text) == fields(table["zh"][key]), (name, key)
        browser.close()
