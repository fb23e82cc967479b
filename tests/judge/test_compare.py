"""The comparison: a tolerance that follows the truth, and the first difference found."""

import dataclasses

import pytest
import torch
from torch import Tensor

from practice.grader.catalogue import find_card
from practice.grader.report import Verdict
from practice.grader.tell.messages import sentence
from practice.grader.verify.compare import aligned, check_contract, check_values, tolerance
from practice.grader.verify.exercise import Case, load_exercise, poisoned
from practice.grader.verify.in_process import AnswerHere
from practice.grader.verify.trial import Trial


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
    strays = torch.tensor([-torch.inf, -torch.inf])
    assert check_contract(truth, strays, ["out"]) is None
    assert wrong(truth, strays)
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
    assert finding.got.startswith("out[1, 14:26] = [44, 45, 46, 47, 48, 49,  0,  0")


def test_rows_stand_in_the_same_columns() -> None:
    assert aligned(["8", "9", "10"], ["2", "-30", "4"]) == (["8", "  9", "10"], ["2", "-30", " 4"])
    finding = check_values(torch.tensor([1.5, 2.0]), torch.tensor([1.5, -100.25]), ["out"], None)
    assert finding
    assert finding.expected == "out[0:2] = [1.5,       2]"
    assert finding.got == "out[0:2] = [1.5, -100.25]"


PAGES = {"en": "pages 1 and 2 of k", "zh": "k 的第 1、2 页"}


def first_page(k: Tensor) -> Tensor:
    return k[:4].sum(0)


def masked_away(k: Tensor) -> Tensor:
    """Right for all finite keys, but it reads every one of them."""
    return (k * (torch.arange(len(k)) < 4)[:, None]).sum(0)


def never_finite(k: Tensor) -> Tensor:
    return first_page(k) / 0


def test_poison_tells_not_reading_from_masking_away() -> None:
    exercise = dataclasses.replace(
        load_exercise(find_card("quest_select")),
        outputs=("total",),
        reference=first_page,
        check=lambda case, expected, got: check_values(expected, got, ("total",), 4),
        make_cases=lambda generator: [
            Case({"en": "clean", "zh": "干净"}, {"k": torch.ones(12, 2)}),
            Case(
                {"en": "poisoned", "zh": "投毒"},
                {"k": poisoned(torch.ones(12, 2), (torch.arange(12) >= 4)[:, None])},
                poison=PAGES,
            ),
        ],
    )
    trial = Trial(exercise, 0, "answer.py")
    assert [result.finding for result in trial.run(AnswerHere(first_page))] == [None, None]
    clean, caught = (result.finding for result in trial.run(AnswerHere(masked_away)))
    assert clean is None
    assert caught
    assert caught.verdict is Verdict.WRONG
    assert sentence("en", caught) == "read what should not have been read: pages 1 and 2 of k (total[0] is nan)"
    assert sentence("zh", caught) == "读了不该读的内容：k 的第 1、2 页（total[0] 是 nan）"
    clean, infinite = (result.finding for result in trial.run(AnswerHere(never_finite)))
    assert clean
    assert clean.key == "not_finite"
    assert infinite
    assert infinite.key == "not_finite"  # infinity is not what the poison leaves behind


def test_poisoned_copies() -> None:
    keys = torch.ones(2, 3, dtype=torch.bfloat16)
    copy = poisoned(keys, torch.tensor([False, True, False]))
    assert copy.isnan().tolist() == [[False, True, False]] * 2
    assert copy.dtype is keys.dtype
    assert torch.equal(keys, torch.ones(2, 3, dtype=torch.bfloat16))


def test_a_scalar_difference_is_shown() -> None:
    finding = check_values(torch.tensor(2.5), torch.tensor(3.5), ["out"], 1)
    assert finding
    assert (finding.expected, finding.got, finding.fields["index"]) == ("out[0:1] = [2.5]", "out[0:1] = [3.5]", "[]")


@pytest.mark.parametrize(
    ("truth", "got", "told"),
    [
        (1_342_177_280, 10_737_418_240, "n is 10,737,418,240, not 1,342,177,280: off by a factor of 8"),
        (840, 420, "n is 420, not 840: off by a factor of 1/2"),
        (525, 524, "n is 524, not 525"),
        (0, 16, "n is 16, not 0"),
        (37_866.709183673466, 18_933.354591836734, "n is 18,933.3546, not 37,866.7092: off by a factor of 1/2"),
        (0.1, 0.100000000001, "n is 0.100000000001, not 0.1"),
        (2.5, -5.0, "n is -5, not 2.5"),
        (4.0, 12, "n is 12, not 4: off by a factor of 3"),
    ],
)
def test_numbers_are_told_as_one_reads_them(truth: float, got: float, told: str) -> None:
    finding = check_values(truth, got, ["n"], 1)
    assert finding
    assert finding.verdict is Verdict.WRONG
    assert sentence("en", finding) == told


def test_a_number_may_be_off_by_a_few_roundings_and_no_more() -> None:
    assert check_values(0.3, 0.1 + 0.2, ["n"], 4) is None
    assert check_values(78.125, torch.tensor(78.125).item() * (1 + 1e-7), ["n"], 4)
    assert check_values(4.0, 4, ["n"], 4) is None
    assert check_values(2**60, 2**60 + 1, ["n"], 4)


def test_a_number_has_its_type() -> None:
    assert check_contract(4.0, 4, ["n"]) is None
    for truth, got, told in ((4, 4.0, "float"), (4, True, "bool"), (4.0, torch.tensor(4.0), "Tensor float32[]")):
        finding = check_contract(truth, got, ["n"])
        assert finding
        wanted = type(truth).__name__
        assert sentence("en", finding) == f"n is {told}; expected a plain Python number, {wanted}"
