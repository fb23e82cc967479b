"""en: Takes one layer's share of the parameters but the attention of all layers, and so divides by num_layers twice.
zh: 参数只取了一层的份额，注意力却算了所有层，等于除了两次 num_layers。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_layers**2 * num_heads * head_dim)
