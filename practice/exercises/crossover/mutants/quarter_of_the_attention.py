"""en: Counts one FLOP per key and channel; there are two products, with K and V, each a multiply-add of 2 FLOPs.
zh: 每个 key 的每个通道只记了 1 FLOP；其实要与 K、V 各乘一次，每次乘加是 2 FLOPs。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return 2 * params / (num_layers * num_heads * head_dim)
