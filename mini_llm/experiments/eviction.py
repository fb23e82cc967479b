"""A prompt of 1,024 tokens compressed to a budget for each KV head; then 512 tokens are scored under the policy.

window, sinks, h2o and tova evict at every new token; snapkv, pyramid, knorm and random once, after the prompt, so that
their bytes grow by every new token: compare at equal bytes, not at equal budgets.
"""

from __future__ import annotations

import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from ..kv_cache import KVCache
from ..longctx.policies import Evicting, Seen, policy, watched_prefill
from ..longctx.text import TEXTS
from ..masked_forward import forward_with_mask
from .lab import Lab
from .store import Row

PROMPT, SCORED = 1024, 512
BUDGETS = (64, 128, 256, 512)
POLICIES = ("window", "sinks", "h2o", "tova", "snapkv", "pyramid", "knorm", "random")
ROWS = tuple(
    f"{text}/{rest}"
    for text in TEXTS
    for rest in ("full/all", *(f"{name}/{budget}" for name in POLICIES for budget in BUDGETS))
)
SAMPLE = ("story/full/all", "story/h2o/64", "story/snapkv/256")
REL_TOL = 0.01


def run(lab: Lab, row: str) -> Row:
    """Mean loss of a token in nats, its perplexity, and the mean bytes of K and V held while scoring."""
    text, name, budget = row.split("/")
    ids, cache, seen = _prompt(lab, text)
    if name == "full":  # everything fits
        evicting = Evicting(policy("snapkv"), seen, PROMPT)
    else:
        generator = torch.Generator().manual_seed(0)
        evicting = Evicting(policy(name, generator), seen, int(budget))
    positions = torch.arange(PROMPT, PROMPT + SCORED)
    logits, _ = forward_with_mask(lab.model, ids[PROMPT:-1], positions, cache, evicting)
    nll = F.cross_entropy(logits.float(), ids[PROMPT + 1 :]).item()
    return {"nll": nll, "ppl": math.exp(nll), "bytes": evicting.kv_bytes(lab.model.cfg.head_dim)}


@lru_cache(maxsize=1)
def _prompt(lab: Lab, text: str) -> tuple[Tensor, KVCache, list[Seen]]:
    ids = lab.ids(text, PROMPT + SCORED + 1)
    cache = KVCache(lab.model.cfg.num_hidden_layers)
    seen, _ = watched_prefill(lab.model, ids[:PROMPT], cache)
    return ids, cache, seen
