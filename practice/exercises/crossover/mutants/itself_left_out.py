"""en: Takes off one token; the newest token attends to itself, too, and is one of the keys.
zh: 减掉了一个 token；最新的 token 也看见自己，它自己的 key 也算一个。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_layers * num_heads * head_dim) - 1
