"""What is stored: whole, of the present code, model and texts; and a sample of it measured again."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mini_llm.experiments import rerun, results, store

pytestmark = pytest.mark.model
NAMES = store.names()


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_stored(name: str) -> None:
    assert tuple(results(name)) == store.experiment(name).ROWS


@pytest.mark.parametrize("name", NAMES)
def test_results_are_of_the_present_code_model_and_texts(name: str) -> None:
    assert store.read(name)["fingerprint"] == store.current(name), "stale: run `make experiments`"


@pytest.mark.parametrize(("name", "row"), [(name, row) for name in NAMES for row in store.experiment(name).SAMPLE])
def test_a_sample_comes_out_the_same(name: str, row: str) -> None:
    stored, again = results(name)[row], rerun(name, row)
    assert again.keys() == stored.keys()
    tolerance = store.experiment(name).REL_TOL
    off = {key: (stored[key], again[key]) for key in stored if not _close(stored[key], again[key], tolerance)}
    assert off == {}


def _close(a: Any, b: Any, rel_tol: float) -> bool:
    """Of lists, every member; what is next to nothing may differ by next to nothing."""
    if isinstance(a, list):
        return len(a) == len(b) and all(_close(x, y, rel_tol) for x, y in zip(a, b, strict=True))
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=1e-4)


def test_everything_has_a_sample() -> None:
    assert NAMES
    for name in NAMES:
        module = store.experiment(name)
        assert module.SAMPLE
        assert set(module.SAMPLE) <= set(module.ROWS)
        assert module.__doc__


def test_unknown_names_are_told() -> None:
    with pytest.raises(KeyError, match="no experiment 'nothing'; there are"):
        results("nothing")
    with pytest.raises(KeyError, match="has no row 'nothing'; it has"):
        rerun(NAMES[0], "nothing")
