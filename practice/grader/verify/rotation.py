"""What is wrong with rotated vectors, told pair by pair: a length that has changed, or an angle that is another one.

Pairs are half-split: dimension i turns with dimension i + D/2.
"""

from dataclasses import replace

import torch
from torch import Tensor

from practice.grader.report import Finding, Text
from practice.grader.verify.compare import check_values

FLOAT32 = torch.finfo(torch.float32).eps
TOLD_APART = 0.02
"""A smaller difference, relative to a length or in radians, is one of rounding, and told as plain values."""


def check_rotation(before: Tensor, expected: Tensor, got: Tensor, reach: Tensor, name: str) -> Finding | None:
    """The first pair of `got` that is wrong, or None; `before`, `expected`, `got` ``[B, H, T, D]``.

    Right is what float32 gives and one rounding to the dtype.  An angle in float32 is off by its own rounding, so the
    tolerance of a pair grows with its length and with `reach` ``[T]``, the greatest position that enters the angle.
    """
    lengths = _pairs(before).abs() * (FLOAT32 * (8 + 4 * reach[:, None].double()))
    slack = torch.finfo(expected.dtype).eps * expected.double().abs() + torch.cat([lengths, lengths], dim=-1)
    close = (got.double() - expected.double()).abs() <= slack
    finding = check_values(expected, torch.where(close, expected, got), (name,), reduction=None)
    if not finding:
        return None
    *row, dim = (~close).nonzero()[0].tolist()
    told = _wrong_pair(before, expected, got, row, dim % lengths.shape[-1], name)
    return replace(finding, key="exercise", fields=told) if told else finding


def _wrong_pair(before: Tensor, expected: Tensor, got: Tensor, row: list[int], pair: int, name: str) -> Text | None:
    """A sentence on one pair; None where it has turned nearly as it should."""
    start, wanted, end = (_pairs(tensor)[*row, pair] for tensor in (before, expected, got))
    place, other = f"{name}{row}", pair + before.shape[-1] // 2
    old, new = start.abs().item(), end.abs().item()
    if abs(new - old) > TOLD_APART * old:
        return {
            "en": f"a rotation keeps lengths: dimensions {pair} and {other} of {place}, as a pair, "
            f"had length {old:.4g} and now have {new:.4g}",
            "zh": f"旋转不改变长度：{place} 的第 {pair}、{other} 维作为一对，长度从 {old:.4g} 变成了 {new:.4g}",
        }
    if (end / wanted).angle().abs() <= TOLD_APART:
        return None
    turned, should = (f"{round((each / start).angle().item(), 4) + 0.0:g}" for each in (end, wanted))  # no -0
    return {
        "en": f"dimensions {pair} and {other} of {place} have turned by {turned} rad; "
        f"it should be {should} rad (whole turns aside)",
        "zh": f"{place} 的第 {pair}、{other} 维转过了 {turned} 弧度，应为 {should} 弧度（不计整圈）",
    }


def _pairs(x: Tensor) -> Tensor:
    """Each pair as one complex number, ``[..., D / 2]``."""
    return torch.complex(*x.double().chunk(2, dim=-1))
