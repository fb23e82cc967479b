"""A boolean mask over the slots."""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    slot = torch.arange(len(positions))
    age = len(positions) - 1 - slot
    keep = (slot < sinks) | (age < budget - sinks) | (len(positions) <= budget)
    return k[..., keep, :], v[..., keep, :], positions[keep]
