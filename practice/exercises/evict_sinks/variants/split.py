"""Split into head, middle and tail, and join head and tail."""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    surplus = max(0, len(positions) - budget)
    head = min(sinks, len(positions))
    sizes = [head, surplus, len(positions) - head - surplus]

    def without_middle(tensor, dim):
        first, _, last = tensor.split(sizes, dim=dim)
        return torch.cat([first, last], dim=dim)

    return without_middle(k, 2), without_middle(v, 2), without_middle(positions, 0)
