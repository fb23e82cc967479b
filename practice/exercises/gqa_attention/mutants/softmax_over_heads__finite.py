"""en: Takes the softmax over the heads; it belongs to each head on its own, over the keys.
zh: softmax 是沿着头那一维做的；每个头应当各自在 key 上做。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -1e9).softmax(1)
    return (weights @ values).to(q.dtype)
