"""Numbers in prose: which have a provenance, and which come from nowhere."""

from __future__ import annotations

import pytest

from provenance import unexplained


@pytest.mark.parametrize(
    "prose",
    [
        "Llama-2-70B of 2023 in fp16, arXiv 2406.10774, vLLM 0.26.0, `256` and {{03.ppl:.1f}}; 12 layers",
        "2 × 80 × 8 × 128 × 2 = 327,680 bytes; 50 / 3 ≈ 16.67; (30 − 10) × 4 = 80",
        "第 1,600 个 token，预算 256，误差 0.312",
        "About 35 minutes · [read](https://example.org/123) · 30 seconds",
        "<td width=100>",
    ],
)
def test_these_come_from_somewhere(prose: str) -> None:
    assert unexplained(prose, ["BUDGET, S = 256, 1_600", "error 0.312"]) == []


@pytest.mark.parametrize(
    ("prose", "number"),
    [
        ("a budget of 256", "256"),
        ("误差 0.312。", "0.312"),
        ("2 × 80 = 170", "170"),
        ("2 × 80.5 = 161.1", "161.1"),
        ("0.5 + 0.25 = 0.9", "0.9"),
        ("it takes 95.5 %", "95.5"),
        ("21 layers", "21"),
        ("a ratio of 1.5", "1.5"),
        ("1 + = 99", "99"),
    ],
)
def test_these_come_from_nowhere(prose: str, number: str) -> None:
    assert number in unexplained(prose, ["BUDGET = 2560", "error 0.3123"])
