"""Comparison of an answer's outputs with the truth: first the contract (count, type, shape, dtype, finiteness), then
the values.  Device and layout are settled before: a tensor that is not dense and on the CPU arrives as `Foreign`."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import torch
from torch import Tensor

from practice.grader.isolate.values import Foreign, Value, pack
from practice.grader.report import Finding, Verdict
from practice.grader.verify.exercise import Case

SLACK = 8
EXCERPT = 12
LARGEST_PART = 1000


def check_contract(expected: Value, got: Value, names: Sequence[str]) -> Finding | None:
    """The first way in which `got` is not what the signature promises, or None; `names` name the outputs."""
    if len(names) == 1:
        return _check_one(expected, got, names[0])
    if not isinstance(got, tuple) or len(got) != len(names):
        fields = {"wanted": f"tuple[{len(names)}]: {', '.join(names)}", "got": describe(got)}
        return Finding(Verdict.CONTRACT, "count" if isinstance(got, tuple) else "outputs", fields)
    assert isinstance(expected, tuple)
    found = (_check_one(*pair) for pair in zip(expected, got, names, strict=True))
    return next((finding for finding in found if finding), None)


def check_values(expected: Value, got: Value, names: Sequence[str], reduction: int | None) -> Finding | None:
    """The first output whose values differ, or None; outputs that fit the contract.

    `reduction` is the length of the sums behind a value, from which its tolerance follows; None wants exact copies.
    """
    truths = expected if isinstance(expected, tuple) else (expected,)
    outputs = got if isinstance(got, tuple) else (got,)
    for name, truth, output in zip(names, truths, outputs, strict=True):
        if isinstance(truth, int | float):
            if not _is_close(truth, output, reduction):
                return _other_number(name, truth, output)
            continue
        assert isinstance(truth, Tensor)
        assert isinstance(output, Tensor)
        wrong = truth != output
        if reduction is not None and truth.dtype.is_floating_point:
            wrong &= ~((output.double() - truth.double()).abs() <= tolerance(truth, reduction))
        if wrong.any():
            return _difference(name, truth, output, wrong)
    return None


def check_poison(case: Case, finding: Finding | None) -> Finding | None:
    """What `check_contract` found; on a poisoned case a stray NaN means that the answer read what it must not read."""
    if not case.poison or not finding or finding.key != "not_finite" or finding.fields["got"] != "nan":
        return finding
    return replace(finding, verdict=Verdict.WRONG, key="read_poison", fields={**finding.fields, **case.poison})


def check_inputs(sent: dict[str, Value], after: Sequence[Value]) -> Finding | None:
    """CONTRACT where a call changed one of its inputs."""
    if len(after) != len(sent):
        return Finding(Verdict.CONTRACT, "input_changed", {"name": ", ".join(sent)})
    for (name, before), now in zip(sent.items(), after, strict=True):
        if not _is_same(before, now):
            return Finding(Verdict.CONTRACT, "input_changed", {"name": name})
    return None


def _is_same(first: Value, second: Value) -> bool:
    """Equality to the last bit; a NaN equals itself."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        same_kind = first.dtype == second.dtype and first.shape == second.shape
        return same_kind and torch.equal(*(tensor.reshape(-1).view(torch.uint8) for tensor in (first, second)))
    if isinstance(first, int):
        return type(first) is type(second) and first == second
    return pack([first]) == pack([second])


