"""Rotary position embeddings (Su et al. 2021, RoFormer), half-split pairing: dimension i turns with i + D/2."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class RopeScaling:
    """A rule that stretches RoPE past the trained length, under the names of ``rope_parameters`` in ``config.json``."""

    rope_type: str = "default"
    factor: float = 1.0  # wanted length / trained length
    original_max_position_embeddings: int = 0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_factor: float | None = None
    truncate: bool = True


UNSCALED = RopeScaling()


def rope_frequencies(head_dim: int, base: float, scaling: RopeScaling = UNSCALED) -> tuple[Tensor, float]:
    """Radians each pair turns per position, fp32 ``[head_dim / 2]`` on the CPU, and what cos and sin are multiplied by.

    Unscaled, pair i turns ``base ** (-2i / head_dim)``. Raises ValueError on a rule that is not in ``RULES``.
    """
    if scaling.rope_type not in RULES:
        raise ValueError(f"rope_type {scaling.rope_type!r} is not one of {', '.join(sorted(RULES))}")
    plain = 1.0 / base ** (torch.arange(0, head_dim, 2, dtype=torch.float32, device="cpu") / head_dim)
    return RULES[scaling.rope_type](plain, base, scaling)


def _default(plain: Tensor, base: float, scaling: RopeScaling) -> tuple[Tensor, float]:
    return plain, 1.0


def _linear(plain: Tensor, base: float, scaling: RopeScaling) -> tuple[Tensor, float]:
    """Position interpolation (Chen et al. 2023): every pair slows by the factor."""
    return plain / scaling.factor, 1.0


def _yarn(plain: Tensor, base: float, scaling: RopeScaling) -> tuple[Tensor, float]:
    """YaRN (Peng et al. 2023): slow pairs are interpolated, fast ones left, a ramp between; attention is sharpened."""
    pairs = len(plain)

    def pair_that_turns(turns: float) -> float:
        """The pair, as a fraction, that makes so many whole turns within the trained length."""
        return pairs * math.log(scaling.original_max_position_embeddings / (turns * 2 * math.pi)) / math.log(base)

    low, high = pair_that_turns(scaling.beta_fast), pair_that_turns(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, 2 * pairs - 1)
    width = high - low if high != low else 0.001
    interpolated = ((torch.arange(pairs, dtype=torch.float32, device="cpu") - low) / width).clamp(0, 1)
    sharpening = 0.1 * math.log(scaling.factor) + 1.0 if scaling.factor > 1 else 1.0
    frequencies = plain / scaling.factor * interpolated + plain * (1 - interpolated)
    return frequencies, sharpening if scaling.attention_factor is None else scaling.attention_factor


def _llama3(plain: Tensor, base: float, scaling: RopeScaling) -> tuple[Tensor, float]:
    """Llama 3.1's rule: by turns within the trained length, pairs are left, slowed by the factor, or blended."""
    turns = scaling.original_max_position_embeddings * plain / (2 * math.pi)
    span = scaling.high_freq_factor - scaling.low_freq_factor
    kept = ((turns - scaling.low_freq_factor) / span).clamp(0, 1)
    return plain / scaling.factor * (1 - kept) + plain * kept, 1.0


RULES = {"default": _default, "linear": _linear, "yarn": _yarn, "llama3": _llama3}


def rope_cos_sin(positions: Tensor, inv_freq: Tensor, dtype: torch.dtype, length: float = 1.0) -> tuple[Tensor, Tensor]:
    """Cosine and sine of every angle, multiplied by ``length`` (YaRN lengthens q and k to sharpen attention).

    positions: int64 ``[T]`` or ``[B, T]``; inv_freq: fp32 ``[D/2]``.
    Returns two tensors ``[1 or B, 1, T, D/2]`` in ``dtype``. The angles themselves are fp32 whatever the dtype:
    in bf16 most positions above 256 would be rounded before they turned anything.
    """
    angles = positions.reshape(-1, 1, positions.shape[-1], 1).float() * inv_freq
    return (angles.cos() * length).to(dtype), (angles.sin() * length).to(dtype)


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn x ``[B, H, T, D]`` by the angles behind cos, sin ``[1 or B, 1, T, D/2]``; same shape and dtype."""
    first, second = x.chunk(2, dim=-1)
    turned = torch.addcmul(first * cos, second, sin, value=-1), torch.addcmul(second * cos, first, sin)
    return torch.cat(turned, dim=-1)
