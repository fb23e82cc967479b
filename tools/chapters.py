"""Chapters: built from ``notebooks/source/*.md`` into ``notebooks/en`` and ``notebooks/zh``, executed once for both.

A source is jupytext Markdown. Prose stands in regions ``<!-- #region lang="zh" -->`` and ``lang="en"``, side by side;
code cells stand once. ``{{key:.1f}}`` in prose is a number of the ledger, written in that format.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "notebooks" / "source"
LEDGER = ROOT / "assets" / "ledger.json"
LANGUAGES = ("en", "zh")

QUOTE = re.compile(r"\{\{([\w.+ -]+):([^{}]+)\}\}")
_WIDGET_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")

Notebook = Any  # nbformat.NotebookNode, which mypy knows nothing of
Ledger = dict[str, dict[str, float]]


def sources() -> list[Path]:
    """Every chapter's source, in order."""
    return sorted(SOURCES.glob("*.md"))


def parse(source: Path) -> Notebook:
    """The source as a notebook with both languages' prose in it; code cells have stable ids."""
    notebook = jupytext.read(source)
    for index, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{index}"
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def execute(notebook: Notebook, ledger_out: Path) -> Notebook:
    """Run a notebook's code in a fresh kernel, in English; numbers it records go to ``ledger_out``."""
    executed = deepcopy(notebook)
    executed.cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    env = os.environ | {"LEDGER_OUT": str(ledger_out), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    env.pop("MODEL", None)
    client = NotebookClient(
        executed,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(SOURCES)}},
        store_widget_state=True,
        record_timing=False,
    )
    client.execute(env=env)
    for cell in executed.cells:
        warned = [
            o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr" and "arning" in o.text
        ]
        if warned:
            print(f"{cell.id} warned: {warned}", file=sys.stderr)
        cell.outputs = _joined([o for o in cell.outputs if not (o.output_type == "stream" and o.name == "stderr")])
    executed.metadata["language_info"] = notebook.metadata["language_info"]
    return _stable_widget_ids(executed)


def _joined(outputs: list[Any]) -> list[Any]:
    """Outputs with neighbouring pieces of printed text made one: how a kernel cuts them is chance."""
    joined: list[Any] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _stable_widget_ids(notebook: Notebook) -> Notebook:
    """Number the widgets' random ids in order of appearance, so that a rebuild changes only what changed."""
    text = nbformat.writes(notebook)
    for number, found in enumerate(dict.fromkeys(_WIDGET_ID.findall(text))):
        text = text.replace(found, f"{number:032x}")
    return nbformat.reads(text, as_version=4)


def edition(notebook: Notebook, executed: Notebook, language: str, ledger: Ledger) -> Notebook:
    """One language's chapter: its prose with the ledger's numbers, and the executed code cells."""
    ran = {cell.id: cell for cell in executed.cells}
    made = nbformat.v4.new_notebook(metadata=deepcopy(executed.metadata))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            made.cells.append(ran[cell.id])
        elif cell.metadata.get("lang", language) == language:
            prose = nbformat.v4.new_markdown_cell(quote(cell.source, ledger), id=cell.id)
            made.cells.append(prose)
    return made


def quote(prose: str, ledger: Ledger) -> str:
    """Prose with each ``{{key:format}}`` replaced by the ledger's number.

    Raises KeyError naming an unknown key, and ValueError where something in double braces is no such quote.
    """
    quoted = QUOTE.sub(lambda found: format(ledger[found[1]]["value"], found[2]), prose)
    left = re.search(r"\{\{[^\n]*|[^\n]*\}\}", quoted)
    if left:
        raise ValueError(
            f"{left[0][:60]!r} is no quote of the ledger: write {{{{key:format}}}}, such as {{{{03.ppl.full:.1f}}}}"
        )
    return quoted


def target(source: Path, language: str) -> Path:
    """Where a source's edition is committed."""
    return ROOT / "notebooks" / language / f"{source.stem}.ipynb"


def build(names: list[str]) -> None:
    """Execute chapters and write both editions and the ledger."""
    for source in _chosen(names):
        print(f"executing {source.stem} ...", flush=True)
        notebook = parse(source)
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "ledger.json"
            executed = execute(notebook, out)
            recorded: Ledger = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
        chapter = source.stem.split("_")[0]
        kept = {key: entry for key, entry in read_ledger().items() if not key.startswith(f"{chapter}.")}
        LEDGER.write_text(json.dumps(dict(sorted((kept | recorded).items())), indent=1) + "\n", encoding="utf-8")
        _write_editions(source, notebook, executed)


def prose(names: list[str]) -> None:
    """Write both editions anew around the committed outputs; exits where the code has changed since."""
    for source in _chosen(names):
        notebook, committed = parse(source), nbformat.read(target(source, "en"), as_version=4)
        code = [[cell.source for cell in book.cells if cell.cell_type == "code"] for book in (notebook, committed)]
        if code[0] != code[1]:
            sys.exit(f"the code of {source.stem} has changed: run `python tools/chapters.py build {source.stem}`")
        ran = [cell for cell in committed.cells if cell.cell_type == "code"]
        for cell, ours in zip(ran, (c for c in notebook.cells if c.cell_type == "code"), strict=True):
            cell.id = ours.id
        committed.cells = ran
        _write_editions(source, notebook, committed)


def read_ledger() -> Ledger:
    ledger: Ledger = json.loads(LEDGER.read_text(encoding="utf-8")) if LEDGER.exists() else {}
    return ledger


def _write_editions(source: Path, notebook: Notebook, executed: Notebook) -> None:
    for language in LANGUAGES:
        path = target(source, language)
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(edition(notebook, executed, language, read_ledger()), path)
        print(f"  {path.relative_to(ROOT)}")


def _chosen(names: list[str]) -> list[Path]:
    chosen = [source for source in sources() if not names or source.stem.startswith(tuple(names))]
    if not chosen:
        sys.exit(f"no chapter source starts with {', '.join(names)}; there are {', '.join(s.stem for s in sources())}")
    return chosen


if __name__ == "__main__":
    commands = {"build": build, "prose": prose}
    if sys.argv[1:2] == [] or sys.argv[1] not in commands:
        sys.exit("usage: python tools/chapters.py build|prose [CHAPTER ...]     for example: build 03")
    commands[sys.argv[1]](sys.argv[2:])
