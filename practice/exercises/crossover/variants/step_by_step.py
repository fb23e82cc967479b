"""Divides by one factor after the other."""


def crossover(params, num_layers, num_heads, head_dim):
    tokens = params / 2
    for factor in (num_layers, num_heads, head_dim):
        tokens /= factor
    return tokens
