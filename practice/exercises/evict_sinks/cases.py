"""Cases and comparison of evict_sinks: the outputs must be exact copies of the slots that stay."""

from collections.abc import Iterator

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.compare import check_values
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("k", "v", "positions")
FIGURE_4 = "Xiao et al., 2024, StreamingLLM, figure 4: tokens 0 to 3 and 6 to 8 are in the cache when token 9 comes"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: the worked example, ordinary evictions, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, S: int, budget: int, sinks: int, **shape: int) -> Case:
        return _case(generator, en, zh, torch.arange(S), budget, sinks, **shape)

    budget, few = some(8, 16), some(2, 4)
    gap = torch.cat([torch.arange(2), torch.arange(some(40, 60), 90)])
    late = torch.arange(30) + some(100, 200)
    return [
        _known("worked example: 12 tokens", "手算例子：12 个 token", 12, 6, 2, [0, 1, 8, 9, 10, 11], "by hand"),
        _known("figure 4 of the paper", "论文图 4", 9, 7, 4, [0, 1, 2, 3, 6, 7, 8], FIGURE_4),
        _known("no sinks, budget 1", "没有 sink，预算 1", 5, 1, 0, [4], "by hand"),
        case("one head", "单个头", some(20, 40), budget, few),
        case(
            "batch and KV heads",
            "batch 与多个 KV 头",
            some(20, 40),
            budget,
            few,
            batch=some(2, 3),
            num_kv_heads=some(2, 4),
        ),
        case("one slot too many", "恰好多出一个槽位", budget + 1, budget, few, num_kv_heads=2),
        case("a long cache", "很长的缓存", some(400, 600), some(60, 100), 4, num_kv_heads=3),
        case("no sinks", "没有 sink", some(20, 40), budget, 0),
        case("one sink", "一个 sink", some(20, 40), budget, 1, batch=2),
        case("sinks equal budget", "sinks 等于 budget", some(20, 40), few, few),
        case("nothing may stay", "预算为 0", some(5, 9), 0, 0, num_kv_heads=2),
        case("S equals budget", "S 等于 budget", budget, budget, few),
        case("S equals budget, all of them sinks", "S 等于 budget 且全是 sink", few, few, few),
        case("S below budget", "S 小于 budget", budget - some(1, 3), budget, few, batch=2),
        case("S below sinks", "S 小于 sinks", few - 1, budget, few),
        case("one slot", "只有一个槽位", 1, budget, few),
        case("an empty cache", "空缓存", 0, budget, few, num_kv_heads=2),
        _case(
            generator, "evicted before: positions have a gap", "曾经淘汰过：位置有缺口", gap, budget, 4, num_kv_heads=2
        ),
        _case(generator, "positions that start late", "位置不从 0 开始", late, budget, few),
        _case(
            generator, "positions that start late, all fit", "位置不从 0 开始，全都放得下", late[: few + 2], budget, few
        ),
        _case(generator, "gaps between all positions", "每两个位置之间都有缺口", 3 * late, budget, few),
        case("nearly all sinks", "几乎全是 sink", some(30, 40), budget, budget - 2),
        _case(generator, "bfloat16", "bfloat16", torch.arange(some(20, 40)), budget, few, dtype=torch.bfloat16),
    ]


def small_cases(_: torch.Generator) -> list[Case]:
    """Caches of up to 6 slots with the budgets and numbers of sinks that matter; some with gaps, some with heads.

    Ordinary evictions first: an edge is shown where only edges fail.
    """

    def is_edge(case: Case) -> bool:
        sinks, budget, S = case.arguments["sinks"], case.arguments["budget"], len(case.arguments["positions"])
        return not 0 < sinks < budget < S

    return sorted(_numbered_cases(), key=lambda case: (is_edge(case), case.size))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Eviction moves values and computes nothing: equal to the last bit."""
    return check_values(expected, got, OUTPUTS, reduction=None)


def _case(
    generator: torch.Generator,
    en: str,
    zh: str,
    positions: Tensor,
    budget: int,
    sinks: int,
    *,
    batch: int = 1,
    num_kv_heads: int = 1,
    dtype: torch.dtype = torch.float32,
) -> Case:
    shape = (batch, num_kv_heads, len(positions), 2 * integer(generator, 1, 4))
    k, v = normal(generator, *shape, dtype=dtype), normal(generator, *shape, dtype=dtype)
    return Case({"en": en, "zh": zh}, {"k": k, "v": v, "positions": positions, "budget": budget, "sinks": sinks})


def _known(en: str, zh: str, S: int, budget: int, sinks: int, kept: list[int], source: str) -> Case:
    """The cache of tokens 0 to S - 1, of which `kept` stay."""
    arguments = _numbered(S, budget, sinks).arguments
    k = torch.tensor(kept, dtype=torch.float32).reshape(1, 1, -1, 1)
    return Case({"en": en, "zh": zh}, arguments, Known((k, 100 + k, torch.tensor(kept)), source))


def _numbered(S: int, budget: int, sinks: int, *, spacing: int = 1, batch: int = 1, num_kv_heads: int = 1) -> Case:
    """Keys are the numbers of their slots, values 100 more; another head adds 10 to both."""
    heads = 10 * torch.arange(batch * num_kv_heads).reshape(batch, num_kv_heads, 1, 1)
    k = (heads + torch.arange(S).reshape(S, 1)).float()
    # with gaps the positions do not start at 0 either: 2, 5, 8, ...
    positions = spacing * torch.arange(S) + spacing - 1
    name = {"en": f"{S} slots, budget {budget}, {sinks} sinks", "zh": f"{S} 个槽位，预算 {budget}，{sinks} 个 sink"}
    return Case(name, {"k": k, "v": 100 + k, "positions": positions, "budget": budget, "sinks": sinks})


def _numbered_cases() -> Iterator[Case]:
    for S in range(1, 7):
        budgets = (S - 1, S, S + 1) if S < 3 else (S - 1, S)
        spacings = (1, 3) if S < 4 else (1,)
        for spacing in spacings:
            for budget in budgets:
                for sinks in sorted({0, min(1, budget), budget}):
                    yield _numbered(S, budget, sinks, spacing=spacing)
    yield _numbered(3, 2, 1, batch=2)
    yield _numbered(3, 2, 1, num_kv_heads=2)
