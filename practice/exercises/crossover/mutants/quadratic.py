"""en: Takes a root; attention is quadratic for a whole prompt, whose linear cost grows, too, but linear for one token.
zh: 开了平方；整段提示词的注意力才是平方的（线性层那时也在增长），单个 token 的只是线性增长。
"""

import math


def crossover(params, num_layers, num_heads, head_dim):
    return math.sqrt(params / (2 * num_layers * num_heads * head_dim))
