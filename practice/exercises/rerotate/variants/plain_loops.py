"""Slot by slot, pair by pair, with the math module; a slot that does not move is copied."""

import math


def rerotate(k, old_positions, new_positions, base):
    D = k.shape[-1]
    out = k.clone()
    for slot, (old, new) in enumerate(zip(old_positions.tolist(), new_positions.tolist(), strict=True)):
        for i in range(D // 2 if old != new else 0):
            angle = (new - old) / base ** (2 * i / D)
            one, other = k[:, :, slot, i].float(), k[:, :, slot, i + D // 2].float()
            out[:, :, slot, i] = one * math.cos(angle) - other * math.sin(angle)
            out[:, :, slot, i + D // 2] = one * math.sin(angle) + other * math.cos(angle)
    return out
