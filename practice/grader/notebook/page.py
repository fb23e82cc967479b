"""What a cell shows: a page, written anew as tests finish, the hints that are open, and a button for the next."""

from collections.abc import Callable
from typing import Any

from IPython.display import display

from practice.grader.notebook.process import Event

OpenHint = Callable[[], Event | None]


class NotebookPage:
    """The page in a notebook.  What is stored with the notebook is its last state, as HTML and as plain text."""

    def __init__(self, open_hint: OpenHint) -> None:
        self._open_hint = open_hint
        self._page: Any = None

    def show(self, event: Event) -> None:
        """Show the tests so far, or the report, and the hints with it."""
        told = {"text/html": event["html"], "text/plain": event["text"]}
        if self._page:
            self._page.update(told, raw=True)
        else:
            self._page = display(told, raw=True, display_id=True)
        if event["event"] == "report" and (event["hints"] or event["button"]):
            self._show_hints(event)

    def _show_hints(self, event: Event) -> None:
        try:
            from ipywidgets import Button
        except ImportError:
            print(event["following"])
            return
        self._hints = display(_markdown(event), raw=True, display_id=True)
        if event["button"]:
            self._button = Button(description=event["button"], icon="lightbulb-o", layout={"width": "max-content"})
            self._button.on_click(lambda _: self._next_hint())
            display(self._button)

    def _next_hint(self) -> None:
        event = self._open_hint()
        if event:
            self._hints.update(_markdown(event), raw=True)
            self._button.description = event["button"]
            self._button.layout.display = None if event["button"] else "none"


class PlainPage:
    """The same for a terminal: the end alone, and how to open a hint."""

    def show(self, event: Event) -> None:
        """Print what the last event tells; the tests before it pass by."""
        if event["event"] != "case":
            print(event["text"])
            if event.get("button"):
                print(event["following"])


def _markdown(event: Event) -> dict[str, str]:
    return {"text/markdown": event["hints"], "text/plain": event["hints"]}
