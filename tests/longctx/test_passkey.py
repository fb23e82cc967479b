"""The passkey experiment: what a trial is made of, what each rule may read, and the intervals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from mini_llm import KVCache, Transformer, forward_with_mask
from mini_llm.longctx.passkey import (
    DIGITS,
    POLICIES,
    Reading,
    Trial,
    bootstrap,
    choose_for_query,
    keys_and_depths,
    make_trial,
    wilson,
)

GENERATOR = torch.Generator().manual_seed(7)
TRIAL = Trial(*(torch.randint(97, (length,), generator=GENERATOR) for length in (70, 6, DIGITS)))


class Characters:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text: str) -> Any:
        return SimpleNamespace(input_ids=[ord(c) for c in text])

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [chr(token) for token in ids]


def dense(model: Transformer) -> Tensor:
    ids = torch.cat((TRIAL.context, TRIAL.question, TRIAL.digits))
    said = model(ids[None, :-1])[0, -DIGITS:].log_softmax(-1)
    return torch.stack((said.gather(1, TRIAL.digits[:, None])[:, 0], said.amax(1)))


def test_a_trial_hides_its_key_at_its_depth() -> None:
    trial = make_trial(Characters(), torch.full((100,), ord("x")), 31415, 0.25)
    text = "".join(map(chr, trial.context))
    assert text == "x" * 25 + " The pass key is 31415. Remember it. 31415 is the pass key." + "x" * 75
    assert "".join(map(chr, trial.question)) == "\nWhat is the pass key? The pass key is "
    assert "".join(map(chr, trial.digits)) == "31415"


def test_a_key_that_is_not_five_digits_is_named() -> None:
    with pytest.raises(ValueError, match="key=123 must be 5 digits"):
        make_trial(Characters(), torch.zeros(9, dtype=torch.int64), 123, 0.5)


def test_keys_and_depths_are_seeded_and_spread() -> None:
    trials = list(keys_and_depths(32))
    assert trials == list(keys_and_depths(32))
    keys, depths = zip(*trials, strict=True)
    assert len(set(keys)) == 32
    assert all(10_000 <= key < 100_000 for key in keys)
    assert depths[0] == 0.1
    assert depths[-1] == pytest.approx(0.8)


@pytest.mark.parametrize("rule", ["full", *POLICIES])
def test_a_budget_for_everything_is_the_dense_model(tiny: Transformer, rule: str) -> None:
    torch.testing.assert_close(Reading(tiny, TRIAL).answer(rule, 1000), dense(tiny), atol=1e-3, rtol=1e-4)


@pytest.mark.parametrize("rule", POLICIES)
def test_rules_leave_the_reading_as_it_was(tiny: Transformer, rule: str) -> None:
    reading = Reading(tiny, TRIAL)
    first = reading.answer(rule, 32)
    assert reading.cache.seq_len() == len(TRIAL.context)
    for other in POLICIES:
        reading.answer(other, 16)
    torch.testing.assert_close(reading.answer(rule, 32), first)
    assert not torch.allclose(first, dense(tiny), atol=1e-4)


@pytest.mark.parametrize("rule", ["topk", "quest", "quest_dense2"])
@pytest.mark.parametrize("budget", [16, 32, 48])
def test_choosing_for_a_block_is_choosing_for_each_token_as_it_comes(tiny: Transformer, rule: str, budget: int) -> None:
    """A page's bounds hold no key of the future, and no rule reads one."""
    new, cache = torch.cat((TRIAL.question, TRIAL.digits)), KVCache(3)
    tiny(TRIAL.context[None], cache)

    def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
        mask = choose_for_query(rule, budget, layer, q, k)
        dense_layer = rule == "quest_dense2" and layer < 2
        assert dense_layer == bool((mask.sum(-1) > budget).any())
        return mask

    start = len(TRIAL.context)
    whole, _ = forward_with_mask(tiny, new, torch.arange(start, start + len(new)), cache, select)
    for t, token in enumerate(new):
        logits, new_kv = forward_with_mask(tiny, token[None], torch.tensor([start + t]), cache, select)
        torch.testing.assert_close(logits[0], whole[t], atol=1e-3, rtol=1e-4)
        for layer, (k, v) in enumerate(new_kv):
            cache.update(layer, k, v)


def test_wilson_by_hand() -> None:
    assert wilson(0, 8) == pytest.approx((0.0, 0.3244), abs=1e-4)
    assert wilson(8, 8) == pytest.approx((0.6756, 1.0), abs=1e-4)
    assert wilson(16, 32) == pytest.approx((0.3363, 0.6637), abs=1e-4)


def test_the_bootstrap_interval_covers_the_mean_and_shrinks() -> None:
    values = torch.randn(400, generator=torch.Generator().manual_seed(1))
    low, high = bootstrap(values, torch.Generator().manual_seed(0))
    standard_error = values.std().item() / 20
    assert high - low == pytest.approx(2 * 1.96 * standard_error, rel=0.05)
    assert low < values.mean().item() < high
    assert bootstrap(torch.ones(5), torch.Generator()) == (1.0, 1.0)
