"""en: Divides in float32, which holds 7 digits; a Python float holds 16.
zh: 用 float32 相除，只有 7 位有效数字；Python 的 float 有 16 位。
"""

import torch


def crossover(params, num_layers, num_heads, head_dim):
    linear, per_key = torch.tensor([2 * params, 4 * num_layers * num_heads * head_dim], dtype=torch.float32)
    return (linear / per_key).item()
