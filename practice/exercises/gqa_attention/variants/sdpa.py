"""PyTorch's own; it accumulates in float32, and in bfloat16 rounds some intermediate values."""

from torch.nn.functional import scaled_dot_product_attention


def gqa_attention(q, k, v, mask):
    return scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
