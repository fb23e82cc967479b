"""Exercise quest_select: choose the pages of the KV cache that are worth reading."""

from torch import Tensor


def quest_select(q: Tensor, k: Tensor, budget: int, page: int) -> Tensor:
    """Choose whole pages of keys by an upper bound on their scores, for the newest query.

    Args:
        q: ``[n_heads, D]``, the newest token's queries; head h uses KV head h // (n_heads // n_kv).
        k: ``[n_kv, S, D]``, one layer's keys; page p holds keys p * page to (p + 1) * page - 1.
        budget: how many keys may be read.
        page: keys in a page; the last page may hold fewer.

    Returns:
        bool ``[n_heads, S]``, True for the keys that are read.
    """
    raise NotImplementedError
