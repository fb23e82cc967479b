"""Exercise quest_bounds: bound every score of a page from two vectors."""

from torch import Tensor


def quest_bounds(q: Tensor, k: Tensor, page: int) -> Tensor:
    """Bound the scores q . k of each page of keys from above, for the newest query.

    Args:
        q: ``[n_heads, D]``, the newest token's queries; head h uses KV head h // (n_heads // n_kv).
        k: ``[n_kv, S, D]``, one layer's keys; page p holds keys p * page to (p + 1) * page - 1.
        page: keys in a page; the last page may hold fewer.

    Returns:
        ``[n_heads, ceil(S / page)]``, unscaled, in the dtype of q.
    """
    raise NotImplementedError
