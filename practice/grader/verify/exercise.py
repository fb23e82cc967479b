"""An exercise as the verifier uses it: cases, reference, comparison; trusted code, loaded from its folder."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch

from practice.grader.catalogue import Card
from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Text


@dataclass(frozen=True)
class Case:
    """One test: a name that is unique in its exercise, and the arguments by name, in the order of the signature."""

    name: Text
    arguments: dict[str, Value]


@dataclass(frozen=True)
class Exercise:
    """`check` gets (case, expected, got) once got fits the contract, and finds what is wrong with its values.

    `outputs` names what the function returns; more than one name means a tuple.
    """

    card: Card
    outputs: tuple[str, ...]
    make_cases: Callable[[torch.Generator], list[Case]]
    check: Callable[[Case, Value, Value], Finding | None]
    reference: Callable[..., Value]


def load_exercise(card: Card) -> Exercise:
    """The exercise of a card; raises whatever its modules raise."""
    cases = load_module(card.folder / "cases.py")
    reference = load_module(card.folder / "reference.py")
    return Exercise(card, cases.OUTPUTS, cases.make_cases, cases.check, getattr(reference, card.function))


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


def normal(generator: torch.Generator, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """A tensor of independent standard normal values."""
    return torch.randn(shape, generator=generator).to(dtype)
