"""The arrows of the design: who may import whom, and how large a piece may grow."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SHOWN = ("mini_llm.show", "practice", "judge", "matplotlib", "ipywidgets", "anywidget")

# What the files of a folder must not import, by the first words of the module's full name.
FORBIDDEN = {
    "mini_llm": ("mini_llm.longctx", "mini_llm.experiments", *SHOWN),
    "mini_llm/longctx": ("mini_llm.experiments", *SHOWN),
    "mini_llm/experiments": SHOWN,
    "mini_llm/show": ("mini_llm.experiments", "practice", "judge"),
    "practice/grader": ("mini_llm",),
    "practice/grader/verify": ("mini_llm", "practice.grader.cli", "practice.grader.commands", "practice.grader.tell"),
    "practice/grader/notebook": (
        "mini_llm",
        "torch",
        "practice.grader.verify",
        "practice.grader.isolate",
        "practice.grader.cli",
        "practice.grader.commands",
        "practice.exercises",
    ),
    "practice/grader/assignments": (
        "mini_llm",
        "nbgrader",
        "practice.nbgrader",
        "practice.grader.cli",
        "practice.grader.commands",
    ),
    "practice/nbgrader": ("mini_llm", "practice.grader.cli", "practice.grader.commands"),
    "practice/grader/batch": (
        "mini_llm",
        "practice.grader.cli",
        "practice.grader.commands",
        "practice.grader.tell",
    ),
    "practice/grader/lint": ("mini_llm", "practice.grader.cli", "practice.grader.commands", "practice.grader.tell"),
    "practice/grader/isolate": (
        "mini_llm",
        "practice.grader.verify",
        "practice.grader.tell",
        "practice.grader.cli",
        "practice.grader.commands",
        "practice.grader.catalogue",
        "practice.exercises",
    ),
    "practice/grader/tell": (
        "mini_llm",
        "practice.grader.verify",
        "practice.grader.isolate",
        "practice.grader.lint",
        "practice.exercises",
    ),
}


def imported(path: Path) -> set[str]:
    """Full names of the modules that a file imports, relative imports resolved."""
    package = list(path.relative_to(ROOT).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1] if node.level else [])
            module = ".".join(part for part in (base, node.module) if part)
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_arrows_point_one_way(folder: str) -> None:
    files = sorted((ROOT / folder).glob("*.py"))
    assert files
    wrong = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in imported(path)
        if any(name == banned or name.startswith(f"{banned}.") for banned in FORBIDDEN[folder])
    }
    assert wrong == set()


def test_importing_mini_llm_loads_no_plotting() -> None:
    import subprocess
    import sys

    code = "import sys, mini_llm; print([m for m in ('matplotlib', 'ipywidgets', 'transformers') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_what_a_page_shows_is_waited_for() -> None:
    """A page draws a frame later; ``expect`` waits for it, an ``assert`` on a locator's state does not."""
    at_once = re.compile(
        r"assert .*\.(is_(visible|hidden|enabled|disabled|checked)|count|(all_)?inner_texts?|input_value)\(\)"
    )
    files = [path for path in (ROOT / "tests").rglob("*.py") if any("playwright" in name for name in imported(path))]
    assert files
    found = [f"{path.name}: {hit[0]}" for path in files for hit in at_once.finditer(path.read_text(encoding="utf-8"))]
    assert found == []
