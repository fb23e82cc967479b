"""en: Rounds the length to whole tokens, or to some digits; where two lines meet need not be a whole number.
zh: 把长度取成整数，或只留几位小数；两条线的交点不必是整数。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params // (2 * num_layers * num_heads * head_dim)
