"""Honest styles: unusual, and right.  They must stay PASS."""

from attacks.attack import PASS, Attack, body

IMPORTS = "import torch\nimport numpy as np\nfrom torch import Tensor\nfrom torch.nn.functional import pad\n\n\n"
SLOW = "slow but legal"


def quest(bounds: str, best: str = "bounds.topk(max(1, budget // page)).indices") -> Attack:
    """quest_select, with the bounds of grouped queries and of a page's lowest and highest keys written otherwise."""
    source = f"""{IMPORTS}def quest_select(q, k, budget, page):
    (num_heads, D), (num_kv_heads, S, _) = q.shape, k.shape
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    pages = -(-S // page)
    paged = pad(k.float(), (0, 0, 0, pages * page - S)).reshape(num_kv_heads, pages, page, D)
    low, high = paged.amin(2), paged.amax(2)
    grouped = q.float().reshape(num_kv_heads, -1, D)
    bounds = {bounds}
    bounds = bounds.reshape(num_heads, pages)
    bounds[:, -1] = torch.inf
    best = {best}
    chosen = torch.zeros(num_heads, pages, dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
"""
    return Attack(source, (PASS,), exercise="quest_select")


PLAIN = "torch.maximum(grouped[:, :, None] * low[:, None], grouped[:, :, None] * high[:, None])"
TWO_SUMS = (
    'torch.einsum("hgd,hpd->hgp", grouped.clamp(min=0), high) + torch.einsum("hgd,hpd->hgp", grouped.clamp(max=0), low)'
)
TWO_PRODUCTS = "grouped.clamp(min=0) @ high.mT + grouped.clamp(max=0) @ low.mT"

ATTACKS = {
    "another order of operations": quest(f"{PLAIN}.flip(-1).cumsum(-1)[..., -1]"),
    "1e-6 off": quest(f"{PLAIN}.sum(-1) * (1 + 1e-6 * torch.arange(pages).sin())"),
    "matmul for a sum": quest(TWO_PRODUCTS),
    "einsum for matmul": quest(TWO_SUMS),
    "another tie-break": quest(
        f"{PLAIN}.sum(-1)",
        "bounds.flip(1).argsort(dim=1, descending=True, stable=True)[:, : max(1, budget // page)].neg() + pages - 1",
    ),
    "non-contiguous output": body(
        "k, v, p = right(k, v, positions, budget, sinks)\nreturn k.mT.contiguous().mT, v, p", PASS
    ),
    "output that requires grad": body(
        """
        k, v, p = right(k, v, positions, budget, sinks)
        return k.clone().requires_grad_(), v * torch.ones((), requires_grad=True), p
        """,
        PASS,
    ),
    "in-place on its own clones": body(
        "k, v = k.clone(), v.clone()\nk += 0\nk.mul_(1)\nreturn right(k, v, positions, budget, sinks)", PASS
    ),
    "extra prints": body(
        """
        import sys
        print("k", k.shape, k)
        print("v", v, file=sys.stderr)
        return right(k, v, positions, budget, sinks)
        """,
        PASS,
    ),
    "helper functions and classes": Attack(
        """from dataclasses import dataclass
from functools import lru_cache
import torch


@dataclass(frozen=True)
class Budget:
    total: "int"
    sinks: int

    @property
    def newest(self):
        return self.total - self.sinks


@lru_cache(maxsize=None)
def kept(S, budget):
    return torch.tensor([i for i in range(S) if i < budget.sinks or i >= S - budget.newest], dtype=torch.long)


class Evicter:
    def __init__(self, budget): self.budget = budget
    def __call__(self, x, dim):
        return x if self.budget.total >= x.shape[dim] else x.index_select(dim, kept(x.shape[dim], self.budget))


def evict_sinks(k, v, positions, budget, sinks):
    evict = Evicter(Budget(budget, sinks))
    return evict(k, 2), evict(v, 2), evict(positions, 0)
""",
        (PASS,),
    ),
    "type hints": Attack(
        """from __future__ import annotations
from typing import TypeAlias, TypeVar
from torch import Tensor

T = TypeVar("T")
Cache: TypeAlias = "tuple[Tensor, Tensor, Tensor]"


def evict_sinks(k: Tensor, v: Tensor, positions: Tensor, budget: int, sinks: int = 4, *, s: float = 1.0) -> Cache:
    out: Cache = right(k, v, positions, budget, sinks)
    return out
""",
        (PASS,),
    ),
    "numpy inside": body(
        """
        import numpy as np
        S = k.shape[2]
        if budget >= S: return k, v, positions
        kept = np.r_[0:sinks, S - (budget - sinks) : S].astype(np.int64)
        newer = torch.from_numpy(np.asarray(positions.numpy()[kept]).copy())
        return k[:, :, torch.from_numpy(kept)], v[:, :, kept.tolist()], newer
        """,
        PASS,
    ),
    "type comments and docstrings": Attack(
        '''"""An answer."""
import torch


def evict_sinks(k, v, positions, budget, sinks):
    # type: (torch.Tensor, torch.Tensor, torch.Tensor, int, int) -> tuple
    """Keeps sinks: ``k[:, :, :sinks]``.

    >>> 1 + 1
    2
    """
    kept = []  # type: list[int]
    S = k.shape[2]  # type: int
    kept += range(S) if budget >= S else [*range(sinks), *range(S - (budget - sinks), S)]
    return k[:, :, kept], v[:, :, kept], positions[kept]
''',
        (PASS,),
    ),
    SLOW: body(
        """
        import time
        calls = globals()["calls"] = globals().get("calls", 0) + 1
        share = 0.8 * LIMIT / CASES
        began = globals().setdefault("began", time.process_time())
        while time.process_time() < began + calls * share: pass
        return right(k, v, positions, budget, sinks)
        """,
        PASS,
    ),
}
