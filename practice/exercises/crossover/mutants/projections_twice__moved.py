"""en: Counts the projections of Q, K, V and the output as attention; they are linear layers and are in params already.
zh: 把 Q、K、V 和输出投影也算进注意力；它们是线性层，已经包含在 params 里。
"""


def crossover(params, num_layers, num_heads, head_dim):
    hidden = num_heads * head_dim
    return (2 * params - 16 * num_layers * hidden**2) / (4 * num_layers * hidden)
