"""en: Counts a score as one multiply-add; it takes one for each of the head_dim channels.
zh: 把一个分数当成一次乘加；head_dim 个通道每个都要一次。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_layers * num_heads)
