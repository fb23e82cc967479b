"""Cases and comparison of topk_mask: which key wins a tie is the answer's own choice, how many are kept is not."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Verdict
from practice.grader.verify.choice import Noun, wrong_choice
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("mask",)
KEYS = Noun("key", "个 key", "score", "分数")
HIDDEN = -torch.inf

EXAMPLE = [[-3.0, HIDDEN, HIDDEN, HIDDEN], [-1.0, -4.0, -2.0, HIDDEN], [2.0, 5.0, 2.0, -1.0]]
QUEST = "by hand: 1 * 3 - 2 * 1 = 1, -1 + 4 = 3 and 0 - 8 = -8, the scores of the keys in quest_select's page 0"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: choices made by hand, every shape and mask, ties, scores of all sizes and dtypes, every edge."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, shape: tuple[int, ...], budget: int, hidden: Tensor | None = None) -> Case:
        return _case(en, zh, normal(generator, *shape), budget, _causal(*shape[-2:]) if hidden is None else hidden)

    T, S, budget = some(5, 8), some(24, 32), some(4, 7)
    some_hidden = torch.rand(T, S, generator=generator) < 0.5
    return [
        *_known_cases(),
        case("the newest query", "只有最新的 query", (1, S), budget),
        case("a prompt: early queries see few keys", "prefill：靠前的 query 看不到几个 key", (S, S), budget),
        case("heads", "多个头", (some(2, 4), T, S), budget),
        case("batch and heads", "batch 与多个头", (some(2, 3), some(2, 3), T, S), budget),
        case("batch, KV heads and groups", "batch、KV 头与组", (2, some(2, 3), 2, T, S), budget),
        case("a window", "滑动窗口", (2, S, S), budget, _causal(S, S) | _older(S, some(8, 9))),
        case("hidden here and there", "零散的隐藏", (2, T, S), budget, some_hidden),
        case("nothing hidden", "没有隐藏", (2, T, S), budget, torch.zeros(T, S, dtype=torch.bool)),
        case("a row with nothing visible", "有一行什么也看不见", (2, T, S), budget, torch.arange(T)[:, None] == 1),
        case("nothing visible at all", "完全看不见", (2, T, S), budget, torch.ones(T, S, dtype=torch.bool)),
        case("no budget", "budget 为 0", (2, T, S), 0),
        case("budget 1", "budget 为 1", (2, T, S), 1),
        case("all keys but one", "只少一个 key", (2, T, S), S - 1),
        case("budget equals S", "budget 等于 S", (2, T, S), S),
        case("budget above S", "budget 大于 S", (2, T, S), S + some(1, 9)),
        case("one key", "只有一个 key", (T, 1), budget, some_hidden[:, :1]),
        case("no keys", "没有 key", (2, T, 0), budget),
        case("no queries", "没有 query", (2, 0, S), budget),
        *_value_cases(generator, T, S, budget),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers, all different in a row, then with ties; one row, then more, then heads; edges at the end."""
    rows = (
        (1, 3, 2),
        (1, 4, 2),
        (2, 4, 2),
        (1, 5, 2),
        (2, 5, 3),
        (3, 4, 2),
        (3, 5, 2),
        (4, 4, 3),
        (3, 6, 4),
        (2, 6, 2),
    )
    for T, S, budget in rows:
        yield _whole_numbers(generator, (T, S), budget)
    for T, S, budget in ((1, 4, 2), (2, 5, 2), (3, 6, 3), (3, 5, 2)):
        yield _whole_numbers(generator, (T, S), budget, ties=True)
    for shape in ((2, 1, 4), (2, 2, 4), (3, 2, 5), (2, 2, 1, 4), (1, 2, 2, 5)):
        yield _whole_numbers(generator, shape, 2)
        yield _whole_numbers(generator, shape, 2, hides=False)
    for T, S, budget in ((1, 3, 2), (2, 4, 2), (3, 5, 3)):
        yield _whole_numbers(generator, (T, S), budget, low=-6, high=-1)
        yield _whole_numbers(generator, (T, S), budget, low=4096, high=4110)
        yield _whole_numbers(generator, (T, S + 1), budget, low=1, unit=4096.0, ties=True)
        yield _whole_numbers(generator, (T, S), budget, low=-900, high=900)
        yield _whole_numbers(generator, (T, S), budget, hides=False)
        yield _whole_numbers(generator, (T, S), budget, low=-9, high=-2, unit=1e10)
    for T, S, budget in ((1, 3, 3), (2, 3, 4), (3, 4, 3), (2, 3, 1), (2, 3, 0), (1, 1, 1), (2, 1, 0)):
        yield _whole_numbers(generator, (T, S), budget)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """In every row nothing hidden, as many keys as there should be, and none left out that beats a kept one."""
    scores = case.arguments["scores"]
    assert isinstance(scores, Tensor)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    for row in torch.cartesian_prod(*map(torch.arange, scores.shape[:-1])).reshape(-1, scores.dim() - 1).tolist():
        wanted, kept = (set(mask[*row].nonzero().flatten().tolist()) for mask in (expected, got))
        wrong = wrong_choice(kept, len(wanted), set(), scores[*row].tolist(), 0.0, KEYS)
        if wrong:
            at = row if len(row) > 1 else row[0]
            where = {"en": f"row {at}: {wrong['en']}", "zh": f"第 {at} 行：{wrong['zh']}"}
            return Finding(Verdict.WRONG, "exercise", where, str(sorted(wanted)), str(sorted(kept)))
    return None


