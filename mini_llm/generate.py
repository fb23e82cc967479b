"""Greedy and sampled generation, one token at a time."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor

from .kv_cache import KVCache
from .model import Transformer


@torch.no_grad()
def generate(
    model: Transformer,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 0.0,
    top_p: float = 1.0,
    stop: int | Collection[int] | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Continue a prompt. ids: int64 ``[T]``; returns the new tokens, int64 ``[<= max_new_tokens]``.

    temperature 0 takes the likeliest token; above 0 it samples from the smallest set of tokens whose probability
    reaches ``top_p`` (Holtzman et al. 2020). ``stop``, one token or several, ends generation and is not returned.
    """
    if ids.dim() != 1:
        raise ValueError(f"a prompt is [T], got shape {tuple(ids.shape)}")
    if not temperature >= 0 or not 0 < top_p <= 1:
        raise ValueError(f"temperature must be >= 0 and top_p in (0, 1], got {temperature} and {top_p}")
    cache = KVCache(model.cfg.num_hidden_layers)
    stops = {stop} if stop is None or isinstance(stop, int) else set(stop)
    new: list[int] = []
    step = ids[None]
    while len(new) < max_new_tokens:
        logits = model(step, cache, logits_for=[-1])[0, -1].float()
        token = (
            int(logits.argmax())
            if temperature == 0
            else _sample((logits - logits.max()) / temperature, top_p, generator)
        )
        if token in stops:
            break
        new.append(token)
        step = torch.tensor([[token]])
    return torch.tensor(new, dtype=torch.int64)


def _sample(logits: Tensor, top_p: float, generator: torch.Generator | None) -> int:
    probabilities, tokens = logits.softmax(-1).sort(descending=True)
    before = probabilities.cumsum(-1) - probabilities
    before[0] = -1.0  # the likeliest token stays however small top_p is
    probabilities = probabilities.masked_fill(before >= top_p, 0.0)
    if generator is not None:
        probabilities = probabilities.to(generator.device)
    return int(tokens[int(torch.multinomial(probabilities, 1, generator=generator))])
