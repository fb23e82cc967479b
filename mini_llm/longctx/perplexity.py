"""How well a model foretells a text that it reads through a KV cache."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ..kv_cache import KVCache
from ..model import Transformer


@torch.no_grad()
def next_token_nll(model: Transformer, ids: Tensor, cache: KVCache, chunk: int = 256) -> Tensor:
    """Loss in nats of each next token of ids ``[T]``, fp32 ``[T - 1]``, fed through ``cache`` by ``chunk`` tokens.

    exp of the mean is the perplexity. What the cache evicts is its own affair: with a ``BoundedKVCache`` the result
    does not depend on the chunk.
    """
    losses = []
    for piece, targets in zip(torch.split(ids[:-1], chunk), torch.split(ids[1:], chunk), strict=True):
        logits = model(piece[None], cache)[0]
        losses.append(F.cross_entropy(logits.float(), targets.to(logits.device), reduction="none"))
    return torch.cat(losses)
