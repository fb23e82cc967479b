"""en: Parentheses are missing: `a / 4 * b` divides by 4 alone and multiplies by all the rest.
zh: 少了括号：`a / 4 * b` 只除以 4，后面的因子都成了相乘。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return 2 * params / 4 * num_layers * num_heads * head_dim
