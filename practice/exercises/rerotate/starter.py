"""Exercise rerotate: move cached keys, already rotated by RoPE, to other positions."""

from torch import Tensor


def rerotate(k: Tensor, old_positions: Tensor, new_positions: Tensor, base: float) -> Tensor:
    """The keys as RoPE would have rotated them at ``new_positions``.

    Args:
        k: ``[B, n_kv, S, D]``, rotated at ``old_positions``, dimension i paired with i + D/2.
        old_positions: int64 ``[S]``.
        new_positions: int64 ``[S]``.
        base: pair i turns base ** (-2 * i / D) radians per position.

    Returns:
        ``[B, n_kv, S, D]``, in the dtype of k.
    """
    raise NotImplementedError
