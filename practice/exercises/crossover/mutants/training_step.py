"""en: 6 FLOPs per parameter are a training step, forward and backward; decoding is the forward pass alone, 2.
zh: 每个参数 6 FLOPs 是训练的一步，前向加反向；decode 只有前向，是 2。
"""


def crossover(params, num_layers, num_heads, head_dim):
    return 6 * params / (4 * num_layers * num_heads * head_dim)
