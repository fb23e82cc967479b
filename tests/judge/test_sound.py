"""Every exercise proves itself: on 20 seeds here, on 200 in `make soak`."""

import os

import pytest

from practice.grader.catalogue import Card, all_cards
from practice.grader.lint.prove import prove
from practice.grader.tell.soundness import render_soundness

SEEDS = range(200 if os.environ.get("SOAK") else 20)


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.id)
def test_every_exercise_is_sound(card: Card) -> None:
    found = prove(card, SEEDS)
    assert found.is_sound, render_soundness(found, "en")
    assert found.score
    assert found.score.killed >= 0.95 * found.score.total > 0
