"""Comics: ``notebooks/comics/NN.toml`` drawn into ``assets/comics/NN.en.svg`` and ``NN.zh.svg``.

``python tools/comics.py`` draws all of them; ``python tools/comics.py alt 03 en`` prints the line by which a chapter's
source shows one, its text alternative in it. ``{{key:.1f}}`` in a comic is a number of the ledger, as in a chapter.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from cartoon.strip import Comic, alternative, draw
from chapters import LANGUAGES, ROOT
from mini_llm.longctx.ledger import quotable, quoted

STRIPS = ROOT / "notebooks" / "comics"
DRAWINGS = ROOT / "assets" / "comics"


def strips() -> list[Path]:
    """Every comic's file, in order."""
    return sorted(STRIPS.glob("*.toml"))


def read(strip: Path) -> Comic:
    """A comic as it is written, its quotes of the ledger unfilled."""
    return tomllib.loads(strip.read_text(encoding="utf-8"))


def drawing(strip: Path, language: str) -> Path:
    """Where a comic's drawing is committed."""
    return DRAWINGS / f"{strip.stem}.{language}.svg"


def image(strip: Path, language: str) -> str:
    """The Markdown that shows a comic in its chapter; the chapter's builder fills in the numbers."""
    return f"![{alternative(read(strip), language)}](../../{drawing(strip, language).relative_to(ROOT).as_posix()})"


def build() -> None:
    """Draw every comic in both languages."""
    DRAWINGS.mkdir(parents=True, exist_ok=True)
    ledger = quotable()
    for strip in strips():
        for language in LANGUAGES:
            drawing(strip, language).write_text(draw(quoted(read(strip), ledger), language), encoding="utf-8")
            print(f"  {drawing(strip, language).relative_to(ROOT)}")


def main(arguments: list[str]) -> None:
    """The command line."""
    match arguments:
        case []:
            build()
        case ["alt", name, ("en" | "zh") as language] if (STRIPS / f"{name}.toml").exists():
            print(image(STRIPS / f"{name}.toml", language))
        case _:
            names = ", ".join(strip.stem for strip in strips())
            sys.exit(f"usage: python tools/comics.py [alt COMIC en|zh]     the comics are {names}")


if __name__ == "__main__":
    main(sys.argv[1:])
