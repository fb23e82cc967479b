"""Exercise quest_attention: attend to the pages that Quest's bound chooses, and read no others."""

from torch import Tensor


def quest_attention(q: Tensor, k: Tensor, v: Tensor, kmin: Tensor, kmax: Tensor, budget: int, page: int) -> Tensor:
    """Attention of the newest token over the chosen pages of each query head.

    Args:
        q: ``[n_heads, D]``, the newest token's queries; head h uses KV head h // (n_heads // n_kv).
        k: ``[n_kv, S, D]``, one layer's keys; page p holds keys p * page to (p + 1) * page - 1.
        v: ``[n_kv, S, D]``, their values.
        kmin: ``[n_kv, ceil(S / page), D]``, no key of the page is below it in any channel.
        kmax: ``[n_kv, ceil(S / page), D]``, no key of the page is above it in any channel.
        budget: how many keys may be read.
        page: keys in a page; the last page may hold fewer.

    Returns:
        ``[n_heads, D]``, in the dtype of q.
    """
    raise NotImplementedError