def _causal(T: int, S: int) -> Tensor:
    """Where keys are hidden, ``[T, S]``: query T - 1 is the newest key's."""
    return torch.arange(S) > torch.arange(S - T, S)[:, None]


def _older(S: int, width: int) -> Tensor:
    """Where keys are further back than a window, ``[S, S]``."""
    return torch.arange(S) <= torch.arange(S)[:, None] - width


def _case(en: str, zh: str, scores: Tensor, budget: int, hidden: Tensor) -> Case:
    """`is_ambiguous` where in some row the last key kept is no better than the first one left out."""
    scores = scores.masked_fill(hidden, HIDDEN)
    ranked = scores.sort(descending=True).values
    is_cut = 0 < budget < scores.shape[-1]
    last, next_best = (ranked[..., budget - 1], ranked[..., budget]) if is_cut else (scores, scores + 1)
    is_ambiguous = bool(((last == next_best) & last.isfinite()).any())
    return Case({"en": en, "zh": zh}, {"scores": scores, "budget": budget}, is_ambiguous=is_ambiguous)


def _known_cases() -> list[Case]:
    def known(en: str, zh: str, scores: list[list[float]], kept: list[list[int]], source: str = "by hand") -> Case:
        case = _case(en, zh, torch.tensor(scores, dtype=torch.float32), 2, torch.tensor(False))
        return replace(case, known=Known(torch.tensor(kept).bool(), source))

    return [
        known("worked example", "手算例子", EXAMPLE, [[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]),
        known("equal scores", "分数全都相等", [[1, 1, 1, 1, HIDDEN]], [[1, 1, 0, 0, 0]]),
        known("negative scores, some hidden", "分数为负，部分隐藏", [[-5, HIDDEN, -2, -9]], [[1, 0, 1, 0]]),
        known("three keys of Quest's example", "Quest 例子里的三个 key", [[1, 3, -8]], [[1, 1, 0]], QUEST),
    ]


def _value_cases(generator: torch.Generator, T: int, S: int, budget: int) -> list[Case]:
    """Ordinary shapes, but scores that are equal, nearly equal, negative, large, or of low precision."""
    hidden = _causal(T, S)
    values = normal(generator, 2, T, S)
    order = torch.rand(2, T, S, generator=generator).argsort(-1)
    # as an indexer's after its ReLU: many are exactly 0, and so are the best of some rows
    rectified = (values - 2 * (torch.arange(T) % 2)[:, None]).relu()
    wide = normal(generator, 4, T, 4 * S)
    return [
        _case("many equal scores", "很多相等的分数", order % 5 + 0.5, budget, hidden),
        _case("all scores equal", "分数全部相等", torch.full((2, T, S), values[0, 0, 0].item()), budget, hidden),
        _case("scores after a ReLU: many zeros", "ReLU 之后的分数：很多 0", rectified, budget, hidden),
        _case("zero is the best score", "0 是最高分", -(order + 0.0), budget, hidden),
        _case("negative scores", "分数都是负数", -values.abs() - 1, budget, hidden),
        _case("large scores", "很大的分数", 1e4 * values, budget, hidden),
        _case("very negative scores", "非常负的分数", -1e30 * (1 + values.abs()), budget, hidden),
        _case("scores one ulp apart", "分数只差一个 ulp", 1 + order * 2.0**-23, budget, hidden),
        _case("bfloat16", "bfloat16", wide.bfloat16(), 3 * budget, _causal(T, 4 * S)),
        _case("float16", "float16", (wide / 8).half(), 3 * budget, _causal(T, 4 * S)),
    ]


def _whole_numbers(
    generator: torch.Generator,
    shape: tuple[int, ...],
    budget: int,
    *,
    low: int = -4,
    high: int = 9,
    unit: float = 1.0,
    ties: bool = False,
    hides: bool = True,
) -> Case:
    """Small whole numbers that tie for the last place, or do not; where keys are hidden, the mask is causal."""
    T, S = shape[-2:]
    hidden = _causal(T, S) if hides else torch.zeros(T, S, dtype=torch.bool)
    en, zh = f"{list(shape)}, budget {budget}", f"{list(shape)}，预算 {budget}"
    while True:
        draws = torch.rand(*shape[:-1], high - low + 1, generator=generator).argsort(-1)[..., :S]
        case = _case(en, zh, unit * (low + (draws % 3 if ties else draws)), budget, hidden)
        if case.is_ambiguous == ties:
            return case
