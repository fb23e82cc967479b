"""Cases and comparison of snapkv_keep: causal softmax rows; which key wins a tie is the answer's own choice."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import pad

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.choice import Noun, wrong_indices
from practice.grader.verify.compare import tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("kept",)
KEYS = Noun("key", "个 key", "pooled vote", "池化得票")
Shape = tuple[int, int, int, int]
"""n_kv, group, W, S."""

EIGHTHS = [
    [[2, 0, 1, 1, 1, 0, 3, 0], [1, 1, 0, 1, 1, 1, 1, 2]],
    [[2, 0, 0, 0, 2, 1, 3, 0], [1, 0, 0, 1, 1, 0, 2, 3]],
]
TWO_HEADS = [[[[0.3, 0.1, 0.2, 0.15, 0.25]]], [[[0.05, 0.4, 0.1, 0.15, 0.3]]]]
HEAVY_EDGE = [[[[0.5, 0.1, 0.1, 0.1, 0.2]]]]


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: choices made by hand, ordinary ones, ties, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, shape: Shape, budget: int, kernel: int, spread: float = 2.0) -> Case:
        return _random_case(generator, en, zh, shape, budget, kernel, spread)

    heads, group, W, S = some(2, 3), some(2, 4), some(4, 6), some(40, 50)
    shape, budget = (heads, group, W, S), W + some(10, 14)
    return [
        _known("worked example", "手算例子", (torch.tensor([EIGHTHS]) / 8).tolist(), 4, 3, [[3, 4, 6, 7]]),
        _known("two KV heads, no pooling", "两个 KV 头，不池化", TWO_HEADS, 3, 1, [[0, 2, 4], [1, 3, 4]]),
        _known("a heavy key at the edge", "边上的 key 得票最多", HEAVY_EDGE, 3, 5, [[1, 2, 4]]),
        case("kernel 3", "kernel 为 3", shape, budget, 3),
        case("kernel 5", "kernel 为 5", shape, budget, 5),
        case("kernel 7", "kernel 为 7", shape, budget, 7),
        case("kernel 1: no pooling", "kernel 为 1：不池化", shape, budget, 1),
        case("one KV head", "一个 KV 头", (1, 2 * group, W, S), budget, 5),
        case("a KV head per query head", "每个 query 头一个 KV 头", (2 * heads, 1, W, S), budget, 5),
        case("a window of one query", "窗口只有一个 query", (heads, group, 1, S), budget, 5),
        case("one query, one head", "一个 query，一个头", (1, 1, 1, S), budget, 3),
        case("a wide window", "很宽的窗口", (heads, group, S // 2, S), S // 2 + some(4, 8), 5),
        case("flat attention", "很分散的注意力", shape, budget, 5, spread=0.3),
        case("flat attention, half stays", "很分散的注意力，留一半", shape, S // 2, 7, spread=0.3),
        case("sharp attention", "很集中的注意力", shape, budget, 5, spread=5.0),
        case("one place beside the window", "窗口之外只有一个名额", shape, W + 1, 3),
        case("one key goes", "只淘汰一个", shape, S - 1, 5),
        case("budget equals S", "budget 等于 S", shape, S, 5),
        case("budget above S", "budget 大于 S", shape, S + some(1, 9), 5),
        case("only the window", "除了窗口什么也没有", (heads, group, W, W), budget, 5),
        case("one key", "只有一个 key", (heads, group, 1, 1), budget, 3),
        case("a long prompt", "很长的提示词", (4, 2, 16, some(400, 500)), some(60, 100), 5),
        _equal_votes(shape, budget),
        _wide_kernel(generator, some(6, 9)),
        _low_precision(generator, "bfloat16", 12, torch.bfloat16),
        _low_precision(generator, "float16", 2, torch.float16),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole hundredths, drawn so that nothing ties where the choice is made: one row, then more, then edges."""
    lone = ((6, 3, 3), (7, 3, 3), (6, 2, 3), (6, 3, 1), (8, 3, 3), (8, 4, 5))
    for S, budget, kernel in lone * 2:
        yield _hundredths(generator, (1, 1, 1, S), budget, kernel)
    more = ((1, 1, 2, 6), (1, 2, 1, 6), (2, 1, 1, 6), (1, 2, 2, 7), (2, 2, 1, 6), (1, 1, 3, 8), (2, 2, 2, 6))
    for shape in more:
        for budget, kernel in ((3, 3), (4, 3), (3, 1), (4, 5)):
            if shape[2] < budget:
                yield _hundredths(generator, shape, budget, kernel)
    for S, budget, kernel in ((3, 3, 3), (3, 4, 3), (1, 2, 3), (4, 3, 1), (2, 2, 1)):
        yield _hundredths(generator, (1, 1, 1, S), budget, kernel)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Indices of keys, ascending; the window among them, and no key left out that beats a kept one."""
    attn = case.arguments["attn"]
    assert isinstance(attn, Tensor)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    W, S = attn.shape[2:]
    for head, (wanted, row) in enumerate(zip(expected.tolist(), got.tolist(), strict=True)):
        scores, slack = _pooled(case)[head]
        window = set(range(S - W, S))
        where = {"en": f"KV head {head}", "zh": f"第 {head} 个 KV 头"}
        if wrong := wrong_indices(row, wanted, window, scores, slack, KEYS, where):
            return wrong
    return None


@lru_cache(maxsize=64)
def _pooled(case: Case) -> list[tuple[list[float], float]]:
    """For each KV head: the pooled votes from float64, 0 in the window, and how far apart two count as equal."""
    attn, kernel = case.arguments["attn"], case.arguments["kernel"]
    assert isinstance(attn, Tensor)
    assert isinstance(kernel, int)
    _, group, W, S = attn.shape
    votes = attn.double()[..., : S - W].sum((1, 2))
    near = pad(votes, (kernel // 2, kernel // 2)).unfold(1, kernel, 1).mean(2) if S > W else votes
    slacks = [tolerance(row.float(), group * W * kernel) for row in near]
    return list(zip(pad(near, (0, W)).tolist(), slacks, strict=True))


def _is_clear(case: Case) -> bool:
    """Whether the last key that stays is well above the first one that goes, for every KV head."""
    attn, budget = case.arguments["attn"], case.arguments["budget"]
    assert isinstance(attn, Tensor)
    assert isinstance(budget, int)
    W, S = attn.shape[2:]
    if budget >= S:
        return True
    ranked = [(sorted(row[: S - W], reverse=True), slack) for row, slack in _pooled(case)]
    return all(row[budget - W - 1] - row[budget - W] > 4 * slack for row, slack in ranked)


def _hidden(W: int, S: int) -> Tensor:
    """Bool ``[W, S]``: query w is the one of key S - W + w."""
    return torch.arange(S) > torch.arange(S - W, S)[:, None]


def _random_case(
    generator: torch.Generator,
    en: str,
    zh: str,
    shape: Shape,
    budget: int,
    kernel: int,
    spread: float,
    dtype: torch.dtype = torch.float32,
) -> Case:
    """Attention is local: the window's keys get the most of it, as they do in a model."""
    W, S = shape[2:]
    distance = (torch.arange(S - W, S)[:, None] - torch.arange(S)).abs()
    while True:
        scores = spread * normal(generator, *shape) + 3 * (-distance / 3).exp()
        attn = scores.masked_fill(_hidden(W, S), -torch.inf).softmax(-1).to(dtype)
        case = Case({"en": en, "zh": zh}, {"attn": attn, "budget": budget, "kernel": kernel})
        if _is_clear(case):
            return case


