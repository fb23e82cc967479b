"""Look inside a forward pass: the queries, keys and values that each layer's attention worked on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..attention import SelfAttention
from ..kv_cache import KVCache
from ..model import Transformer
from ..rope import apply_rope


@dataclass(frozen=True)
class LayerQKV:
    """One layer's tensors for T tokens, rotated: q ``[n_heads, T, D]``, k and v ``[n_kv, T, D]``."""

    q: Tensor
    k: Tensor
    v: Tensor


@torch.no_grad()
def capture_qkv(model: Transformer, ids: Tensor) -> list[LayerQKV]:
    """Run ids ``[T]`` from an empty cache and return every layer's rotated q, k and v."""
    queries: list[Tensor] = []

    def catch(attention: torch.nn.Module, args: tuple[Tensor, Tensor, Tensor]) -> None:
        assert isinstance(attention, SelfAttention)
        x, cos, sin = args
        q = attention.q_norm(attention.q_proj(x).view(1, -1, attention.nh, attention.hd).transpose(1, 2))
        queries.append(apply_rope(q, cos, sin)[0])

    attentions = [module for module in model.modules() if isinstance(module, SelfAttention)]
    hooks = [attention.register_forward_pre_hook(catch) for attention in attentions]
    cache = KVCache(model.cfg.num_hidden_layers)
    try:
        model(ids[None], cache, logits_for=[-1])
    finally:
        for hook in hooks:
            hook.remove()
    return [LayerQKV(q, k[0], v[0]) for q, k, v in zip(queries, cache.k, cache.v, strict=True)]
