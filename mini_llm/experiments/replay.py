"""The story's first tokens read under eviction policies, step by step: the loss, and who was held and drew attention.

h2o, tova and knorm evict at every token from the first over budget on, also knorm, which section 6 of chapter 03 asks
once.
"""

from __future__ import annotations

from functools import lru_cache

from ..longctx.policies import heavy_hitters, last_query, small_norm
from ..longctx.replay import Recording, as_numbers, first_then_age, record
from ..longctx.text import TEXTS
from .lab import Lab
from .store import Row

LENGTH = 384
LAYERS = (0, 3, 8, 14, 24)
BUDGETS = (32, 64, 128)
SCORES = {f"sinks.{sinks}": first_then_age(sinks) for sinks in (0, 1, 2, 4)} | {
    "h2o": heavy_hitters,
    "tova": last_query,
    "knorm": small_norm,
}
CHOICES = (f"full/{LENGTH}", *(f"{name}/{budget}" for name in SCORES for budget in BUDGETS))
ROWS = tuple(f"{choice}/{part}" for choice in CHOICES for part in ("steps", "cells"))
SAMPLE = (f"full/{LENGTH}/steps", "sinks.0/64/steps", "h2o/32/steps")  # cells: a level may flip, see their own test
REL_TOL = 0.01


def run(lab: Lab, row: str) -> Row:
    """Of "steps", by step, the mean loss of a token in nats ("nll") and token 0's share of the attention of a layer
    ("first.", the mean over heads), and for the full cache where each token's text ends ("ends"); of "cells",
    ``Recording.cells`` of all LAYERS as numbers."""
    choice, part = row.rsplit("/", 1)
    recording = _recorded(lab, choice)
    if part == "cells":
        return {"deflated": as_numbers(recording.cells())}
    values: Row = {"nll": recording.nll.tolist()}
    for layer, mass in zip(LAYERS, recording.mass, strict=True):
        values[f"first.{layer}"] = mass[:, 0].tolist()
    if choice == CHOICES[0]:
        values["ends"] = _ends(lab)
    return values


def _ends(lab: Lab) -> list[float]:
    """Where each token ends in the story, in characters."""
    story = lab.tokenizer(TEXTS["story"].read_text(encoding="utf-8"), return_offsets_mapping=True)
    return [end for _, end in story.offset_mapping[:LENGTH]]


@lru_cache(maxsize=1)
def _recorded(lab: Lab, choice: str) -> Recording:
    name, budget = choice.split("/")
    score = SCORES.get(name, first_then_age(0))  # of the full cache nothing is over budget
    return record(lab.model, lab.ids("story", LENGTH + 1), score, int(budget), LAYERS)
