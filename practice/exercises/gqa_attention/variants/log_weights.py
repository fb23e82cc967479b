"""Head by head; weights as exp(score - log-sum-exp), and the mask as log 0 and log 1."""

import torch


def gqa_attention(q, k, v, mask):
    B, num_heads, T, D = q.shape
    group, S = num_heads // k.shape[1], k.shape[2]
    allowed = mask.expand(B, num_heads, T, S)
    heads = []
    for head in range(num_heads):
        keys, values = k[:, head // group].float(), v[:, head // group].float()
        scores = torch.einsum("btd,bsd->bts", q[:, head].float() * D**-0.25, keys * D**-0.25)
        scores = scores + allowed[:, head].float().log()
        heads.append(torch.exp(scores - scores.logsumexp(-1, keepdim=True)) @ values)
    return torch.stack(heads, dim=1).to(q.dtype)
