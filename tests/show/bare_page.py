"""A course widget in Chromium on a page of its own, without a kernel: as its saved state acts on a built page."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, sync_playwright

from jupyter_reader import CHROMIUM_ARGS, chromium
from mini_llm.show.widget import CourseWidget

PAGE = """<!doctype html><meta charset="utf-8">
<body style="margin: 12px; background: GROUND; --jp-layout-color0: GROUND"><div id="widget"></div>
<script type="module">
const state = {}, listeners = {};
for (const [key, value] of Object.entries(STATE))
  state[key] = value?.packed !== undefined
    ? new DataView(Uint8Array.from(atob(value.packed), (char) => char.charCodeAt(0)).buffer)
    : value;
window.model = {
  get: (key) => state[key],
  set(key, value) {
    if (state[key] === value) return;
    state[key] = value;
    for (const listener of [...(listeners[`change:${key}`] ?? [])]) listener();
  },
  save_changes() {},
  send() {},
  on: (event, listener) => (listeners[event] ??= []).push(listener),
  off: (event, listener) => (listeners[event] = (listeners[event] ?? []).filter((one) => one !== listener)),
};
window.millisecondsToDraw = async (change) => {
  const start = performance.now();
  change();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - start;
};
document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
const view = await import(URL.createObjectURL(new Blob([SCRIPT], { type: "text/javascript" })));
await view.default.render({ model: window.model, el: document.getElementById("widget") });
window.drawn = true;
</script>"""


@contextmanager
def show(widget: CourseWidget, dark: bool = False, width: int = 980, reduced_motion: bool = False) -> Iterator[Page]:
    """The page once the widget stands on it; ``window.model`` is its state. Raises AssertionError on console errors."""
    fields = {
        "GROUND": "#111111" if dark else "#ffffff",
        "STATE": _for_script(_state(widget)),
        "STYLE": _for_script(str(widget._css)),
        "SCRIPT": _for_script(str(widget._esm)),
    }
    html = PAGE
    for name, value in fields.items():
        html = html.replace(name, value)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        page = browser.new_page(
            viewport={"width": width, "height": 900}, reduced_motion="reduce" if reduced_motion else "no-preference"
        )
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.set_content(html)
        page.wait_for_function("window.drawn", timeout=20_000)
        yield page
        browser.close()
        assert errors == []


def _state(widget: CourseWidget) -> dict[str, Any]:
    state = {key: value for key, value in widget.get_state().items() if not key.startswith("_")}
    for name in ("layout", "tabbable", "tooltip"):
        del state[name]
    return {key: _packed(value) if isinstance(value, (bytes, memoryview)) else value for key, value in state.items()}


def _packed(value: bytes | memoryview) -> dict[str, str]:
    return {"packed": base64.b64encode(bytes(value)).decode()}


def _for_script(value: object) -> str:
    return json.dumps(value, sort_keys=True).replace("</", "<\\/")
