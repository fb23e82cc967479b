"""en: Half the attention is missing: V's product, the 2 of a multiply-add, or half the keys (that is a whole prefill).
zh: 注意力少算了一半：漏了与 V 的乘积，或乘加只记 1，或只看一半的 key（那是整段 prefill）。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return 2 * params / (2 * num_layers * num_heads * head_dim)
