"""Exercise rope: turn queries or keys by their positions."""

from torch import Tensor


def rope(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Rotary position embedding, half-split pairing.

    Args:
        x: ``[B, H, T, D]``, queries or keys; D is even.
        positions: int64 ``[T]``, the position in the text of each token.
        base: pair i turns base ** (-2 * i / D) radians per position.

    Returns:
        ``[B, H, T, D]``, in the dtype of x.
    """
    raise NotImplementedError