def tolerance(truth: Tensor, reduction: int) -> float:
    """How far a sum of `reduction` terms, rounded to the dtype of `truth`, may be off: it grows as the square root of
    the length, and with the largest finite value of the truth, so that a tiny truth gets a tiny tolerance."""
    finite = truth[truth.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 0.0
    return SLACK * torch.finfo(truth.dtype).eps * math.sqrt(max(1, reduction)) * scale


def describe(value: Value) -> str:
    """What a value is, without its contents: `float32[2, 4, 8]`, `tuple[2]`, `int`, a foreign thing's description."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, Foreign):
        return value.what
    return f"{type(value).__name__}[{len(value)}]" if isinstance(value, tuple | list) else type(value).__name__


def aligned(first: Sequence[str], second: Sequence[str]) -> tuple[list[str], list[str]]:
    """Both rows of cells, padded so that what stands at the same place stands in the same columns."""
    widths = [max(map(len, pair)) for pair in zip(first, second, strict=True)]
    first, second = ([cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in (first, second))
    return first, second


def _check_one(expected: Value, got: Value, name: str) -> Finding | None:
    fields: dict[str, str | int] = {"name": name, "wanted": describe(expected), "got": describe(got)}
    if isinstance(expected, int | float):
        kinds = {type(expected), int}  # a whole number may stand where a float is wanted
        if type(got) not in kinds:
            fields["got"] = f"Tensor {describe(got)}" if isinstance(got, Tensor) else describe(got)
            return Finding(Verdict.CONTRACT, "number_type", fields)
        if isinstance(got, float) and not math.isfinite(got) and math.isfinite(expected):
            return Finding(Verdict.CONTRACT, "not_finite", {"name": name, "index": "", "got": str(got)})
        return None
    assert isinstance(expected, Tensor)
    if not isinstance(got, Tensor):
        return Finding(Verdict.CONTRACT, "type", fields)
    if got.shape != expected.shape:
        return Finding(Verdict.CONTRACT, "shape", fields)
    if got.dtype != expected.dtype:
        return Finding(Verdict.CONTRACT, "dtype", fields)
    stray = ~got.isfinite() & expected.isfinite()
    if expected.isinf().any():  # an infinity in the wrong place is a wrong value then, and no breach
        stray = got.isnan()
    if stray.any():
        index = stray.nonzero()[0].tolist()
        return Finding(Verdict.CONTRACT, "not_finite", {"name": name, "index": str(index), "got": _number(got[*index])})
    return None


def _is_close(truth: float, output: Value, reduction: int | None) -> bool:
    """Integers must be the same; a float may be off by what other ways to write its arithmetic round."""
    assert isinstance(output, int | float)
    if isinstance(truth, int) or reduction is None or not math.isfinite(truth):
        return truth == output
    return abs(truth - output) <= tolerance(torch.tensor(truth, dtype=torch.float64), reduction)


def _other_number(name: str, truth: float, output: Value) -> Finding:
    """Both numbers as one reads them, with as many digits as tell them apart, and how often one goes into the other."""
    assert isinstance(output, int | float)
    for few in (",.9g", ","):
        wanted, got = (format(each, "," if isinstance(each, int) else few) for each in (truth, output))
        if wanted != got:
            break
    fields = {"name": name, "wanted": wanted, "got": got}
    factor = _factor(truth, output)
    return Finding(Verdict.WRONG, "number_factor" if factor else "number", {**fields, **factor})


def _factor(truth: float, output: float) -> dict[str, str]:
    """The field `factor` where a number is a whole multiple or a whole part of the truth: "8", "1/2"."""
    if not (truth and math.isfinite(truth) and math.isfinite(output)):
        return {}
    ratio = Fraction(output) / Fraction(truth)
    simple = ratio.limit_denominator(LARGEST_PART)
    is_close = abs(ratio - simple) * 10**9 < simple
    return {"factor": str(simple)} if is_close and simple != 1 and 1 in simple.as_integer_ratio() else {}


def _difference(name: str, truth: Tensor, output: Tensor, wrong: Tensor) -> Finding:
    """The first wrong value, and an excerpt around it along the last dimension."""
    index = wrong.nonzero()[0].tolist()
    *row, at = index or [0]
    start = max(0, at - EXCERPT // 2)
    shown = [tensor[*row].reshape(-1)[start : start + EXCERPT] for tensor in (truth, output)]
    where = f"{name}{[*row, f'{start}:{start + len(shown[0])}']}".replace("'", "")
    rows = aligned(*([_number(value) for value in values] for values in shown))
    fields: dict[str, str | int] = {
        "name": name,
        "index": str(index),
        "wrong": int(wrong.sum()),
        "total": wrong.numel(),
    }
    return Finding(Verdict.WRONG, "values", fields, *(f"{where} = [{', '.join(row)}]" for row in rows))


def _number(value: Tensor) -> str:
    digits = 17 if value.dtype is torch.float64 else 9  # enough to tell any two floats apart
    return f"{value.item():.{digits}g}" if value.dtype.is_floating_point else str(value.item())
