"""JupyterLab as `make lab` starts it, and Chromium looking at it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "build" / "screenshots"
TOKEN = "course"
NEEDS_BROWSER = "no Chromium on PATH (chromium, chromium-browser or google-chrome)"
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=20_000)  # milliseconds: on a loaded machine a kernel's answer takes seconds


def chromium() -> str:
    """Chromium's path. Skips the test where there is none, or fails it where REQUIRE_BROWSER is set."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") else pytest.skip)(NEEDS_BROWSER)
    return str(found)


def picture_path(name: str) -> Path:
    """Where a screenshot is kept."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    return SCREENSHOTS / f"{name}.png"


@contextmanager
def lab_server(home: Path) -> Iterator[str]:
    """`make lab LAB_ARGS=--no-browser` on a free port with its settings under ``home``; yields the base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR", "JUPYTER_RUNTIME_DIR")
    env = os.environ | {name: str(home / name.lower()) for name in (*folders, "IPYTHONDIR")}
    saving = Path(env["JUPYTERLAB_SETTINGS_DIR"], "@jupyterlab/docmanager-extension/plugin.jupyterlab-settings")
    saving.parent.mkdir(parents=True)
    saving.write_text('{"autosave": false}')  # what lies in lab/ belongs to whoever works there
    options = (
        f"--no-browser --ip=127.0.0.1 --port={port} --ServerApp.port_retries=0 "
        f"--IdentityProvider.token={TOKEN} --expose-app-in-browser"
    )
    log = (home / "lab.log").open("wb")
    command = [sys.executable, "tools/bootstrap.py", "lab", *options.split()]
    server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/api?token={TOKEN}", server, home / "lab.log")
        yield url
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
        log.close()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not answer at {address}:\n{log.read_text(errors='replace')[-3000:]}")


class Reader:
    """A browser page that remembers every console error and every request to another host."""

    def __init__(self, page: Page, base: str) -> None:
        self.page, self.base = page, base
        self.errors: list[str] = []
        self.outside: list[str] = []
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((self.base, self.base.replace("http", "ws"), "data:", "blob:")):
            self.outside.append(url)

    def open(self, notebook: str) -> None:
        """Open a notebook by its path under the repository and wait until it shows and its kernel is ready."""
        self.page.goto(f"{self.base}/lab/tree/{notebook}?token={TOKEN}&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.page.evaluate(
            """async () => {
                const panel = window.jupyterapp.shell.currentWidget;
                await panel.revealed;
                await panel.sessionContext.ready;
            }"""
        )

    def run_all(self, timeout: float = 600) -> None:
        """Run every cell and wait for the last; raises playwright's TimeoutError after ``timeout`` seconds."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        self.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
        self.page.wait_for_function(
            """() => {
                const cells = window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells;
                return cells.filter(c => c.cell_type === 'code').every(c => c.execution_count);
            }""",
            timeout=timeout * 1000,
        )

    def show_cell(self, index: int) -> Locator:
        """Scroll to a cell, counted from 0 over all kinds; returns it."""
        self.page.evaluate(
            """async (index) => {
                const {content} = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = index;
                await content.scrollToItem(index, 'smart');
            }""",
            index,
        )
        return self.page.locator(f".jp-Cell[data-windowed-list-index='{index}']")

    def cells_that_show(self, mime: str) -> list[int]:
        """Which cells have an output of this kind, counted from 0 over all kinds of cells."""
        found: list[int] = self.page.evaluate(
            """(mime) => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells
                .map((cell, index) => [cell, index])
                .filter(([cell]) => cell.cell_type === 'code' && cell.getOutputs().some(o => o.data && mime in o.data))
                .map(([, index]) => index)""",
            mime,
        )
        return found

    def outputs(self) -> list[list[dict[str, Any]]]:
        """The outputs of every code cell, as the notebook would save them."""
        found: list[list[dict[str, Any]]] = self.page.evaluate(
            """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells
                .filter(c => c.cell_type === 'code').map(c => c.getOutputs())"""
        )
        return found

    def screenshot(self, name: str) -> None:
        self.page.screenshot(path=picture_path(name))


@contextmanager
def reader(base: str, width: int = 1280, height: int = 900) -> Iterator[Reader]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": width, "height": height})
        yield Reader(page, base)
        browser.close()
