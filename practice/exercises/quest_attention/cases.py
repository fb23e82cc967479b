"""Cases and comparison of quest_attention: pages that no head of a group chooses hold NaN, and bounds never tie."""

import math
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.compare import check_values, tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal, poisoned

OUTPUTS = ("out",)
POISON = {"en": "a page that no head of the group chose", "zh": "组内没有任何头选中的页"}


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: the worked example, ordinary choices with and without NaN, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, S: int, budget: int, page: int, *heads: int, loose: float = 0.0) -> Case:
        return _random_case(generator, en, zh, S, budget, page, *heads, loose=loose)

    page = some(4, 8)
    part = some(1, page - 1)
    S, many = 12 * page + part, some(4, 6)
    odd = case("budget not a multiple of the page", "budget 不是页大小的整数倍", S, 4 * page + part, page)
    return [
        _worked_example(),
        _known_mean(),
        _known_quarters(),
        case("whole pages, nothing poisoned", "每页都满，没有 NaN", 12 * page, 4 * page, page),
        case("a partial last page, nothing poisoned", "最后一页不满，没有 NaN", S, 5 * page, page),
        odd,
        case("loose bounds", "较松的上下界", S, 4 * page, page, loose=2),
        case("large, loose bounds", "很大、很松的上下界", S, 3 * page, page, loose=1e5),
        case("all pages but one", "只少一页", 12 * page, 12 * page - 1, page),
        case("budget of two pages", "budget 正好两页", S, 2 * page, page),
        _poison(case("whole pages", "每页都满", 12 * page, 3 * page, page)),
        _poison(case("a partial last page", "最后一页不满", S, 3 * page, page)),
        _poison(case("one KV head", "只有一个 KV 头", S, 3 * page, page, 1, 4)),
        _poison(case("a KV head per query head", "每个 query 头一个 KV 头", S, 4 * page, page, many, 1)),
        _poison(case("pages of one key", "每页一个 key", some(20, 30), some(4, 6), 1)),
        _poison(case("budget of one page", "budget 正好一页", S, page, page)),
        _poison(case("budget below a page", "budget 不足一页", S, page - 1, page)),
        _poison(case("no budget", "budget 为 0", S, 0, page)),
        _poison(case("budget below two pages", "budget 不足两页", 12 * page, 2 * page - 1, page)),
        _poison(case("a long cache", "很长的缓存", 2048 + some(1, 15), 16 * some(4, 6), 16, 4, 2)),
        case("budget equals S", "budget 等于 S", S, S, page),
        case("budget above S", "budget 大于 S", S, S + some(1, 9), page),
        case("S below a page", "S 不足一页", page - 1, some(1, page - 2), page),
        case("one key", "只有一个 key", 1, page, page),
        _equal_pages(generator, page),
        _bfloat16(generator),
        _poison(_nearly_equal_pages(generator)),
        _large_scores(generator),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers from -3 to 3, up to 6 keys in pages of 1 or 2, without NaN and with it; then heads, then edges."""
    chosen = ((2, 1, 1, 1), (3, 1, 2, 2), (5, 2, 4, 1), (4, 1, 2, 1), (4, 2, 2, 2), (5, 2, 5, 2), (4, 1, 3, 2))
    for S, page, budget, D in chosen:
        case = _whole_numbers(generator, S, budget, page, D)
        yield from (case, _poison(case), _whole_numbers(generator, S, budget, page, D, loose=True))
    for heads in ((1, 2), (2, 1), (2, 2), (1, 2), (2, 2)):
        case = _whole_numbers(generator, 3, 2, 1, 1, *heads)
        yield from (case, _poison(case))
    for S, page, budget in ((3, 2, 2), (3, 2, 3), (2, 1, 0), (3, 2, 1), (4, 2, 3), (1, 1, 1), (4, 2, 6)):
        case = _whole_numbers(generator, S, budget, page, 2)
        yield from (case, _poison(case)) if budget < S else (case,)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Sums over D and over the keys read; in bfloat16 they are taken in float32 and rounded once."""
    q, k, budget, page = (case.arguments[name] for name in ("q", "k", "budget", "page"))
    assert isinstance(q, Tensor)
    assert isinstance(k, Tensor)
    assert isinstance(budget, int)
    assert isinstance(page, int)
    keys = min(k.shape[1], max(budget, page))
    return check_values(expected, got, OUTPUTS, q.shape[1] + keys if q.dtype is torch.float32 else 1)


def dense(q: Tensor, k: Tensor, v: Tensor, kmin: Tensor, kmax: Tensor, budget: int, page: int) -> Tensor:
    """Attention over every key: what choosing pages saves is measured against it."""
    grouped = q.float().reshape(len(k), -1, q.shape[1])
    weights = (grouped @ k.float().mT / math.sqrt(q.shape[1])).softmax(-1)
    return (weights @ v.float()).reshape(q.shape).to(q.dtype)


def _bounds(case: Case) -> tuple[Tensor, float]:
    """Bounds of the pages in float64, ``[n_heads, P]``, and how far apart two of them count as equal."""
    q, kmin, kmax = (case.arguments[name] for name in ("q", "kmin", "kmax"))
    assert isinstance(q, Tensor)
    assert isinstance(kmin, Tensor)
    assert isinstance(kmax, Tensor)
    low, high = (each.double().repeat_interleave(len(q) // len(each), dim=0) for each in (kmin, kmax))
    terms = torch.maximum(q.double()[:, None] * low, q.double()[:, None] * high)
    sizes = terms.abs().sum(-1).float()  # what cancels in a sum still rounds
    return terms.sum(-1), tolerance(sizes, q.shape[1])


def _chosen(case: Case) -> tuple[Tensor, bool]:
    """The pages of each query head, bool ``[n_heads, P]``, and whether no rounding can change them."""
    k, budget, page = (case.arguments[name] for name in ("k", "budget", "page"))
    assert isinstance(k, Tensor)
    assert isinstance(budget, int)
    assert isinstance(page, int)
    bounds, slack = _bounds(case)
    if budget >= k.shape[1]:
        return torch.ones_like(bounds, dtype=torch.bool), True
    bounds[:, -1] = torch.inf
    count = max(1, budget // page)
    ranked = bounds.sort(descending=True)
    is_clear = (ranked.values[:, count - 1 : count] - ranked.values[:, count : count + 1] > slack).all()
    chosen = torch.zeros_like(bounds, dtype=torch.bool).scatter(1, ranked.indices[:, :count], True)
    return chosen, bool(is_clear)


def _poison(case: Case) -> Case:
    """The case with NaN in k and v wherever no head of the group reads."""
    k, v, page = (case.arguments[name] for name in ("k", "v", "page"))
    assert isinstance(k, Tensor)
    assert isinstance(v, Tensor)
    assert isinstance(page, int)
    chosen = _chosen(case)[0]
    read = chosen.reshape(len(k), -1, chosen.shape[1]).any(1).repeat_interleave(page, dim=1)[:, : k.shape[1], None]
    return replace(case, arguments={**case.arguments, "k": poisoned(k, ~read), "v": poisoned(v, ~read)}, poison=POISON)


def _case(
    en: str, zh: str, q: Tensor, k: Tensor, v: Tensor, budget: int, page: int, slack: Tensor | None = None
) -> Case:
    """Bounds from the keys; `slack`, ``[2, n_kv, P, D]`` and not negative, makes them looser."""
    pages = [k[:, start : start + page] for start in range(0, k.shape[1], page)]
    low = torch.stack([keys.amin(1) for keys in pages], dim=1)
    high = torch.stack([keys.amax(1) for keys in pages], dim=1)
    if slack is not None:
        low, high = low - slack[0], high + slack[1]
    arguments: dict[str, Value] = {"q": q, "k": k, "v": v, "kmin": low, "kmax": high, "budget": budget, "page": page}
    return Case({"en": en, "zh": zh}, arguments)


def _random_case(
    generator: torch.Generator,
    en: str,
    zh: str,
    S: int,
    budget: int,
    page: int,
    num_kv_heads: int = 2,
    group: int = 3,
    *,
    loose: float = 0.0,
) -> Case:
    """Normal values, drawn until no rounding can change which pages are chosen."""
    D = 4 * integer(generator, 2, 6)
    while True:
        q, k, v = (normal(generator, num_kv_heads * group, D), *normal(generator, 2, num_kv_heads, S, D))
        slack = loose * normal(generator, 2, num_kv_heads, -(-S // page), D).abs() if loose else None
        case = _case(en, zh, q, k, v, budget, page, slack)
        if _chosen(case)[1]:
            return case


def _worked_example() -> Case:
    """Bounds 6, 2 and (last page) 0: the first and the last page are read, with scaled scores 1, 2 and 0."""
    k = torch.tensor([[1.0, 0, 0, 0], [0, -2, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])[None]
    v = torch.eye(5)[[0, 1, 3, 3, 2], :4][None]
    q = torch.tensor([[2.0, -2, 0, 0]])
    en, zh = "worked example: bounds 6, 2, 0, two pages", "手算例子：上界 6、2、0，读两页"
    total = math.e + math.e**2 + 1
    out = torch.tensor([[math.e / total, math.e**2 / total, 1 / total, 0.0]])
    return replace(_poison(_case(en, zh, q, k, v, 4, 2)), known=Known(out, "by hand: e, e^2 and 1 over their sum"))


def _known_mean() -> Case:
    """A query of zeros: every key read has the same weight.  The last page is (8, 4): their mean is 6."""
    q, k = torch.zeros(1, 1), torch.tensor([[1.0], [1.0], [1.0], [1.0]])[None]
    v = torch.tensor([[100.0], [100.0], [8.0], [4.0]])[None]
    case = _case("the mean of the last page", "最后一页的平均", q, k, v, 2, 2)
    return replace(case, known=Known(torch.tensor([[6.0]]), "by hand: equal scores, (8 + 4) / 2"))


def _known_quarters() -> Case:
    """Keys 0 and 2, of pages of one, are read, with scores ln 3 and 0: weights 3/4 and 1/4."""
    q, k = torch.tensor([[math.log(3)]]), torch.tensor([[1.0], [-1.0], [0.0]])[None]
    v = torch.tensor([[4.0], [100.0], [8.0]])[None]
    case = _poison(_case("weights 3/4 and 1/4", "权重 3/4 和 1/4", q, k, v, 2, 1))
    return replace(case, known=Known(torch.tensor([[5.0]]), "by hand: 4 x 3/4 + 8 x 1/4"))


def _whole_numbers(
    generator: torch.Generator,
    S: int,
    budget: int,
    page: int,
    D: int,
    num_kv_heads: int = 1,
    group: int = 1,
    *,
    loose: bool = False,
) -> Case:
    """Small whole numbers, drawn until no choice is a tie: bounds of them are exact."""

    def whole(*shape: int, low: int = -3) -> Tensor:
        return torch.randint(low, 4, shape, generator=generator).float()

    en, zh = f"{S} keys, pages of {page}, budget {budget}", f"{S} 个 key，每页 {page} 个，预算 {budget}"
    while True:
        q, k, v = whole(num_kv_heads * group, D), whole(num_kv_heads, S, D), whole(num_kv_heads, S, D)
        slack = whole(2, num_kv_heads, -(-S // page), D, low=0) if loose else None
        case = _case(en, zh, q, k, v, budget, page, slack)
        if _chosen(case)[1]:
            return case


def _equal_pages(generator: torch.Generator, page: int) -> Case:
    """All pages but the last are the same, in k and in v: whichever are read, the result is the same."""
    k, v = normal(generator, 2, 2, page, 8).repeat(1, 1, 7, 1)
    newest = normal(generator, 2, 2, page, 8)
    k, v = torch.cat([k, newest[0]], dim=1), torch.cat([v, newest[1]], dim=1)
    return _case("equal pages", "各页相同", normal(generator, 4, 8), k, v, 3 * page, page)


def _bfloat16(generator: torch.Generator) -> Case:
    case = _random_case(generator, "bfloat16", "bfloat16", 61, 24, 8)
    tensors = {name: value.bfloat16() for name, value in case.arguments.items() if isinstance(value, Tensor)}
    rounded = replace(case, arguments={**case.arguments, **tensors})
    return _poison(rounded) if _chosen(rounded)[1] else _bfloat16(generator)


def _nearly_equal_pages(generator: torch.Generator) -> Case:
    """Pages that differ little: bounds computed in less than float32 choose wrongly somewhere."""
    while True:
        q, v = (normal(generator, *shape, dtype=torch.bfloat16) for shape in ((8, 64), (2, 256, 64)))
        k = (normal(generator, 2, 1, 64) + normal(generator, 2, 256, 64) / 32).bfloat16()
        case = _case("bfloat16, nearly equal pages", "bfloat16，各页相差很小", q, k, v, 40, 4)
        if _chosen(case)[1]:
            return case


def _large_scores(generator: torch.Generator) -> Case:
    """All keys read, with scores of some hundreds that differ by one or two: bfloat16 rounds them by about as much."""
    q = (32 * (1 + normal(generator, 8, 16).abs())).bfloat16()
    k = (1 + normal(generator, 2, 1, 16).abs() + normal(generator, 2, 40, 16) / 32).bfloat16()
    v = normal(generator, 2, 40, 16, dtype=torch.bfloat16)
    return _case("bfloat16, large scores, all read", "bfloat16，分数很大，全部都读", q, k, v, 40, 8)
