"""en: Counts 1 FLOP per parameter but 2 per multiply-add of attention, or attention twice; count both sides alike.
zh: 线性层每个参数只记 1，注意力的乘加却记 2，或者注意力算了两遍；两边要用同一种记法。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (4 * num_layers * num_heads * head_dim)
