"""An exercise as the verifier uses it: cases, reference, comparison, mutants; trusted code, loaded from its folder."""

import functools
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor

from practice.grader.catalogue import Card, misconception
from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Misconception, Text


@dataclass(frozen=True, eq=False)
class Known:
    """A value that does not come from the reference, and where it comes from: "by hand", a paper and its table."""

    value: Value
    source: str


@dataclass(frozen=True, eq=False)
class Case:
    """One test: a name that is unique in its exercise, and the arguments by name, in the order of the signature.

    `known`: the right output, worked by hand or from the literature, which the reference must give too.
    `is_ambiguous`: what comes back says nothing about how it was computed, because several outputs are right, or
    rounding decides; mistakes are named by the other cases.
    `poison`: what no right answer reads; it holds NaN, and a NaN in an output tells that it was read.
    """

    name: Text
    arguments: dict[str, Value]
    known: Known | None = None
    is_ambiguous: bool = False
    poison: Text | None = None

    @property
    def size(self) -> int:
        """Elements in the tensors of the arguments; where there are only numbers, their digits."""
        tensors = [value for value in self.arguments.values() if isinstance(value, Tensor)]
        if tensors:
            return sum(tensor.numel() for tensor in tensors)
        return sum(len(str(value)) for value in self.arguments.values())


@dataclass(frozen=True)
class Exercise:
    """`check` gets (case, expected, got) once got fits the contract, and finds what is wrong with its values.

    `outputs` names what the function returns; more than one name means a tuple.
    `small_cases` enumerates inputs that fit on a screen, the most readable first.
    `dense` does what the function saves, for its work to be compared with; not every exercise has it.
    """

    card: Card
    outputs: tuple[str, ...]
    make_cases: Callable[[torch.Generator], list[Case]]
    small_cases: Callable[[torch.Generator], Iterable[Case]]
    check: Callable[[Case, Value, Value], Finding | None]
    reference: Callable[..., Value]
    dense: Callable[..., Value] | None = None


@dataclass(frozen=True)
class Mutant:
    """A wrong answer that the exercise ships: one implementation of a mistake."""

    misconception: Misconception
    function: Callable[..., Value]


def load_exercise(card: Card) -> Exercise:
    """The exercise of a card; raises whatever its modules raise."""
    cases = load_module(card.folder / "cases.py")
    reference = load_module(card.folder / "reference.py")
    return Exercise(
        card,
        cases.OUTPUTS,
        cases.make_cases,
        cases.small_cases,
        cases.check,
        getattr(reference, card.function),
        getattr(cases, "dense", None),
    )


def load_mutants(card: Card) -> tuple[Mutant, ...]:
    """The mutants of a card.  `mistake.py` and `mistake__otherwise.py` are two implementations of one mistake."""
    return _load_mutants(card.folder / "mutants", card.function)


@functools.cache
def _load_mutants(folder: Path, function: str) -> tuple[Mutant, ...]:
    return tuple(_load_mutant(path, function) for path in sorted(folder.glob("*.py")))


def _load_mutant(path: Path, function: str) -> Mutant:
    module = load_module(path)
    return Mutant(misconception(path, module.__doc__ or ""), getattr(module, function))


def load_module(path: Path) -> ModuleType:
    """Import one trusted file of an exercise, without a place in `sys.modules`."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def integer(generator: torch.Generator, low: int, high: int) -> int:
    """A random integer, both ends included."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def normal(generator: torch.Generator, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """A tensor of independent standard normal values."""
    return torch.randn(shape, generator=generator).to(dtype)


def poisoned(values: Tensor, unread: Tensor) -> Tensor:
    """A copy of floating-point `values` with NaN where the bool mask `unread`, broadcast to their shape, is True.

    Sound only where a right answer does not touch those values at all: 0 * NaN is NaN, so masking is not enough.
    """
    return values.masked_fill(unread, torch.nan)
