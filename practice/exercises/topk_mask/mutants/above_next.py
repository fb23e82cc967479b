"""en: Keeps what is better than the first key left out: of keys that tie there none is kept, too few in all.
zh: 只保留比第一个落选者更好的 key：在那里并列的一个也不留，总数就不够了。
"""


def topk_mask(scores, budget):
    if budget >= scores.shape[-1]:
        return scores.isfinite()
    return scores > scores.topk(budget + 1).values[..., -1:]
