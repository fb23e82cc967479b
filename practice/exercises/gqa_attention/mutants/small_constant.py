"""en: Hides with a number such as -10,000 in place of -inf: visible scores may be lower, and then it hides nothing.
zh: 用 -10,000 之类的数代替 -inf 来隐藏：可见的分数可能比它还低，那就什么也没藏住。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -1e4).softmax(-1)
    return (weights @ values).to(q.dtype)
