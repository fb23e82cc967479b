"""StreamingLLM's own protocol on transformers' modules, token by token: what the masked pass is measured against.

K is cached before it is turned; at every step the cache is cut to sinks and newest, the new token joins, and all keys
are turned to their place in the cache, the query to the last (Xiao et al. 2023, section 3.2).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers.models.llama.modeling_llama import rotate_half


@torch.inference_mode()
def next_token_nll(theirs: Any, ids: Tensor, budget: int, sinks: int) -> Tensor:
    """Loss in nats of each next token of ids ``[T]``, fp32 ``[T - 1]``; theirs: a ``LlamaForCausalLM``."""
    cache: list[tuple[Tensor, Tensor] | None] = [None] * len(theirs.model.layers)
    losses = []
    for token, target in pairwise(ids):
        x = theirs.model.embed_tokens(token.view(1, 1))
        for index, layer in enumerate(theirs.model.layers):
            x = _layer(theirs, layer, x, cache, index, budget, sinks)
        logits = theirs.lm_head(theirs.model.norm(x))[0]
        losses.append(F.cross_entropy(logits.float(), target.view(1)))
    return torch.stack(losses)


def _layer(theirs: Any, layer: Any, x: Tensor, cache: list[Any], index: int, budget: int, sinks: int) -> Tensor:
    attention, normed = layer.self_attn, layer.input_layernorm(x)
    q, k, v = (
        projection(normed).view(1, 1, -1, attention.head_dim).transpose(1, 2)
        for projection in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    if cache[index] is not None:
        held_k, held_v = cache[index]
        if held_k.shape[2] > budget:
            newest = held_k.shape[2] - (budget - sinks)
            held_k, held_v = (torch.cat((t[:, :, :sinks], t[:, :, newest:]), dim=2) for t in (held_k, held_v))
        k, v = torch.cat((held_k, k), dim=2), torch.cat((held_v, v), dim=2)
    cache[index] = k, v
    places = torch.arange(k.shape[2], device=x.device)[None]
    cos, sin = (t[:, None] for t in theirs.model.rotary_emb(x, places))
    turned_k = k * cos + rotate_half(k) * sin
    turned_q = q * cos[:, :, -1:] + rotate_half(q) * sin[:, :, -1:]
    out = F.scaled_dot_product_attention(turned_q, turned_k, v, enable_gqa=True)
    x = x + attention.o_proj(out.transpose(1, 2).reshape(1, 1, -1))
    after: Tensor = x + layer.mlp(layer.post_attention_layernorm(x))
    return after
