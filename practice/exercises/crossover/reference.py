"""Reference: what a token costs in the linear layers, what each key that it sees costs, and how often one goes into
the other."""


def crossover(params: float, num_layers: int, num_heads: int, head_dim: int) -> float:
    """Tokens at which attention and linear layers take the same FLOPs, for the one token that sees them all."""
    linear = 2 * params  # a multiply-add per parameter
    per_key = 4 * num_layers * num_heads * head_dim  # a multiply-add with the key's channel, another with the value's
    return linear / per_key
