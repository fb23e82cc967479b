"""A case as Python source: what a learner pastes below the answer to see the failure again."""

from collections.abc import Sequence

import torch
from torch import Tensor

from practice.grader.isolate.remote import Failure
from practice.grader.isolate.values import Value
from practice.grader.report import Example
from practice.grader.verify.compare import aligned, describe
from practice.grader.verify.trial import Attempt

LONGEST = 2000
"""Characters of source that are still worth reading."""

WIDEST = 80
"""Characters of a tensor's values that stand on one line; of longer ones each row has its own."""

FROM_LITERALS = (torch.float32, torch.int64, torch.bool)
"""The dtypes that `torch.tensor` makes of Python's own numbers."""

NOT_FINITE = {"nan": "torch.nan", "inf": "torch.inf", "-inf": "-torch.inf"}


def as_example(attempt: Attempt, outputs: Sequence[str], function: str) -> Example | None:
    """The example of a failed attempt; None where it is too long to read."""
    assert attempt.finding
    arguments = attempt.case.arguments
    if attempt.case.size > LONGEST:
        return None
    lines = [f"{name} = {as_source(value)}" for name, value in arguments.items()]
    imports = ["import torch", ""] if any("torch." in line for line in lines) else []
    source = "\n".join([*imports, *lines, f"print({function}({', '.join(arguments)}))"])
    expected, got = _both_sides(attempt, outputs)
    if max(map(len, (source, expected, got))) > LONGEST:
        return None
    return Example(attempt.finding, source, expected, got)


def as_source(value: Value) -> str:
    """An expression for `value`; an ellipsis where there is none, or too long a one."""
    if _cell_count(value) > LONGEST:
        return "..."
    if isinstance(value, Tensor):
        return _tensor_source(value, _cells(value))
    if isinstance(value, tuple | list):
        items = ", ".join(map(as_source, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    if isinstance(value, float):
        return NOT_FINITE.get(repr(value), repr(value))
    return repr(value) if isinstance(value, bool | int | str | None) else "..."


def _both_sides(attempt: Attempt, names: Sequence[str]) -> tuple[str, str]:
    """Expected and got, one assignment for each output."""
    wanted = attempt.expected if isinstance(attempt.expected, tuple) else (attempt.expected,)
    expected = [f"{name} = {as_source(value)}" for name, value in zip(names, wanted, strict=True)]
    if isinstance(attempt.reply, Failure):
        return "\n".join(expected), "# " + _one_line(f"{attempt.reply.type}: {attempt.reply.message}")
    outputs = attempt.reply.outputs
    got = outputs if isinstance(outputs, tuple) else (outputs,)
    if len(got) != len(names):
        return "\n".join(expected), f"{', '.join(names)} = {as_source(outputs)}{_what(outputs)}"
    pairs = [_pair(*values) for values in zip(wanted, got, strict=True)]
    sides = [
        [f"{name} = {side}" for name, side in zip(names, column, strict=True)] for column in zip(*pairs, strict=True)
    ]
    return "\n".join(sides[0]), "\n".join(sides[1])


def _pair(expected: Value, got: Value) -> tuple[str, str]:
    """Both as source; tensors of one shape stand in the same columns."""
    if isinstance(expected, int | float) and type(got) in (type(expected), int):
        return as_source(expected), as_source(got)
    if not isinstance(expected, Tensor) or not isinstance(got, Tensor) or expected.shape != got.shape:
        return as_source(expected), as_source(got) + _what(got)
    rows = aligned(_cells(expected), _cells(got))
    return _tensor_source(expected, rows[0]), _tensor_source(got, rows[1])


def _what(value: Value) -> str:
    """A comment on what is no tensor, or too large to show."""
    is_shown = isinstance(value, Tensor) and value.numel() <= LONGEST
    return "" if is_shown else f"  # {_one_line(describe(value))}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tensor_source(tensor: Tensor, cells: Sequence[str]) -> str:
    if not cells:
        dtype = "" if tensor.dtype is torch.float32 else f", dtype={tensor.dtype}"
        return f"torch.zeros({tuple(tensor.shape)}{dtype})"
    dtype = "" if tensor.dtype in FROM_LITERALS else f", dtype={tensor.dtype}"
    whole = _nested(cells, tensor.shape)
    if len(whole) > WIDEST and tensor.dim() > 1:
        rows = _rows(cells, tensor.shape)
        whole = "\n".join(["[", *(f"    {row}," for row in rows), "]"])
    return f"torch.tensor({whole}{dtype})"


def _nested(cells: Sequence[str], shape: Sequence[int]) -> str:
    """Cells in row-major order as a nested list of this shape."""
    return f"[{', '.join(_rows(cells, shape))}]" if shape else cells[0]


def _rows(cells: Sequence[str], shape: Sequence[int]) -> list[str]:
    """The items of the outermost dimension."""
    step = len(cells) // shape[0]
    return [_nested(cells[start : start + step], shape[1:]) for start in range(0, len(cells), step)]


def _cell_count(value: Value) -> int:
    """How many elements and other values there are to write."""
    if isinstance(value, tuple | list):
        return sum(map(_cell_count, value))
    return value.numel() if isinstance(value, Tensor) else 1


def _cells(tensor: Tensor) -> list[str]:
    """Each element as the shortest literal that gives it back."""
    if not tensor.dtype.is_floating_point:
        return [repr(value) for value in tensor.flatten().tolist()]
    exact = tensor.dtype if tensor.dtype is torch.float64 else torch.float32
    return [NOT_FINITE.get(text := str(value), text) for value in tensor.flatten().to(exact).numpy()]
