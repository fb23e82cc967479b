"""Executing a chapter's code, and making what it leaves the same from run to run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from practice.grader.notebook.saving import STATES, widget_states

NOT_RUN = "skip-execution"  # a tag that nbclient knows

_BAR = re.compile(r" *\d+%\|[^\n\r]*?(?:it/s|s/it)\]")  # left where something is printed while a bar is there
_WIDGET_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")

Notebook = Any  # nbformat.NotebookNode, which mypy knows nothing of


def execute(notebook: Notebook, ledger_out: Path, folder: Path) -> Notebook:
    """Run a notebook's code in a fresh kernel in ``folder``, in English, without the exercises; its numbers go to
    ``ledger_out``."""
    executed = deepcopy(notebook)
    executed.cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    env = os.environ | {"LEDGER_OUT": str(ledger_out), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    env.pop("MODEL", None)
    client = NotebookClient(
        executed,
        timeout=600,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # not the advice on TCP without encryption
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=True,
        record_timing=False,
    )
    if executed.cells:
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
    """Outputs with neighbouring pieces of printed text made one: how a kernel cuts them is chance.

    Of a line that was written over, such as a progress bar, the last state is left.
    """
    joined: list[Any] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    for output in joined:
        if output.output_type == "stream":
            output.text = re.sub(r"[^\n]*\r", "", _BAR.sub("", output.text))
    return [output for output in joined if output.output_type != "stream" or output.text.strip()]


def _stable_widget_ids(notebook: Notebook) -> Notebook:
    """Name the widgets, whose ids are random, after the cell that shows them and their turn in it, so that a rebuild
    changes only what changed."""
    states = widget_states(notebook)
    names: dict[str, str] = {}
    for cell in notebook.cells:
        found = list(dict.fromkeys(_WIDGET_ID.findall(json.dumps(cell.outputs))))
        for widget in found:  # grows while it is walked: a widget's parts come after it
            found += [part for part in _WIDGET_ID.findall(json.dumps(states.get(widget, {}))) if part not in found]
        for turn, widget in enumerate(found):
            names.setdefault(widget, hashlib.md5(f"{cell.id}/{turn}".encode()).hexdigest())
    shown = {widget: state for widget, state in states.items() if widget in names}
    if states:
        notebook.metadata.widgets[STATES]["state"] = dict(sorted(shown.items(), key=lambda item: names[item[0]]))
    text = _WIDGET_ID.sub(lambda found: names.get(found[0], found[0]), nbformat.writes(notebook))
    return nbformat.reads(text, as_version=4)
