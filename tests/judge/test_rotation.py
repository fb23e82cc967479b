"""Rotated vectors: another order of arithmetic passes, and what is wrong is told by pair."""

import math

import torch
from torch import Tensor

from practice.grader.report import Finding
from practice.grader.verify.rotation import check_rotation

POSITIONS = torch.tensor([0, 1, 300])
X = torch.randn(1, 2, 3, 4, generator=torch.Generator().manual_seed(0))


def turned(x: Tensor, dtype: torch.dtype = torch.float64, by: float = 0.0) -> Tensor:
    """Pairs (0, 2) and (1, 3) turned by 1 and 0.1 rad for each position, and `by` more; in `dtype` all along."""
    angle = POSITIONS[:, None].to(dtype) * torch.tensor([1.0, 0.1], dtype=dtype) + by
    a, b = x.to(dtype).chunk(2, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)


def finding(got: Tensor) -> Finding | None:
    return check_rotation(X, turned(X).float(), got, POSITIONS, "out")


def test_angles_in_float32_pass() -> None:
    right = turned(X, torch.float32)
    assert not torch.equal(right, turned(X).float())
    assert finding(right) is None


def test_another_angle_is_told_in_radians() -> None:
    wrong = finding(turned(X, by=0.5).float())
    assert wrong
    assert "dimensions 0 and 2 of out[0, 0, 0]" in str(wrong.fields["en"])
    assert "have turned by 0.5 rad; it should be 0 rad" in str(wrong.fields["en"])


def test_another_length_is_told() -> None:
    got = turned(X).float()
    got[0, 1, 1, 3] *= 2
    wrong = finding(got)
    assert wrong
    assert "a rotation keeps lengths: dimensions 1 and 3 of out[0, 1, 1]" in str(wrong.fields["en"])


def test_rounding_is_told_as_values() -> None:
    wrong = finding(turned(X).bfloat16().float())
    assert wrong
    assert wrong.key == "values"


def test_the_tolerance_is_that_of_float32() -> None:
    assert finding(turned(X, by=1e-7).float()) is None
    assert finding(turned(X, by=math.pi / 1000).float())
