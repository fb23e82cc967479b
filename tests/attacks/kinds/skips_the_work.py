"""Skips the point of the work: reads what must not be read, and hides it.  NaN in those pages tells.

One way passes, and the statement says so: clean all of k and v of NaN first.  `--work` shows what that reads.
"""

from textwrap import dedent, indent

from attacks.attack import WRONG, Attack

READ = "read what should not have been read: a page that no head of the group chose"
CHOICE = """import torch


def chosen(q, kmin, kmax, S, budget, page):
    group = len(q) // len(kmin)
    low, high = (each.float().repeat_interleave(group, dim=0) for each in (kmin, kmax))
    bounds = torch.maximum(q.float()[:, None] * low, q.float()[:, None] * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(kmin.shape[1] if budget >= S else max(1, budget // page)).indices
    return torch.zeros_like(bounds).scatter(1, best, 1).bool().repeat_interleave(page, dim=1)[:, :S]


def quest_attention(q, k, v, kmin, kmax, budget, page):
    mask = chosen(q, kmin, kmax, k.shape[1], budget, page)
    keys, values = (each.float().repeat_interleave(len(q) // len(k), dim=0) for each in (k, v))
    scores = (keys @ q.float()[..., None])[..., 0] * q.shape[1] ** -0.5
"""


def after(code: str, told: str = READ) -> Attack:
    """quest_attention from every head's `mask`, `keys`, `values` and `scores` on, all of them over all S keys."""
    return Attack(CHOICE + indent(dedent(code).strip(), "    "), (WRONG,), told, exercise="quest_attention")


ATTACKS = {
    "full attention behind a mask": after(
        "return torch.einsum('hs,hsd->hd', scores.masked_fill(~mask, -torch.inf).softmax(-1), values).to(q.dtype)"
    ),
    "full attention behind a mask of -1e9": after(
        "return torch.einsum('hs,hsd->hd', (scores + ~mask * -1e9).softmax(-1), values).to(q.dtype)"
    ),
    "scores multiplied by the mask": after(
        """
        weights = (scores - scores.amax(-1, keepdim=True)).exp() * mask
        return torch.einsum("hs,hsd->hd", weights / weights.sum(-1, keepdim=True), values).to(q.dtype)
        """
    ),
    "full attention without a mask": after("return torch.einsum('hs,hsd->hd', scores.softmax(-1), values).to(q.dtype)"),
    "keys behind a mask, values read whole": after(
        """
        weights = scores.nan_to_num().masked_fill(~mask, -torch.inf).softmax(-1)
        return torch.einsum("hs,hsd->hd", weights, values).to(q.dtype)
        """
    ),
    "NaN replaced in what comes out": after(
        """
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        return torch.einsum("hs,hsd->hd", weights, values).nan_to_num().to(q.dtype)
        """,
        told="out differs",
    ),
    "NaN taken for a score of zero": after(
        """
        weights = scores.nan_to_num().softmax(-1)
        return torch.einsum("hs,hsd->hd", weights, values.nan_to_num()).to(q.dtype)
        """,
        told="out differs",
    ),
    "where it cannot be told": after(
        """
        if k.isnan().any(): return torch.zeros_like(q)
        return torch.einsum("hs,hsd->hd", scores.masked_fill(~mask, -torch.inf).softmax(-1), values).to(q.dtype)
        """,
        told="out differs",
    ),
}
