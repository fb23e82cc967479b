"""en: Counts the attention of a single head; every query head has scores and a weighted sum of its own.
zh: 只算了一个头的注意力；每个 query 头都有自己的分数和加权和。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_layers * head_dim)
