"""Rotated vectors: another order of arithmetic passes, and what is wrong is told by pair."""

import pytest
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


def finding(got: Tensor, before: Tensor = X) -> Finding | None:
    return check_rotation(before, turned(before).to(before.dtype), got, POSITIONS, "out")


def only(pair: int, got: Tensor) -> Tensor:
    """Right but for one pair of the second head's token at position 1."""
    right = turned(X).float()
    right[0, 1, 1, pair::2] = got.float()[0, 1, 1, pair::2]
    return right


def test_angles_in_float32_pass() -> None:
    right = turned(X, torch.float32)
    assert not torch.equal(right, turned(X).float())
    assert finding(right) is None


def test_one_rounding_to_the_dtype_passes_and_sums_in_it_do_not() -> None:
    half = torch.randn(1, 16, 3, 4, generator=torch.Generator().manual_seed(1)).bfloat16()
    right = turned(half).bfloat16()
    up = torch.nextafter(right, torch.full_like(right, torch.inf))
    assert finding(up, half) is None
    assert finding(turned(half, torch.bfloat16), half)


@pytest.mark.parametrize(
    ("by", "told"), [(0.5, ("0.6 rad", "0.1 rad")), (-0.5, ("-0.4 rad", "0.1 rad")), (-0.1, ("0 rad", "0.1 rad"))]
)
def test_another_angle_is_told_in_radians(by: float, told: tuple[str, str]) -> None:
    wrong = finding(only(1, turned(X, by=by)))
    assert wrong
    assert wrong.key == "exercise"
    assert wrong.fields == {
        "en": "dimensions 1 and 3 of out[0, 1, 1] have turned by {}; it should be {} (whole turns aside)".format(*told),
        "zh": "out[0, 1, 1] 的第 1、3 维转过了 {}，应为 {}（不计整圈）".format(*told).replace("rad", "弧度"),
    }


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_another_length_is_told(factor: float) -> None:
    wrong = finding(only(0, turned(X) * factor))
    old = X[0, 1, 1, ::2].norm().item()
    assert wrong
    assert wrong.key == "exercise"
    assert wrong.fields == {
        "en": "a rotation keeps lengths: dimensions 0 and 2 of out[0, 1, 1], as a pair, "
        f"had length {old:.4g} and now have {factor * old:.4g}",
        "zh": f"旋转不改变长度：out[0, 1, 1] 的第 0、2 维作为一对，长度从 {old:.4g} 变成了 {factor * old:.4g}",
    }


def test_the_pair_is_found_by_its_second_half_too() -> None:
    got = turned(X).float()
    got[0, 1, 1, 3] += 9
    wrong = finding(got)
    assert wrong
    assert "dimensions 1 and 3 of out[0, 1, 1]" in str(wrong.fields["en"])


def test_rounding_is_told_as_values() -> None:
    wrong = finding(turned(X).bfloat16().float())
    assert wrong
    assert wrong.key == "values"
    assert wrong.expected != wrong.got


def test_a_small_angle_is_forgiven_only_where_positions_are_large() -> None:
    """300 rad in float32 are off by 300 times its rounding; 1 rad is not."""
    assert finding(only(1, turned(X, by=1e-4)))
    far = turned(X).float()
    far[:, :, 2] = turned(X, by=3e-5).float()[:, :, 2]
    assert finding(far) is None
