"""en: The maximum of the softmax is taken over hidden keys too: one that is far above makes all visible weights 0 / 0.
zh: softmax 里减去的最大值把隐藏的 key 也算了进去：如果其中有一个高出很多，可见的权重就全部下溢成 0 / 0。
"""


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights @ values).to(q.dtype)
