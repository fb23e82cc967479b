"""Chapters: built from ``notebooks/source/*.md`` into ``notebooks/en`` and ``notebooks/zh``, executed once for both.

A source is jupytext Markdown. Prose stands in regions ``<!-- #region lang="zh" -->`` and ``lang="en"``, side by side;
code cells stand once. ``{{key:.1f}}`` in prose is a number of the ledger, or of ``assets/published.json`` with its
source, written in that format. A cell ``%%judge ID`` becomes the exercise's statement, folded, and its starter, for
the reader to fill in; ``%judge_progress CHAPTER`` becomes the map of exercises. Neither is executed.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
import time
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from subprocess import run
from typing import Any, cast

import jupytext
import nbformat

from execution import NOT_RUN, Notebook, execute
from mini_llm.longctx.ledger import LEDGER, Ledger, quotable, quote
from mini_llm.longctx.ledger import read as read_ledger
from mini_llm.show import quiz
from practice.grader.catalogue import EXERCISES, all_cards
from practice.grader.notebook.saving import widget_states
from practice.grader.tell.lessons import render_status
from practice.grader.tell.messages import Language
from practice.grader.tell.progress_map import render_map
from provenance import unexplained

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "notebooks" / "source"
LANGUAGES = ("en", "zh")

MAP = re.compile(r"%judge_progress (\d+)")
ASIDE = re.compile(rf"^Quiz\(|{MAP.pattern}", re.MULTILINE)  # measures nothing: the prose around it goes on past it

STATEMENT = "statement"


def sources() -> list[Path]:
    """Every chapter's source, in order."""
    return sorted(SOURCES.glob("*.md"))


def parse(source: Path) -> Notebook:
    """The source as a notebook with both languages' prose in it; code cells have stable ids."""
    notebook = jupytext.read(source)
    cells = []
    for index, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{index}"
        exercise = re.fullmatch(r"%%judge (\w+)", cell.source.strip())
        if exercise:
            folder = EXERCISES / exercise[1]
            cells += [_statement(folder, language, cell.id) for language in ("zh", "en")]
            cell.source = f"{exercise[0]}\n{(folder / 'starter.py').read_text(encoding='utf-8').strip()}"
        if exercise or MAP.fullmatch(cell.source):
            cell.metadata["tags"] = [NOT_RUN]
        cells.append(cell)
    notebook.cells = cells
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def _statement(folder: Path, language: str, before: str) -> Notebook:
    """An exercise's statement, folded, to stand before its cell."""
    title, _, text = (folder / f"statement.{language}.md").read_text(encoding="utf-8").partition("\n")
    folded = f"<details><summary><b>{title.lstrip('# ')}</b></summary>\n\n{text.strip()}\n\n</details>"
    return nbformat.v4.new_markdown_cell(
        folded, id=f"{before}-{language}", metadata={"lang": language, STATEMENT: True}
    )


def edition(notebook: Notebook, executed: Notebook, language: str, ledger: Ledger) -> Notebook:
    """One language's chapter: its prose with the ledger's numbers, and the executed code cells."""
    ran = {cell.id: cell for cell in executed.cells}
    made = nbformat.v4.new_notebook(metadata=deepcopy(executed.metadata))
    for model in widget_states(made).values():
        if "lang" in model["state"]:
            model["state"] |= {"lang": language, **present(model["state"])}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            code = deepcopy(ran[cell.id])
            code.source = code_in(cell.source, language)
            if chapter := MAP.fullmatch(cell.source):
                code.outputs = [_map(chapter[1], language)]
            made.cells.append(code)
        elif cell.metadata.get("lang", language) == language:
            prose = nbformat.v4.new_markdown_cell(quote(cell.source, ledger), id=cell.id)
            made.cells.append(prose)
    return made


def code_in(source: str, language: str) -> str:
    """A code cell's source as an edition has it: the judge speaks the edition's language, and the map can be asked for
    when nothing else has been run."""
    asked = re.sub(
        r"\A(%%judge \w+|%judge_progress \d+)$", rf"\1 --lang {language}", source, count=1, flags=re.MULTILINE
    )
    return f"%reload_ext judge\n{asked}" if MAP.fullmatch(source) else asked


def present(state: dict[str, Any]) -> dict[str, Any]:
    """What of a widget's state is taken as it is now, not as it was when the chapter was executed: the script and style
    that draw it, and a quiz's questions."""
    module, _, name = state["_anywidget_id"].rpartition(".")
    drawn = getattr(import_module(module), name)
    asked = {"questions": quiz.load(state["chapter"])} if "questions" in state else {}
    return {"_esm": str(drawn._esm), "_css": str(drawn._css), **asked}


def _map(chapter: str, language: str) -> Notebook:
    """The map as somebody sees it who has not answered anything yet: nobody's progress is read for it."""
    lang = cast(Language, language)
    pages = {source.stem[:2]: f"{source.stem}.ipynb" for source in sources()}
    told = {
        "text/html": render_map(all_cards(), {}, lang, chapter, pages),
        "text/plain": render_status(all_cards(), {}, lang),
    }
    return nbformat.v4.new_output("display_data", data=told)


