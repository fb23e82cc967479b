"""en: Gives hidden keys the score 0, and exp(0) is 1: only a score of -inf has no weight.
zh: 把隐藏的 key 的分数变成 0，而 exp(0) 是 1：只有 -inf 的分数才没有权重。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = (scores * mask).softmax(-1)
    return (weights @ values).to(q.dtype)
