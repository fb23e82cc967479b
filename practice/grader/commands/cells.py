"""What a notebook asks of the judge: to grade a cell, which is saved first, to open hints, and the map."""

import contextlib
import html
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from practice.grader.catalogue import Card, all_cards
from practice.grader.commands.answers import back_up
from practice.grader.commands.common import (
    UsageError,
    answer_path,
    asked_for,
    command_line,
    find,
    recall,
    remember_grading,
    shown,
    unreadable,
)
from practice.grader.commands.learning import open_hint, what_follows
from practice.grader.lessons import HINTS, Hint, read_hints
from practice.grader.progress import Record
from practice.grader.report import CaseResult, Report, Text, Verdict
from practice.grader.tell.as_json import as_json
from practice.grader.tell.lessons import render_status
from practice.grader.tell.messages import Language, say, sentence
from practice.grader.tell.notebook import render_hints_markdown, render_notebook, render_progress
from practice.grader.tell.progress_map import chapter_pages, render_map
from practice.grader.tell.terminal import render_report
from practice.grader.verify.verifier import get_ready, grade

HARMLESS = (Verdict.PASS, Verdict.WRONG, Verdict.CONTRACT, Verdict.ERROR)

Event = dict[str, Any]
Tell = Callable[[Event], object]


class CellGrader:
    """Grades the cells of one notebook, and opens hints."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._saved: dict[str, bytes] = {}
        self._names: dict[str, list[Text]] = {}

    def carry_out(self, request: Event) -> Event:
        """Answer one request: the last event."""
        lang: Language = request["lang"]
        with contextlib.redirect_stderr(io.StringIO()) as warned:
            try:
                last = self._last(request, lang)
            except UsageError as error:
                last = {"event": "refused", "message": str(error)}
            except Exception as error:  # the judge's own fault; the next request may fare better
                last = {"event": "refused", "message": f"{type(error).__name__}: {error}"}
        return {**last, "warnings": warned.getvalue()}

    def _last(self, request: Event, lang: Language) -> Event:
        if request["do"] == "map":
            return _map(request["chapter"], Path(request["folder"]), lang)
        card = find(request["exercise"], lang)
        return self._grade(card, request["source"], lang) if request["do"] == "grade" else _hint(card, lang)

    def _grade(self, card: Card, text: str, lang: Language) -> Event:
        if not text.strip():
            raise UsageError(say(lang, "cell_empty", exercise=card.id))
        source = text.encode()
        if source.split() == (card.folder / "starter.py").read_bytes().split():
            return _untouched(card, lang)
        notes = self._save(card, source, lang)
        # The magic's own line is the cell's first: lines are counted as the notebook counts them.
        report = grade(card, b"\n" + source, say(lang, "cell"), seen=self._watcher(card, lang))
        if report.verdict is Verdict.PASS:
            del self._saved[card.id]  # what has passed is kept beside what comes after it
        remember_grading(report, lang)
        get_ready()
        runs = _can_be_tried(report)
        if runs:
            notes += [say(lang, "cell_ran", function=card.function)]
        return _report(report, card, lang, notes) | {"runs": runs}

    def _save(self, card: Card, source: bytes, lang: Language) -> list[str]:
        """Write the answer's file; what somebody else has written there is kept beside it.  Says what was done."""
        path = answer_path(card.id)
        new = path.with_name(f"{path.name}.new")
        ours = {source, self._saved.get(card.id), (card.folder / "starter.py").read_bytes()}
        notes = [say(lang, "cell_saved", answer=shown(path))]
        try:
            path.parent.mkdir(exist_ok=True)
            if path.exists() and path.read_bytes() not in ours:
                notes += [say(lang, "cell_kept", backup=shown(back_up(path)))]
            new.write_bytes(source)
            new.replace(path)
        except OSError as error:
            raise unreadable(path, error, lang) from error
        self._saved[card.id] = source
        return notes

    def _watcher(self, card: Card, lang: Language) -> Callable[[CaseResult], None]:
        """What tells of each test as it ends."""
        if card.id not in self._names:
            self._names[card.id] = case_names(card)
        names = self._names[card.id]
        seen: dict[str, CaseResult] = {}

        def tell(result: CaseResult) -> None:
            seen[result.name["en"]] = result
            self._tell(_case(result, card, names, seen, lang))

        return tell


def _case(result: CaseResult, card: Card, names: list[Text], seen: dict[str, CaseResult], lang: Language) -> Event:
    done, total = len(seen), len(names)
    return {
        "event": "case",
        "name": result.name["en"],
        "verdict": result.verdict,
        "message": sentence(lang, result.finding) if result.finding else "",
        "done": done,
        "total": total,
        "text": say(lang, "grading", done=done, total=total),
        "html": render_progress(card, names, seen, lang),
    }


def _can_be_tried(report: Report) -> bool:
    """Whether the cell did no harm, and there is something to try: it was imported, and no call ended the process."""
    called = any(result.milliseconds for result in report.results)
    return report.verdict in HARMLESS and called and not report.unwritten


def _untouched(card: Card, lang: Language) -> Event:
    """What a cell that is the starter still gets, as where a whole chapter is run: no answer of before is replaced."""
    answer = answer_path(card.id)
    text = say(lang, "cell_untouched") + (say(lang, "cell_answer", answer=shown(answer)) if answer.exists() else "")
    return {"event": "untouched", "text": text, "html": f"<p>{html.escape(text)}</p>"}


def _report(report: Report, card: Card, lang: Language, notes: list[str]) -> Event:
    again = command_line("run", card.id, "--seed", str(report.seed), *asked_for(lang))
    text = render_report(report, card, lang, again, verbose=False)
    passed = report.verdict is Verdict.PASS
    hints = [] if passed else read_hints(card, lang)[: recall(lang).get(card.id, Record()).hints]
    return {
        "event": "report",
        "result": json.loads(as_json(report, lang)),
        "text": "\n".join([text, *notes]),
        "html": render_notebook(report, card, lang, notes),
        **_hints(card, hints, lang, opened=False),
        **({"button": ""} if passed else {}),
    }


def _map(chapter: str, folder: Path, lang: Language) -> Event:
    cards, records = all_cards(), recall(lang)
    return {
        "event": "map",
        "text": render_status(cards, records, lang),
        "html": render_map(cards, records, lang, chapter, chapter_pages(folder)),
    }


def _hint(card: Card, lang: Language) -> Event:
    return {"event": "hint", **_hints(card, open_hint(card, lang), lang, opened=True)}


def _hints(card: Card, hints: list[Hint], lang: Language, *, opened: bool) -> Event:
    """Hints as they are shown, and what the button for the next one says, or ""."""
    markdown = render_hints_markdown(hints, lang, opened=opened)
    following = what_follows(card, hints, lang)
    if len(hints) == HINTS:
        return {"hints": f"{markdown}\n{following}", "button": "", "following": following}
    button = say(lang, "hint_button", number=len(hints) + 1, total=HINTS)
    return {"hints": markdown, "button": button, "following": following}


def case_names(card: Card) -> list[Text]:
    """The names of an exercise's tests, in the author's order."""
    import torch  # imported late: other commands do without

    from practice.grader.verify.exercise import load_exercise

    return [case.name for case in load_exercise(card).make_cases(torch.Generator())]
