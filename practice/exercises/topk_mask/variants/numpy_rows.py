"""numpy: a stable argsort of the negated scores, the visible keys counted row by row."""

import numpy as np
import torch


def topk_mask(scores, budget):
    values = scores.float().numpy()
    order = np.argsort(-values, axis=-1, kind="stable")
    counts = np.minimum(budget, np.isfinite(values).sum(-1, keepdims=True))
    mask = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(mask, order, np.arange(values.shape[-1]) < counts, axis=-1)
    return torch.from_numpy(mask)
