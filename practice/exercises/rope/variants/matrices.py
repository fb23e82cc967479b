"""One D x D rotation matrix for each token, built in numpy."""

import numpy as np
import torch


def rope(x, positions, base):
    D, half = x.shape[-1], x.shape[-1] // 2
    angles = np.multiply.outer(positions.numpy(), np.exp(-np.log(base) * np.arange(half) / half))
    turn = np.zeros((len(positions), D, D))
    one = np.arange(half)
    turn[:, one, one] = turn[:, one + half, one + half] = np.cos(angles)
    turn[:, one + half, one] = np.sin(angles)
    turn[:, one, one + half] = -np.sin(angles)
    return torch.from_numpy(np.einsum("tij,bhtj->bhti", turn, x.double().numpy())).to(x.dtype)
