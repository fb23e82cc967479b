"""All reads in one float64 tensor."""

import torch


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    caches = torch.full((batch,), seq_len * kv_bytes_per_token, dtype=torch.float64)
    reads = torch.cat([torch.tensor([weight_bytes], dtype=torch.float64), caches])
    return (reads / bandwidth).sum().item()
