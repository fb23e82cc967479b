"""Looks for the length without solving for it: doubles past it, then halves the interval until no float is inside."""


def crossover(params, num_layers, num_heads, head_dim):
    def overtakes(keys):
        return num_layers * num_heads * (2 * head_dim * keys + 2 * keys * head_dim) >= 2 * params

    low, high = 0.0, 1.0
    while not overtakes(high):
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if overtakes(middle) else (middle, high)
    return high
