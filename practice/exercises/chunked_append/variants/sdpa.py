"""PyTorch's attention; query t stands at slot S_cache + t, and sees slots up to its own."""

import torch
from torch.nn.functional import scaled_dot_product_attention


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    k, v = torch.cat((k_cache, k_new), dim=-2), torch.cat((v_cache, v_new), dim=-2)
    slots = torch.arange(k.shape[2])
    visible = slots <= slots[k_cache.shape[2] :, None]
    return scaled_dot_product_attention(q, k, v, attn_mask=visible, enable_gqa=True), k, v
