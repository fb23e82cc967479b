"""Five digits hidden in about 1,546 tokens: who still finds them with a budget of keys, in 32 trials.

Each trial has its own stretch of the story, key and depth (0.1 to 0.8).
"""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor
from tqdm import tqdm

from ..longctx.passkey import POLICIES, Reading, bootstrap, keys_and_depths, make_trial, wilson
from .lab import Lab
from .store import Row

TRIALS = 32
FILLER, STRIDE = 1521, 190
BUDGETS = (64, 128, 256, 512)
_RULES = ("full/all", *(f"{rule}/{budget}" for rule in POLICIES for budget in BUDGETS))
_QUICK = ("full/all", "quest/256", "h2o/256", "snapkv_question/512")
FEW, FIRST = 2, "/first2"  # rows of this ending take the first two trials alone, and can be run again in seconds
SAMPLE = tuple(row + FIRST for row in _QUICK)
ROWS = (*_RULES, *SAMPLE)
REL_TOL = 0.02


def run(lab: Lab, row: str) -> Row:
    """Loss of a digit in nats with its 95 % bootstrap interval over trials; how many trials had all five digits right,
    with Wilson's 95 % interval of that share."""
    trials, rules = (FEW, _QUICK) if row.endswith(FIRST) else (TRIALS, _RULES)
    rule = row.removesuffix(FIRST)
    found = [_answers(lab, trial, rules)[rule] for trial in tqdm(range(trials), leave=False, unit="trial")]
    losses = torch.stack([-said[0].mean() for said in found])
    right = sum(bool((said[0] == said[1]).all()) for said in found)
    low, high = bootstrap(losses, torch.Generator().manual_seed(0))
    right_low, right_high = wilson(right, trials)
    return {
        "nll": losses.mean().item(),
        "nll_low": low,
        "nll_high": high,
        "right": float(right),
        "trials": float(trials),
        "right_low": right_low,
        "right_high": right_high,
    }


@lru_cache(maxsize=TRIALS)
def _answers(lab: Lab, trial: int, rules: tuple[str, ...]) -> dict[str, Tensor]:
    """Each rule's answer to one trial, whose context is read once for all of them."""
    key, depth = list(keys_and_depths(TRIALS))[trial]
    story = lab.ids("story", STRIDE * TRIALS + FILLER)
    filler = story[STRIDE * trial :][:FILLER]
    reading = Reading(lab.model, make_trial(lab.tokenizer, filler, key, depth))
    answers = {}
    for row in rules:
        rule, budget = row.split("/")
        answers[row] = reading.answer(rule, 0 if budget == "all" else int(budget))
    return answers
