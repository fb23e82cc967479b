"""Exercise snapkv_keep: the end of the prompt votes on which of its keys stay."""

from torch import Tensor


def snapkv_keep(attn: Tensor, budget: int, kernel: int) -> Tensor:
    """Choose the keys of a prompt that stay: its last ones, and those that its last queries looked at, with neighbours.

    Args:
        attn: ``[n_kv, group, W, S]``, softmax probabilities of the prompt's last W queries over all S keys, for the
            query heads of each KV head.
        budget: how many keys stay, for each KV head; greater than W.
        kernel: width of the pooling, odd.

    Returns:
        int64 ``[n_kv, min(budget, S)]``, the indices of each KV head's keys, ascending.
    """
    raise NotImplementedError
