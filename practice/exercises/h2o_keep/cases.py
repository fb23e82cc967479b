"""Cases and comparison of h2o_keep: causal softmax rows; which key wins a tie is the answer's own choice."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.choice import Noun, wrong_indices
from practice.grader.verify.compare import tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("kept",)
ALL = 1 << 30
"""As many queries as there are keys."""

KEYS = Noun("key", "个 key", "total", "总和")
BY_HAND = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.5, 0.5, 0.0, 0.0, 0.0],
    [0.25, 0.5, 0.25, 0.0, 0.0],
    [0.125, 0.125, 0.5, 0.25, 0.0],
    [0.125, 0.125, 0.125, 0.5, 0.125],
]
OTHER_HEAD = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.25, 0.75, 0.0, 0.0, 0.0],
    [0.25, 0.25, 0.5, 0.0, 0.0],
    [0.125, 0.125, 0.75, 0.0, 0.0],
    [0.0, 0.125, 0.75, 0.125, 0.0],
]

NEWEST = [0.375, 0.25, 0.125, 0.125, 0.125]


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: choices made by hand, ordinary ones, ties, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(
        en: str, zh: str, S: int, budget: int, recent: int, T: int = ALL, heads: int = 3, spread: float = 2.0
    ) -> Case:
        return _random_case(generator, en, zh, (heads, min(T, S), S), budget, recent, spread)

    S, budget, recent = some(30, 40), some(12, 16), some(3, 5)
    return [
        _known("worked example", "手算例子", [BY_HAND], 3, 1, [[0, 1, 4]]),
        _known("two heads, none recent", "两个头，不保护最新的", [BY_HAND, OTHER_HEAD], 2, 0, [[0, 1], [0, 2]]),
        _known("the newest query alone", "只有最新的 query", [OTHER_HEAD[4:], [NEWEST]], 3, 2, [[2, 3, 4], [0, 3, 4]]),
        case("one head, all queries", "单个头，全部 query", S, budget, recent, heads=1),
        case("several heads", "多个头", S, budget, recent, heads=some(3, 5)),
        case("fewer queries than keys", "query 少于 key", S, budget, recent, T=some(8, 16)),
        case("one query", "只有一个 query", S, budget, recent, T=1),
        case("two queries", "两个 query", S, budget, recent, T=2),
        case("flat attention", "很分散的注意力", S, budget, recent, spread=0.3),
        case("sharp attention", "很集中的注意力", S, budget, recent, spread=5.0),
        case("one recent key", "只保护最新的一个", S, budget, 1),
        case("no recent keys", "recent 为 0", S, budget, 0),
        case("no recent keys, few queries", "recent 为 0，query 很少", S, budget, 0, T=some(4, 6)),
        case("nearly all recent", "几乎全是最新的", S, budget, budget - 1),
        case("recent equals budget", "recent 等于 budget", S, budget, budget),
        case("one place", "只留一个", S, 1, 0),
        case("no place", "预算为 0", S, 0, 0),
        case("one key goes", "只淘汰一个", S, S - 1, recent),
        case("budget equals S", "budget 等于 S", S, S, recent),
        case("budget equals S, none recent", "budget 等于 S，recent 为 0", S, S, 0),
        case("budget above S", "budget 大于 S", S, S + some(1, 9), recent),
        case("recent above S", "recent 大于 S", recent, budget + recent, recent + some(1, budget)),
        case("one key", "只有一个 key", 1, budget, recent),
        case("no keys", "没有 key", 0, budget, recent),
        case("a long cache", "很长的缓存", some(400, 500), some(60, 100), some(16, 32), T=64, heads=4),
        _equal_totals(some(20, 30), some(4, 6), recent, budget),
        _low_precision(generator, "bfloat16", 40, torch.bfloat16),
        _low_precision(generator, "float16", 4, torch.float16),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole hundredths, drawn so that nothing ties where the choice is made: few keys first, then heads, then edges."""
    ordinary = ((3, 3, 2, 1), (3, 3, 2, 0), (3, 4, 2, 1), (3, 3, 1, 0), (2, 5, 3, 1), (4, 4, 2, 1), (4, 4, 3, 1))
    for T, S, budget, recent in ordinary * 3:
        yield _hundredths(generator, (1, T, S), budget, recent)
    for shape in ((2, 3, 3), (2, 2, 4), (2, 3, 4), (2, 1, 5), (3, 2, 4), (2, 4, 4)):
        for recent in (0, 1):
            yield _hundredths(generator, shape, 2, recent)
    for T, S, budget, recent in ((5, 5, 3, 2), (5, 5, 3, 0), (1, 5, 3, 2), (2, 3, 3, 1), (2, 3, 4, 0), (1, 1, 2, 1)):
        yield _hundredths(generator, (1, T, S), budget, recent)
    for T, S, budget, recent in ((3, 4, 2, 2), (2, 4, 0, 0), (1, 2, 3, 3), (6, 6, 4, 2), (6, 6, 3, 1)):
        yield _hundredths(generator, (1, T, S), budget, recent)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Indices of keys, ascending; the newest among them, and no key left out that beats a kept one."""
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    protected = _protected(case)
    for head, (wanted, row) in enumerate(zip(expected.tolist(), got.tolist(), strict=True)):
        scores, slack = _totals(case)[head]
        where = {"en": f"head {head}", "zh": f"第 {head} 个头"}
        if wrong := wrong_indices(row, wanted, protected, scores, slack, KEYS, where):
            return wrong
    return None


def _protected(case: Case) -> set[int]:
    attn, recent = case.arguments["attn"], case.arguments["recent"]
    assert isinstance(attn, Tensor)
    assert isinstance(recent, int)
    S = attn.shape[2]
    return set(range(max(0, S - recent), S))


@lru_cache(maxsize=64)
def _totals(case: Case) -> list[tuple[list[float], float]]:
    """For each head: what float64 makes of its totals, and how far apart two of them count as equal."""
    attn = case.arguments["attn"]
    assert isinstance(attn, Tensor)
    totals = attn.double().sum(1)
    return [(row.tolist(), tolerance(row.float(), attn.shape[1])) for row in totals]


def _is_clear(case: Case) -> bool:
    """Whether the last key that stays is well above the first one that goes, in every head."""
    budget, recent = case.arguments["budget"], case.arguments["recent"]
    assert isinstance(budget, int)
    assert isinstance(recent, int)
    protected = _protected(case)
    places = budget - len(protected)
    for totals, slack in _totals(case):
        ranked = sorted(totals[: len(totals) - len(protected)], reverse=True)
        if 0 < places < len(ranked) and ranked[places - 1] - ranked[places] <= 4 * slack:
            return False
    return True


def _hidden(T: int, S: int) -> Tensor:
    """Bool ``[T, S]``: query t is the one of key S - T + t."""
    return torch.arange(S) > torch.arange(S - T, S)[:, None]


def _random_case(
    generator: torch.Generator,
    en: str,
    zh: str,
    shape: tuple[int, int, int],
    budget: int,
    recent: int,
    spread: float,
    dtype: torch.dtype = torch.float32,
) -> Case:
    while True:
        scores = spread * normal(generator, *shape)
        attn = scores.masked_fill(_hidden(*shape[1:]), -torch.inf).softmax(-1).to(dtype)
        case = Case({"en": en, "zh": zh}, {"attn": attn, "budget": budget, "recent": recent})
        if _is_clear(case):
            return case


def _hundredths(generator: torch.Generator, shape: tuple[int, int, int], budget: int, recent: int) -> Case:
    """Rows of whole hundredths, at least one for each key that the query sees."""
    heads, T, S = shape
    name = {
        "en": f"{heads} head(s), {T} queries, {S} keys, budget {budget}, {recent} recent",
        "zh": f"{heads} 个头，{T} 个 query，{S} 个 key，预算 {budget}，最新 {recent} 个",
    }
    while True:
        seen = ~_hidden(T, S).repeat(heads, 1)
        likely = (2 * normal(generator, heads * T, S)).exp() * seen
        rows = seen.long()
        for row, weights in zip(rows, likely, strict=True):
            left = int(100 - row.sum())
            row += torch.multinomial(weights, left, True, generator=generator).bincount(minlength=S)
        case = Case(name, {"attn": rows.reshape(shape) / 100, "budget": budget, "recent": recent})
        if _is_clear(case):
            return case


def _known(en: str, zh: str, attn: list[list[list[float]]], budget: int, recent: int, kept: list[list[int]]) -> Case:
    arguments: dict[str, Value] = {"attn": torch.tensor(attn), "budget": budget, "recent": recent}
    return Case({"en": en, "zh": zh}, arguments, Known(torch.tensor(kept), "by hand"))


def _equal_totals(S: int, T: int, recent: int, budget: int) -> Case:
    """Every query spreads its attention evenly: keys that all T queries see are equal, and the later ones below."""
    attn = (~_hidden(T, S)).float()
    arguments: dict[str, Value] = {
        "attn": (attn / attn.sum(-1, keepdim=True))[None],
        "budget": budget,
        "recent": recent,
    }
    return Case({"en": "equal totals", "zh": "总和相等"}, arguments, is_ambiguous=True)


def _low_precision(generator: torch.Generator, name: str, heads: int, dtype: torch.dtype) -> Case:
    """Totals that lie close together: rounded to the input's dtype, many of them are the same.

    Not for telling mistakes apart: whatever else is wrong with an answer, the other cases show it without rounding.
    """
    return replace(_random_case(generator, name, name, (heads, 32, 160), 40, 8, 1.0, dtype), is_ambiguous=True)
