"""en: Divides attention by the linear layers; the length is how many keys it takes to fill the linear FLOPs.
zh: 用注意力除以线性层，比反了；要求的是多少个 key 的注意力才抵得上线性层。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return 2 * num_layers * num_heads * head_dim / params