def numbers_from_nowhere(notebook: Notebook, outputs: Notebook) -> list[str]:
    """Numbers in the prose that are not quoted, not derived beside it and not in the code cells around it.

    ``outputs``: an edition of the notebook, executed.
    """
    ran = {cell.id: cell for cell in outputs.cells}
    code = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and not ASIDE.search(cell.source)]
    found = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and STATEMENT not in cell.metadata:
            around = [
                max((i for i in code if i < index), default=None),
                min((i for i in code if i > index), default=None),
            ]
            beside = [text for i in around if i is not None for text in _texts(notebook.cells[i], ran)]
            for number in unexplained(cell.source, beside):
                found.append(f"{cell.metadata.get('lang')} {cell.id}: {number} in {_near(cell.source, number)!r}")
    return found


def _texts(cell: Notebook, ran: dict[str, Notebook]) -> list[str]:
    """A code cell's source and what it printed."""
    outputs = ran[cell.id].get("outputs", []) if cell.id in ran else []
    return [cell.source, *(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)]


def _near(prose: str, number: str) -> str:
    where = prose.index(number)
    return " ".join(prose[max(0, where - 30) : where + 30].split())


def target(source: Path, language: str) -> Path:
    """Where a source's edition is committed."""
    return ROOT / "notebooks" / language / f"{source.stem}.ipynb"


def build(names: list[str]) -> None:
    """Execute chapters and write both editions and the ledger.

    Exits with 1 where a chapter whose code is the committed one gives other numbers, which are then not written, and
    where a number in the prose comes from nowhere.
    """
    found: list[str] = []
    for source in _chosen(names):
        print(f"executing {source.stem} ...", flush=True)
        start, notebook, known = time.monotonic(), parse(source), read_ledger()
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "ledger.json"
            executed = execute(notebook, out, SOURCES)
            recorded: Ledger = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
        print(f"  {time.monotonic() - start:.0f} s, the largest so far {_peak_gib():.1f} GiB", flush=True)
        prefix = f"{source.stem.partition('_')[0]}."
        if _code(notebook) == _committed_code(source):
            changed = not_reproduced({k: e for k, e in known.items() if k.startswith(prefix)}, recorded)
            if changed:
                meant = f"If that is meant, delete {target(source, 'en').relative_to(ROOT)} and build it again."
                found += [*(f"{source.stem}: {line}" for line in changed), meant]
                continue
        kept = {key: entry for key, entry in read_ledger().items() if not key.startswith(prefix)}
        LEDGER.write_text(json.dumps(dict(sorted((kept | recorded).items())), indent=1) + "\n", encoding="utf-8")
        _write_editions(source, notebook, executed)
        found += numbers_from_nowhere(notebook, executed)
    run([sys.executable, ROOT / "tools" / "comics.py"], check=True)  # they quote the ledger, too
    if found:
        sys.exit("\n".join(found))


def not_reproduced(known: Ledger, recorded: Ledger) -> list[str]:
    """Which stored numbers did not come out again within their tolerance, in words."""
    return [
        f"{key} was {known[key]['value']:.6g} and now is {recorded.get(key, {}).get('value')}"
        for key in known
        if key not in recorded
        or not math.isclose(recorded[key]["value"], known[key]["value"], rel_tol=known[key]["rel_tol"])
    ]


def _peak_gib() -> float:
    """The most memory that one of the kernels held."""
    import resource

    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def _code(notebook: Notebook) -> list[str]:
    return [code_in(cell.source, "en") for cell in notebook.cells if cell.cell_type == "code"]


def _committed_code(source: Path) -> list[str] | None:
    built = target(source, "en")
    return _code(nbformat.read(built, as_version=4)) if built.exists() else None


def prose(names: list[str]) -> None:
    """Write both editions anew around the committed outputs; exits where the code has changed since."""
    for source in _chosen(names):
        notebook = parse(source)
        if _code(notebook) != _committed_code(source):
            sys.exit(f"the code of {source.stem} has changed: run `python tools/chapters.py build {source.stem}`")
        committed = nbformat.read(target(source, "en"), as_version=4)
        ran = [cell for cell in committed.cells if cell.cell_type == "code"]
        for cell, ours in zip(ran, (c for c in notebook.cells if c.cell_type == "code"), strict=True):
            cell.id = ours.id
        committed.cells = ran
        _write_editions(source, notebook, committed)


def numbers(names: list[str]) -> None:
    """List the numbers in the prose that come from nowhere; exits with 1 where there are any."""
    found = []
    for source in _chosen(names):
        built = target(source, "en")
        outputs = nbformat.read(built, as_version=4) if built.exists() else nbformat.v4.new_notebook()
        found += numbers_from_nowhere(parse(source), outputs)
    print("\n".join(found) or "every number is quoted, derived beside it, or in the code around it")
    sys.exit(bool(found))


def _write_editions(source: Path, notebook: Notebook, executed: Notebook) -> None:
    for language in LANGUAGES:
        path = target(source, language)
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(edition(notebook, executed, language, quotable()), path)
        print(f"  {path.relative_to(ROOT)}")


def _chosen(names: list[str]) -> list[Path]:
    chosen = [source for source in sources() if not names or source.stem.startswith(tuple(names))]
    if not chosen:
        sys.exit(f"no chapter source starts with {', '.join(names)}; there are {', '.join(s.stem for s in sources())}")
    return chosen


if __name__ == "__main__":
    commands = {"build": build, "prose": prose, "numbers": numbers}
    if sys.argv[1:2] == [] or sys.argv[1] not in commands:
        sys.exit("usage: python tools/chapters.py build|prose|numbers [CHAPTER ...]     for example: build 03")
    commands[sys.argv[1]](sys.argv[2:])
