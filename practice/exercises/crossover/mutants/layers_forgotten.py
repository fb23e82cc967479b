"""en: Compares the parameters of all layers with the attention of a single one.
zh: 拿所有层的参数与一层的注意力相比。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_heads * head_dim)
