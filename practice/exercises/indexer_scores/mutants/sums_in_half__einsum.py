"""en: Sums in the input's dtype: bfloat16 keeps 8 significant bits, and what heads of opposite sign leave over is lost.
zh: 用输入的 dtype 求和：bfloat16 的有效位只有 8 个二进制位，正负相消之后剩下的那点差别全丢了。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = torch.einsum("thd,sd->ths", q_idx, k_idx)
    scores = torch.einsum("th,ths->ts", weights, dots.relu())
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf)
