"""Counts the multiply-adds of one key, layer after layer and head after head, and takes an exact fraction."""

from fractions import Fraction


def crossover(params, num_layers, num_heads, head_dim):
    flops = 0
    for _layer in range(num_layers):
        for _head in range(num_heads):
            score, output = 2 * head_dim, 2 * head_dim
            flops += score + output
    return float(Fraction(params) * 2 / flops)
