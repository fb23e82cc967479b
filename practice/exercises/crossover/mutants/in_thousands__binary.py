"""en: Returns thousands of tokens, K for short; tokens are wanted.
zh: 返回的是以千（K）为单位的长度；要的是 token 数。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return params / (2 * num_layers * num_heads * head_dim) / 1024
