"""The comparison: a tolerance that follows the truth, and the first difference found."""

import pytest
import torch

from practice.grader.report import Verdict
from practice.grader.verify.compare import check_contract, check_values, tolerance


def wrong(truth: torch.Tensor, got: torch.Tensor, reduction: int | None = 64) -> bool:
    finding = check_values(truth, got, ["out"], reduction)
    assert finding is None or finding.verdict is Verdict.WRONG
    return finding is not None


def test_another_order_of_summation_passes() -> None:
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randn(50, 64, generator=generator), torch.randn(64, 50, generator=generator)
    truth, reordered = a @ b, (a.flip(1) * 1.0) @ b.flip(0)
    assert not torch.equal(truth, reordered)
    assert not wrong(truth, reordered)
    assert not wrong(torch.ones(4), torch.ones(4) + 1e-6)


def test_zeros_fail_where_the_truth_is_tiny() -> None:
    assert wrong(torch.full((4,), 1e-6), torch.zeros(4))
    assert wrong(torch.full((4,), 1e-30), torch.zeros(4))
    assert not wrong(torch.zeros(4), torch.zeros(4))


def test_a_coarser_dtype_fails() -> None:
    truth = torch.randn(100, generator=torch.Generator().manual_seed(0))
    assert wrong(truth, truth.bfloat16().float())
    assert wrong(truth, truth.half().float())


def test_tolerance_follows_dtype_length_and_scale() -> None:
    truth = torch.ones(3)
    assert tolerance(truth, 400) == pytest.approx(2 * tolerance(truth, 100))
    assert tolerance(1000 * truth, 100) == pytest.approx(1000 * tolerance(truth, 100))
    assert tolerance(truth.bfloat16(), 100) == pytest.approx(2**16 * tolerance(truth, 100))
    assert tolerance(torch.tensor([1.0, -torch.inf]), 100) == pytest.approx(tolerance(truth, 100))


def test_exact_copies_allow_nothing() -> None:
    truth = torch.ones(4)
    assert wrong(truth, truth * (1 + 2e-7), reduction=None)
    assert not wrong(truth, truth.clone(), reduction=None)


def test_infinity_belongs_only_where_the_truth_has_it() -> None:
    truth = torch.tensor([0.5, -torch.inf])
    assert check_contract(truth, truth.clone(), ["out"]) is None
    assert not wrong(truth, truth.clone())
    assert wrong(truth, torch.tensor([0.5, 0.0]))
    finding = check_contract(truth, torch.tensor([torch.nan, -torch.inf]), ["out"])
    assert finding
    assert (finding.verdict, finding.key, finding.fields["index"]) == (Verdict.CONTRACT, "not_finite", "[0]")


def test_the_first_difference_is_shown_in_its_row() -> None:
    truth = torch.arange(60).reshape(2, 30)
    got = truth.clone()
    got[1, 20:] = 0
    finding = check_values(truth, got, ["out"], None)
    assert finding
    assert finding.fields == {"name": "out", "index": "[1, 20]", "wrong": 10, "total": 60}
    assert finding.expected.startswith("out[1, 14:26] = [44, 45, 46, 47, 48, 49, 50, 51")
    assert finding.got.startswith("out[1, 14:26] = [44, 45, 46, 47, 48, 49, 0, 0")


def test_a_scalar_difference_is_shown() -> None:
    finding = check_values(torch.tensor(2.5), torch.tensor(3.5), ["out"], 1)
    assert finding
    assert (finding.expected, finding.got, finding.fields["index"]) == ("out[0:1] = [2.5]", "out[0:1] = [3.5]", "[]")
