"""What JupyterLab forgets when it saves: the widgets of cells that were not run since the notebook was opened.

It writes the widgets of the live kernel alone, over all that were there.  `make lab` has `keep_widgets` put the others
back, from the file as it lies on the disk, so that what nobody has run is still drawn on the next day.
"""

import json
from pathlib import Path
from typing import Any

STATES = "application/vnd.jupyter.widget-state+json"


def keep_widgets(model: dict[str, Any], path: str, contents_manager: Any, **_: Any) -> None:
    """A `pre_save_hook` of Jupyter's contents manager; changes `model`, the notebook that is to be saved, in place."""
    if model["type"] != "notebook" or not model.get("content"):
        return
    file = Path(contents_manager._get_os_path(path))
    if not file.is_file():
        return
    content, before = model["content"], widget_states(json.loads(file.read_bytes()))
    forgotten = {name: state for name, state in before.items() if name not in widget_states(content)}
    kept = _shown(forgotten, [cell.get("outputs") for cell in content["cells"]])
    if kept:
        widgets = content["metadata"].setdefault("widgets", {})
        states = widgets.setdefault(STATES, {"version_major": 2, "version_minor": 0, "state": {}})
        states["state"] = {**states["state"], **kept}


def widget_states(notebook: dict[str, Any]) -> dict[str, Any]:
    """The saved widgets of a notebook, by their ids."""
    states: dict[str, Any] = notebook.get("metadata", {}).get("widgets", {}).get(STATES, {}).get("state", {})
    return states


def _shown(states: dict[str, Any], outputs: Any) -> dict[str, Any]:
    """Those of the states that the outputs name, and those that these name in turn, such as their layouts."""
    kept: dict[str, Any] = {}
    text = json.dumps(outputs)
    while found := {name: state for name, state in states.items() if name not in kept and name in text}:
        kept |= found
        text = json.dumps(list(found.values()))
    return kept
