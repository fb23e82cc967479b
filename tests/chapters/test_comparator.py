"""The comparator itself: it must see what it is there to see."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_output

from chapters_comparator import output_differences, text_differences


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("ppl 44.12", "ppl 44.13", True),  # the last printed digit
        ("ppl 44.12", "ppl 44.40", True),  # within 1 %
        ("ppl 44.12", "ppl 45.12", False),
        ("ppl 44.12", "PPL 44.12", False),
        ("1,342,177,280 bytes", "1,342,177,280 bytes", True),
        ("73 requests", "74 requests", False),
        ("a  1.0\nb 2.0", "a 1.0\nb   2.0", True),
        ("a 1.0 2.0", "a 1.0", False),
        ("1.5e-07", "9.5e-03", False),
    ],
)
def test_text(a: str, b: str, same: bool) -> None:
    assert (text_differences(a, b, rel_tol=0.01) == []) is same


def test_kinds_and_counts() -> None:
    figure = new_output("display_data", {"image/png": "AAAA", "text/plain": "<Figure size 880x374 with 1 Axes>"})
    other = new_output("display_data", {"image/png": "BBBB", "text/plain": "<Figure size 880x374 with 1 Axes>"})
    text = new_output("stream", name="stdout", text="1")
    assert output_differences([figure], [other], 0.01) == []
    assert output_differences([figure], [text], 0.01) != []
    assert output_differences([figure, text], [figure], 0.01) != []
