"""What the course's widgets share: a view in JavaScript, a picture where no kernel is, and the reader's language.

A widget's view is ``js/common.js`` followed by its own file. Its state is saved with the notebook, so that a built page
or JupyterLab draws it, and lets it be moved, without a kernel. Where no JavaScript runs (GitHub, a notebook not yet
trusted, print) its ``figure`` stands as a PNG.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import anywidget
import traitlets
from matplotlib.figure import Figure

from .plots import course_style

SCRIPTS = Path(__file__).parent / "js"
LANGUAGES = ("en", "zh")


def reader_language(folder: Path | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """``"zh"`` or ``"en"``: the edition that the notebook lies in (``zh/03_streaming.ipynb``), else the locale's."""
    edition = (folder or Path.cwd()).name
    if edition in LANGUAGES:
        return edition
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "en")
    return "zh" if locale.lower().startswith("zh") else "en"


class CourseWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """A widget with the course's look. A subclass names its ``script``, has its state as synchronised traits and draws
    ``figure``. Rules of its own stand in a style sheet of the script's name.

    ``before``: files that stand before a script that would be too long for one.
    ``lang``: ``"en"`` or ``"zh"``, the language of what it says; each edition of a built chapter sets its own.
    """

    script: str
    before: tuple[str, ...] = ()
    lang = traitlets.Enum(LANGUAGES).tag(sync=True)

    def __init_subclass__(cls, **options: Any) -> None:
        if "script" in vars(cls):  # not the class that anywidget derives for each instance
            parts = [(SCRIPTS / name).read_text(encoding="utf-8") for name in ("common.js", *cls.before, cls.script)]
            cls._esm = "\n".join(parts)
            styles = [SCRIPTS / "widget.css", (SCRIPTS / cls.script).with_suffix(".css")]
            cls._css = "\n".join(path.read_text(encoding="utf-8") for path in styles if path.exists())
        super().__init_subclass__(**options)

    def __init__(self, **state: Any) -> None:
        super().__init__(**{"lang": reader_language(), **state})

    def figure(self) -> Figure:
        """The present state, drawn without pyplot; labels in English, as in all figures."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options)
        drawn = BytesIO()
        with course_style():  # whatever the notebook has set
            self.figure().savefig(drawn, format="png", dpi=100)
        return data | {"image/png": drawn.getvalue(), "text/plain": type(self).__name__}, metadata
