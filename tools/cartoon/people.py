"""People: one body, four who wear it. A person stands on (0, 0) and is some 165 tall."""

from __future__ import annotations

from cartoon.faces import face
from cartoon.ink import BLUE, GREY, INK, ORANGE, PALE_GREY, WHITE, Box, Point, Thing, circle, line, path, polygon, rect

Arm = tuple[Point, Point]  # elbow and hand; x counts in the direction that the person looks

POSES: dict[str, tuple[Arm, Arm]] = {  # the arm behind and the arm in front
    "stand": (((-25, -76), (-22, -50)), ((25, -76), (22, -50))),
    "point": (((-25, -76), (-22, -50)), ((36, -84), (64, -100))),
    "offer": (((-25, -76), (-22, -50)), ((34, -74), (62, -76))),
    "shrug": (((-36, -76), (-52, -98)), ((36, -76), (52, -98))),
    "cheer": (((-38, -108), (-44, -140)), ((38, -108), (44, -140))),
    "think": (((-30, -72), (6, -66)), ((34, -74), (16, -106))),
    "hips": (((-40, -78), (-17, -60)), ((40, -78), (17, -60))),
    "despair": (((-40, -108), (-19, -140)), ((40, -108), (19, -140))),
}
HEAD = (0.0, -132.0)
RADIUS = 25


def engineer(*, pose: str = "stand", mood: str = "calm", look: str = "right") -> Thing:
    """She asks; glasses, a bun, a blue jumper."""
    x, y = HEAD
    hair = circle(x, y - 29, 10, INK) + path(f"M{x - 25} {y - 4}q0-24 25-24q25 0 25 24q-12-14-25-14q-13 0-25 14z", INK)
    eyes = x + _turn(look) * 5
    rims = "".join(circle(eyes + side * 8, y - 2, 7.5, WHITE, width=1.8) for side in (-1, 1))
    return _person(pose, mood, look, BLUE, hair + rims, tall=171)


def clerk(*, pose: str = "stand", mood: str = "calm", look: str = "right") -> Thing:
    """Keeps the KV shelf; an orange visor and sleeves rolled up."""
    x, y = HEAD
    turn = _turn(look)
    visor = path(f"M{x - 25} {y - 6}q2-21 25-21q23 0 25 21z", ORANGE) + line(
        (x, y - 7), (x + turn * 38, y - 7), width=6
    )
    return _person(pose, mood, look, PALE_GREY, visor, tall=162)


def landlord(*, pose: str = "stand", mood: str = "calm", look: str = "right") -> Thing:
    """Owns the HBM; a top hat and a moustache."""
    x, y = HEAD
    hat = rect(Box(x - 18, y - 52, x + 18, y - 19), INK) + line((x - 30, y - 19), (x + 30, y - 19), width=6)
    band = line((x - 17, y - 26), (x + 17, y - 26), stroke=ORANGE, width=5)
    moustache = path(f"M{x + _turn(look) * 5} {y + 6}q-6-5-14 3q8 4 14 0q6 4 14 0q-8-8-14-3z", INK, width=1)
    return _person(pose, mood, look, INK, hat + band + moustache, tall=188)


def judge(*, pose: str = "stand", mood: str = "calm", look: str = "right") -> Thing:
    """Cannot be fooled; wears the wig to prove it."""
    x, y = HEAD
    curls = [(-24, 12), (-28, -3), (-21, -18), (-8, -26), (8, -26), (21, -18), (28, -3), (24, 12)]
    return _person(pose, mood, look, INK, "".join(circle(x + dx, y + dy, 9, PALE_GREY) for dx, dy in curls), tall=170)


def _turn(look: str) -> int:
    if look not in ("left", "right"):
        raise ValueError(f"one looks left or right, not {look!r}")
    return 1 if look == "right" else -1


def _person(pose: str, mood: str, look: str, coat: str, hat: str, tall: float) -> Thing:
    if pose not in POSES:
        raise ValueError(f"no pose {pose!r}; there are {', '.join(POSES)}")
    turn = _turn(look)
    arms = [
        [(turn * x, y) for x, y in ((side * 15, -98), *arm)] for side, arm in zip((-1, 1), POSES[pose], strict=True)
    ]
    x, y = HEAD
    svg = "".join(
        [
            line((-9, -52), (-11, -2), (-11 + turn * 9, -2), width=5),
            line((9, -52), (11, -2), (11 + turn * 9, -2), width=5),
            polygon((-17, -103), (17, -103), (21, -48), (-21, -48), fill=coat),
            *(
                line(*arm, stroke=INK, width=11) + line(*arm, stroke=coat if coat != INK else GREY, width=6)
                for arm in arms
            ),
            *(circle(*arm[-1], 6) for arm in arms),
            circle(x, y, RADIUS, WHITE),
            hat,
            face(x + turn * 5, y + 1, mood),
        ]
    )
    reach = [point[0] for arm in arms for point in arm]
    top = min(-tall, *(arm[-1][1] - 7 for arm in arms))
    return Thing(svg, Box(min(-32, *reach) - 7, top, max(32, *reach) + 7, 1), mouth=(turn * 4, top))
