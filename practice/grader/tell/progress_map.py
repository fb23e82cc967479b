"""The way through the exercises as HTML for a notebook: what is passed, what was tried, and what comes next."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from practice.grader.catalogue import Card
from practice.grader.progress import Record
from practice.grader.tell.messages import Language, say
from practice.grader.tell.notebook import GOOD, QUIET, STYLE


def render_map(
    cards: Sequence[Card], records: Mapping[str, Record], lang: Language, here: str, pages: Mapping[str, str]
) -> str:
    """A line a chapter, a sign and a name an exercise; `here` is the chapter that the reader is in ("03"), `pages` has
    the file name of each chapter's notebook ("03": "03_streaming.ipynb")."""
    following = next((card for card in cards if not records.get(card.id, Record()).passed_at), None)
    lines = [
        _chapter(chapter, list(group), records, lang, here, pages.get(chapter))
        for chapter, group in groupby(cards, key=lambda card: card.chapter)
    ]
    passed = sum(bool(records.get(card.id, Record()).passed_at) for card in cards)
    said = say(lang, "map_passed", passed=passed, total=len(cards)) + " "
    said += _next(following, lang) if following else say(lang, "map_all")
    legend = say(lang, "map_legend")
    return (
        f'<style>{STYLE}</style><div class="judge mathjax_ignore"><p><b>{escape(said)}</b></p>'
        f'<ol class="judge-map">{"".join(lines)}</ol><p class="{QUIET}">{escape(legend)}</p></div>'
    )


def chapter_pages(folder: Path) -> dict[str, str]:
    """The chapters' notebooks that lie in a folder, by chapter: "03" has "03_streaming.ipynb"."""
    return {path.name[:2]: path.name for path in sorted(folder.glob("[0-9][0-9]_*.ipynb"))}


def _next(card: Card, lang: Language) -> str:
    return say(lang, "map_next", exercise=card.id, title=card.title[lang], chapter=card.chapter, minutes=card.minutes)


def _chapter(
    chapter: str,
    cards: Sequence[Card],
    records: Mapping[str, Record],
    lang: Language,
    here: str,
    page: str | None,
) -> str:
    name = escape(page.removesuffix(".ipynb").replace("_", " ", 1) if page else chapter)
    if chapter == here:
        head = f'<b aria-current="page">▸ {name}</b>'
    else:
        head = f'<a href="{escape(page)}">{name}</a>' if page else name
    return f"<li><span>{head}</span><span>{''.join(_stops(cards, records, lang))}</span></li>"


def _stops(cards: Sequence[Card], records: Mapping[str, Record], lang: Language) -> Iterator[str]:
    for card in cards:
        record = records.get(card.id, Record())
        state = "passed" if record.passed_at else "tried" if record.gradings else "new"
        look = GOOD if record.passed_at else "" if record.gradings else QUIET
        sign = {"passed": "●", "tried": "◐", "new": "○"}[state]
        told = f"{card.title[lang]} · {say(lang, f'map_state_{state}')}"
        yield f'<span class="judge-stop {look}" title="{escape(told)}">{sign} {card.id}</span>'
