"""Counts the elements of tensors that hold nothing, and what they take in 64ths of a byte."""

import torch


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    keys = torch.empty(num_layers, batch, num_kv_heads, seq_len, head_dim, device="meta")
    values = torch.empty_like(keys)
    return (keys.numel() + values.numel()) * round(64 * bytes_per_element) // 64
