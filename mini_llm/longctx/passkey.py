"""One needle in a long text, asked for at its end: which rules of reading the cache still find it.

The context is read densely and without knowing the question (except where said); the question and the digits are then
read under a rule. All *simulated* by masks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ..cached_attention import Select
from ..kv_cache import KVCache
from ..masked_forward import forward_with_mask
from ..model import Transformer
from .policies import Evicting, Watch, policy, watched_prefill
from .sparse import LastQueries, page_bounds, top_keys, top_pages

NEEDLE = " The pass key is {key}. Remember it. {key} is the pass key."
QUESTION = "\nWhat is the pass key? The pass key is {key}"
DIGITS = 5
STATIC = {"snapkv_before": "snapkv", "h2o": "h2o", "sinks": "sinks", "window": "window"}
DYNAMIC = ("topk", "quest", "quest_dense2")
POLICIES = (*DYNAMIC, "snapkv_question", *STATIC)


@dataclass(frozen=True)
class Trial:
    """Token ids of a context with its needle, of the question, and of the digits, one token each."""

    context: Tensor
    question: Tensor
    digits: Tensor


def make_trial(tokenizer: Any, filler: Tensor, key: int, depth: float) -> Trial:
    """Hide ``key`` at ``depth`` (0 = start, 1 = end) of the filler's ids ``[S]``. Raises ValueError unless it is five
    digits of one token each."""

    def ids(text: str) -> Tensor:
        return torch.tensor(tokenizer(text.format(key=key)).input_ids)

    asked, place = ids(QUESTION), int(depth * len(filler))
    digits = asked[-DIGITS:]
    if tokenizer.convert_ids_to_tokens(digits.tolist()) != list(str(key)):
        raise ValueError(f"key={key} must be {DIGITS} digits, and the tokenizer must give each a token of its own")
    return Trial(torch.cat((filler[:place], ids(NEEDLE), filler[place:])), asked[:-DIGITS], digits)


class Reading:
    """A trial's context, read densely once; then any number of rules may answer the question."""

    def __init__(self, model: Transformer, trial: Trial) -> None:
        self._model, self._trial = model, trial
        self.cache = KVCache(model.cfg.num_hidden_layers)
        self._seen, _ = watched_prefill(model, trial.context, self.cache)

    def answer(self, rule: str, budget: int = 0) -> Tensor:
        """Log-probabilities of the right digits, teacher-forced, and of the likeliest tokens there: ``[2, digits]``.

        rule: "full", or one of ``POLICIES``. The digits are right where the two rows are equal.
        """
        question, digits = self._trial.question, self._trial.digits
        held = self.cache.seq_len()
        select = self._reading_question(budget) if rule == "snapkv_question" else self._select(rule, budget)
        ids = torch.cat((question, digits[:-1]))[self.cache.seq_len() - held :]
        positions = torch.arange(len(ids)) + self.cache.seq_len()
        logits, _ = forward_with_mask(
            self._model, ids, positions, self.cache, select, logits_for=slice(-len(digits), None)
        )
        self.cache.rewind(held)
        said = F.log_softmax(logits.float(), -1)
        return torch.stack((said.gather(1, digits[:, None])[:, 0], said.amax(1)))

    def _select(self, rule: str, budget: int) -> Select:
        if rule in STATIC:
            return Evicting(policy(STATIC[rule]), self._seen, budget)
        return partial(choose_for_query, rule, budget)

    @torch.no_grad()
    def _reading_question(self, budget: int) -> Select:
        """SnapKV with the question as its window, its last token excepted, so that no digit is foretold densely."""
        question = self._trial.question[:-1]
        watch = Watch(len(self.cache), self._model.cfg.num_key_value_heads, len(question))
        self._model(question[None], self.cache, observe=watch, logits_for=[-1])
        return Evicting(policy("snapkv"), watch.seen(self.cache), budget)


def choose_for_query(rule: str, budget: int, layer: int, q: Tensor, k: Tensor) -> Tensor:
    """What each new query reads of everything there is, chosen for it: bool ``[n_heads, T, S + T]``.

    "full", "topk" (exact, per query head), "quest" (pages of 16, the query's own always read), or "quest_dense2", whose
    first two layers read all, as the authors' do.
    """
    queries = LastQueries(q[0], k[0])
    if rule == "full" or (rule == "quest_dense2" and layer < 2):
        return queries.causal.expand(q.shape[1], -1, -1)
    if rule == "topk":
        return top_keys(queries, budget)
    return top_pages(queries, page_bounds(queries), budget)


def bootstrap(values: Tensor, generator: torch.Generator, samples: int = 10_000) -> tuple[float, float]:
    """95 % interval of the mean of ``[n]`` trials by resampling them."""
    drawn = torch.randint(len(values), (samples, len(values)), generator=generator)
    low, high = values.double()[drawn].mean(1).quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    return low, high


def wilson(right: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """95 % interval of a share of ``right`` in ``trials`` (Wilson 1927), which a share of 0 or 1 has, too."""
    share, spread = right / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def keys_and_depths(count: int, low: float = 0.1, high: float = 0.8, seed: int = 0) -> Iterator[tuple[int, float]]:
    """Five-digit keys, seeded, at depths spread evenly from ``low`` to ``high``."""
    keys = torch.randint(10_000, 100_000, (count,), generator=torch.Generator().manual_seed(seed)).tolist()
    return zip(keys, torch.linspace(low, high, count, dtype=torch.float64).tolist(), strict=True)
