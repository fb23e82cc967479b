"""The cell magic `%%judge ID`: saves the cell as the answer to an exercise and has it graded. `%judge_progress CHAPTER`
shows the way through the exercises.

The judge sees the cell's source alone, in its own sandbox.  The cell runs in the notebook, too, so that its function
can be tried, but only afterwards, and only where it did run in the sandbox: what hangs or crashes there stays out of
the kernel.
"""

import sys
from pathlib import Path
from typing import Any

from practice.grader.notebook.page import NotebookPage, PlainPage
from practice.grader.notebook.process import Event, JudgeGone, JudgeProcess
from practice.grader.tell.messages import LANGUAGES, Language, choose_language, say


def load(shell: Any) -> None:
    """Give an IPython shell the magics, and start the judge's process, so that it is ready by the time of an answer.

    A shell that has them keeps them.
    """
    if "judge" in shell.magics_manager.magics["cell"]:
        return
    magic = JudgeMagic(shell)
    shell.register_magic_function(magic.grade, "cell", "judge")
    shell.register_magic_function(magic.progress, "line", "judge_progress")


class JudgeMagic:
    """`%%judge` and `%judge_progress` of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._judge = JudgeProcess()

    def grade(self, line: str, cell: str) -> None:
        """%%judge ID [--lang en|zh]: save this cell as the answer to an exercise, and grade it."""
        asked = _parse(line)
        if asked is None:
            _warn(say(choose_language(), "cell_usage"))
            return
        exercise, lang = asked
        page = self._page(exercise, lang)
        try:
            last = self._ask(lang, page, do="grade", exercise=exercise, source=cell)
        except KeyboardInterrupt:
            self._judge.close()
            self._judge = JudgeProcess()
            _warn(say(lang, "stopped"))
            return
        if last and last.get("runs"):
            self._shell.run_cell(cell, store_history=False)

    def progress(self, line: str) -> None:
        """%judge_progress CHAPTER [--lang en|zh]: what is passed, what was tried, and what comes next."""
        asked = _parse(line)
        if asked is None:
            _warn(say(choose_language(), "map_usage"))
            return
        chapter, lang = asked
        told = self._ask(lang, do="map", chapter=chapter, folder=str(Path.cwd()))
        if told:
            page = PlainPage() if self._in_terminal else NotebookPage(lambda: None)
            page.show(told)

    @property
    def _in_terminal(self) -> bool:
        return getattr(self._shell, "kernel", None) is None

    def _page(self, exercise: str, lang: Language) -> NotebookPage | PlainPage:
        if self._in_terminal:
            return PlainPage()
        return NotebookPage(lambda: self._ask(lang, do="hint", exercise=exercise))

    def _ask(self, lang: Language, page: NotebookPage | PlainPage | None = None, **request: str) -> Event | None:
        """The last event of a request, each being shown on `page`; None, and a line that says why, where it failed."""
        if not self._judge.alive:
            self._judge = JudgeProcess()
        event: Event | None = None
        try:
            for event in self._judge.ask(lang=lang, **request):
                if page and event["event"] != "refused":
                    page.show(event)
        except JudgeGone as gone:
            _warn(gone.advice or say(lang, "judge_gone", reason=gone))
            return None
        for warning in event["warnings"].splitlines() if event else ():
            _warn(warning)
        if event and event["event"] == "refused":
            _warn(event["message"])
            return None
        return event


def _parse(line: str) -> tuple[str, Language] | None:
    """The exercise, or chapter, and the language asked for; None where the line says something else."""
    match line.replace("=", " ").split():
        case [exercise] if not exercise.startswith("-"):
            return exercise, choose_language()
        case [exercise, "--lang", word] | ["--lang", word, exercise]:
            return next(((exercise, lang) for lang in LANGUAGES if lang == word), None)
    return None


def _warn(message: str) -> None:
    """One line, without a traceback."""
    print(message if message.startswith("judge") else f"judge: {message}", file=sys.stderr)