def _hundredths(generator: torch.Generator, shape: Shape, budget: int, kernel: int) -> Case:
    """Rows of whole hundredths, at least one for each key that the query sees."""
    heads, group, W, S = shape
    name = {
        "en": f"{heads} KV head(s) x {group}, W {W}, S {S}, budget {budget}, kernel {kernel}",
        "zh": f"{heads} 个 KV 头 x {group}，W {W}，S {S}，预算 {budget}，kernel {kernel}",
    }
    while True:
        rows = (~_hidden(W, S)).repeat(heads * group, 1).long()
        likely = (1.5 * normal(generator, *rows.shape)).exp() * rows
        for row, weights in zip(rows, likely, strict=True):
            left = int(100 - row.sum())
            row += torch.multinomial(weights, left, True, generator=generator).bincount(minlength=S)
        case = Case(name, {"attn": rows.reshape(shape) / 100, "budget": budget, "kernel": kernel})
        if _is_clear(case):
            return case


def _known(
    en: str, zh: str, attn: list[list[list[list[float]]]], budget: int, kernel: int, kept: list[list[int]]
) -> Case:
    arguments: dict[str, Value] = {"attn": torch.tensor(attn), "budget": budget, "kernel": kernel}
    return Case({"en": en, "zh": zh}, arguments, Known(torch.tensor(kept), "by hand"))


def _equal_votes(shape: Shape, budget: int) -> Case:
    """Every query spreads its attention evenly: all keys are equal, but for those near an edge, which pool padding."""
    seen = (~_hidden(*shape[2:])).float()
    attn = (seen / seen.sum(1, keepdim=True)).repeat(*shape[:2], 1, 1)
    arguments: dict[str, Value] = {"attn": attn, "budget": budget, "kernel": 5}
    return Case({"en": "equal votes", "zh": "得票相等"}, arguments, is_ambiguous=True)


def _wide_kernel(generator: torch.Generator, prefix: int) -> Case:
    """A kernel that covers all keys from wherever it stands, so that every choice is as good."""
    attn = normal(generator, 2, 2, 1, prefix + 1).softmax(-1)
    arguments: dict[str, Value] = {"attn": attn, "budget": prefix // 2, "kernel": 2 * prefix + 1}
    return Case({"en": "a kernel wider than the prompt", "zh": "kernel 比提示词还宽"}, arguments, is_ambiguous=True)


def _low_precision(generator: torch.Generator, name: str, heads: int, dtype: torch.dtype) -> Case:
    """Votes that lie close together: rounded to the input's dtype, many of them are the same.

    Not for telling mistakes apart: whatever else is wrong with an answer, the other cases show it without rounding.
    """
    return replace(_random_case(generator, name, name, (heads, 4, 16, 128), 64, 5, 0.5, dtype), is_ambiguous=True)
