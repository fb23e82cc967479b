"""en: Zeroes the hidden weights after the softmax: those that are left no longer sum to 1.
zh: 在 softmax 之后才把隐藏的权重置零：剩下的权重之和不再是 1。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.softmax(-1) * mask
    return (weights @ values).to(q.dtype)
