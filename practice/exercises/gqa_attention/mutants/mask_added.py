"""en: Adds the bool mask to the scores: True counts as 1, False as 0, and nothing is hidden.
zh: 把 bool 掩码直接加到分数上：True 是 1，False 是 0，什么也没有隐藏。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = (scores + mask).softmax(-1)
    return (weights @ values).to(q.dtype)
