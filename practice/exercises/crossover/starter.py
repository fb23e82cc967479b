"""Exercise crossover: the context length at which the newest token's attention costs as much as its linear layers."""


def crossover(params: float, num_layers: int, num_heads: int, head_dim: int) -> float:
    """Tokens that the newest token must see for its attention FLOPs to equal its linear ones.

    Args:
        params: parameters that a token is multiplied by, as given; nothing is to be taken off.
        num_layers: layers with full attention.
        num_heads: query heads of a layer.
        head_dim: channels of a head.

    Returns:
        Tokens, not rounded.
    """
    raise NotImplementedError
