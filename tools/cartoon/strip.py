"""A whole comic: six panels under a title, and the same in words for who cannot see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from cartoon.ink import INK, PAPER, Box, letters, num, rect
from cartoon.lettering import width
from cartoon.panel import HEIGHT, WIDTH, Panel, lay_out, speaker

MARGIN, GAP, TITLE = 14.0, 12.0, 58.0
SHOWN = 0.6  # of its own size: what a chapter's column holds, letters still above 14 pixels
SHEET = (2 * MARGIN + 2 * WIDTH + GAP, TITLE + 3 * HEIGHT + 2 * GAP + MARGIN)
FONTS = "Verdana,'DejaVu Sans','PingFang SC','Microsoft YaHei','Noto Sans CJK SC','WenQuanYi Micro Hei',sans-serif"

NAMES = {
    "engineer": {"en": "Engineer", "zh": "工程师"},
    "clerk": {"en": "Clerk", "zh": "管理员"},
    "landlord": {"en": "Landlord", "zh": "房东"},
    "judge": {"en": "Judge", "zh": "法官"},
    "token": {"en": "Token", "zh": "token"},
    "token0": {"en": "Token 0", "zh": "0 号"},
    "request": {"en": "Request", "zh": "请求"},
    "gpu": {"en": "GPU", "zh": "显卡"},
    "model": {"en": "Model", "zh": "模型"},
    "handbook": {"en": "Handbook", "zh": "手册"},
}
"""Who can speak, as the text alternative calls them."""

Comic = Mapping[str, Any]


def panels(comic: Comic, language: str) -> list[Panel]:
    """The comic's panels in one language.

    Raises ValueError where a thing is unknown or overlaps another, all of them by panel.
    """
    made, found = [], []
    for number, spec in enumerate(comic["panel"], 1):
        try:
            panel = lay_out(spec, language)
        except (KeyError, TypeError, ValueError) as error:
            error.add_note(f"in panel {number}, {language}")
            raise
        found += [f"panel {number}, {language}: {collision}" for collision in panel.collisions()]
        made.append(panel)
    if found:
        raise ValueError("\n".join(found))
    return made


def draw(comic: Comic, language: str) -> str:
    """The comic as one SVG file: no script, no style sheet, nothing from elsewhere."""
    wide, tall = SHEET
    title = comic["title"][language]
    if width(title, 28, wide=language == "zh", bold=True) > wide - 2 * MARGIN:
        raise ValueError(f"the title is wider than the sheet: {title!r}")
    size = f'viewBox="0 0 {num(wide)} {num(tall)}" width="{num(SHOWN * wide)}" height="{num(SHOWN * tall)}"'
    tag = {"en": "en", "zh": "zh-CN"}[language]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} lang="{tag}" role="img" aria-labelledby="title desc">'
    words = f'<title id="title">{escape(title)}</title><desc id="desc">{escape(alternative(comic, language))}</desc>'
    pen = f'fill="none" stroke="{INK}" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"'
    parts = [head, words, f'<g {pen} font-family="{FONTS}" text-anchor="middle">']
    parts.append(rect(Box(0, 0, wide, tall), PAPER, "none", round_by=10))
    parts.append(letters(wide / 2, 40, title, 28, bold=True))
    for i, panel in enumerate(panels(comic, language)):
        x, y = MARGIN + (i % 2) * (WIDTH + GAP), TITLE + (i // 2) * (HEIGHT + GAP)
        parts.append(f'<g transform="translate({num(x)},{num(y)})">{panel.svg()}</g>')
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def alternative(comic: Comic, language: str) -> str:
    """The comic in words: what each panel shows, who says what, and the caption."""
    title, specs = comic["title"][language], comic["panel"]
    head, place, gap = {"en": ("Comic: {}.", "Panel {}: ", " "), "zh": ("六格漫画《{}》。", "第 {} 格：", "")}[language]
    told = [place.format(number) + _told(panel, language) for number, panel in enumerate(specs, 1)]
    return gap.join([head.format(title), *told]).replace("\u00a0", " ")


def _told(panel: Mapping[str, Any], language: str) -> str:
    speakers = [NAMES[panel["things"][speaker(panel, bubble["who"])]["draw"]][language] for bubble in panel["says"]]
    said = [bubble[language] for bubble in panel["says"]]
    if language == "zh":
        lines = "".join(f"{who}：“{text}”" for who, text in zip(speakers, said, strict=True))
        return f"{panel['scene']['zh']}{lines}旁白：{panel['caption']['zh']}"
    lines = " ".join(f"{who}: “{text}”" for who, text in zip(speakers, said, strict=True))
    return f"{panel['scene']['en']} {lines} Caption: {panel['caption']['en']}"
