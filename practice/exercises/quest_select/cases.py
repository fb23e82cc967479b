"""Cases and comparison of quest_select: which page wins a tie is the answer's own choice."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Text, Verdict
from practice.grader.verify.choice import Noun, wrong_choice
from practice.grader.verify.compare import tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("mask",)
HAND = "by hand: the bounds are in the docstring of the case, and the last page is always read"
MOST_SHOWN = 12
PAGES = Noun("page", "页", "bound", "上界")


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: the worked example, ordinary selections, ties, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, S: int, budget: int, page: int, num_kv_heads: int = 2, group: int = 3) -> Case:
        return _random_case(generator, en, zh, S, budget, page, num_kv_heads, group)

    page = some(4, 8)
    part = some(1, page - 1)
    S = 12 * page + part
    return [
        _worked_example(),
        _known_heads(),
        _known_page_of_one_key(),
        case("whole pages", "每页都满", 12 * page, 4 * page, page),
        case("a partial last page", "最后一页不满", S, 5 * page, page),
        case("one KV head", "只有一个 KV 头", S, 3 * page, page, num_kv_heads=1, group=some(4, 8)),
        case(
            "a KV head per query head", "每个 query 头一个 KV 头", S, 3 * page, page, num_kv_heads=some(4, 6), group=1
        ),
        case("budget not a multiple of the page", "budget 不是页大小的整数倍", S, 4 * page + part, page),
        case("budget of two pages", "budget 正好两页", S, 2 * page, page),
        case("budget of one page", "budget 正好一页", S, page, page),
        case("budget below a page", "budget 不足一页", S, page - 1, page),
        case("no budget", "budget 为 0", S, 0, page),
        case("all pages but one", "只少一页", 12 * page, 12 * page - 1, page),
        case("pages of one key", "每页一个 key", some(20, 30), some(5, 9), 1),
        case("S below a page", "S 不足一页", page - 1, some(1, page - 2), page),
        case("budget equals S", "budget 等于 S", S, S, page),
        case("budget above S", "budget 大于 S", S, S + some(1, 9), page),
        case("one key", "只有一个 key", 1, page, page),
        case("no keys", "没有 key", 0, page, page),
        case("a long cache", "很长的缓存", 64 * 16 + some(1, 15), 16 * some(8, 20), 16, num_kv_heads=4, group=2),
        case("whole pages, budget below two", "每页都满，budget 不足两页", 12 * page, 2 * page - 1, page),
        _equal_pages(generator, page),
        _negative_bounds(generator, page),
        _large_bounds(generator, page),
        _half_precision(generator),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers from -3 to 3, up to 6 keys in pages of 1 or 2, all bounds of a head different; then more heads."""
    for S, page in product(range(1, 7), (1, 2)):
        for budget in sorted({0, 2 * page, S - 1, S}):
            yield _whole_numbers(generator, S, budget, page, num_kv_heads=1, group=1)
    for heads in ((1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (2, 1), (2, 2), (2, 2)):
        yield _whole_numbers(generator, 6, 4, 2, *heads)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Whole pages, the last one among them, as many as the budget gives, and none left out that beats a kept one."""
    page = case.arguments["page"]
    assert isinstance(page, int)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    bounds = _bounds(case)
    for head, (want, mask) in enumerate(zip(expected, got, strict=True)):
        wanted, kept = _pages(want, page), _pages(mask, page)
        last = {len(bounds[head][0]) - 1} & wanted
        wrong = _partly_read(kept, mask, page) or wrong_choice(kept, len(wanted), last, *bounds[head], PAGES)
        if wrong:
            where = {"en": f"head {head}: {wrong['en']}", "zh": f"第 {head} 个头：{wrong['zh']}"}
            return Finding(Verdict.WRONG, "exercise", where, _shown(wanted, kept), _shown(kept, wanted))
    return None


def _pages(mask: Tensor, page: int) -> set[int]:
    return {slot // page for slot in mask.nonzero().flatten().tolist()}


def _shown(pages: set[int], others: set[int]) -> str:
    """A list of pages; where either is long, only those that are not among the others."""
    if max(len(pages), len(others)) <= MOST_SHOWN:
        return str(sorted(pages))
    own = [str(page) for page in sorted(pages - others)]
    return f"[{', '.join(['...', *own, '...'])}]" if own else "[...]"


def _partly_read(kept: set[int], mask: Tensor, page: int) -> Text | None:
    for number in sorted(kept):
        if not mask[number * page : (number + 1) * page].all():
            return {"en": f"page {number} is read in part", "zh": f"第 {number} 页只读了一部分"}
    return None


@lru_cache(maxsize=64)
def _bounds(case: Case) -> list[tuple[list[float], float]]:
    """For each query head: the bounds of its pages from float64, and how far apart two of them count as equal."""
    q, k, page = (case.arguments[name] for name in ("q", "k", "page"))
    assert isinstance(q, Tensor)
    assert isinstance(k, Tensor)
    assert isinstance(page, int)
    products = q.double()[:, None] * k.double().repeat_interleave(len(q) // len(k), dim=0)  # [n_heads, S, D]
    if not k.shape[1]:
        return [([], 0.0)] * len(q)
    starts = range(0, k.shape[1], page)
    terms = torch.stack([products[:, start : start + page].amax(1) for start in starts], dim=1)  # [n_heads, pages, D]
    sizes = terms.abs().sum(-1).float()  # what cancels in a sum still rounds
    slacks = [tolerance(size, q.shape[1]) for size in sizes]
    return list(zip(terms.sum(-1).tolist(), slacks, strict=True))


def _random_case(
    generator: torch.Generator, en: str, zh: str, S: int, budget: int, page: int, num_kv_heads: int, group: int
) -> Case:
    D = 4 * integer(generator, 2, 6)
    q, k = normal(generator, num_kv_heads * group, D), normal(generator, num_kv_heads, S, D)
    return Case({"en": en, "zh": zh}, {"q": q, "k": k, "budget": budget, "page": page})


def _worked_example() -> Case:
    """Bounds 7, 5 and (last page) 0: two pages may be read, the first and the last, though its best key scores 3."""
    q = torch.tensor([[1.0, -2.0]])
    k = torch.tensor([[[3.0, 1.0], [-1.0, -2.0], [0.0, 4.0], [5.0, 0.0], [4.0, 0.0], [5.0, 0.0], [0.0, 0.0]]])
    name = {"en": "worked example: bounds 7, 5, 0, two pages", "zh": "手算例子：上界 7、5、0，读两页"}
    kept = torch.tensor([[True, True, True, False, False, False, True]])
    return Case(name, {"q": q, "k": k, "budget": 6, "page": 3}, Known(kept, HAND))


def _known_heads() -> Case:
    """One channel.  Heads 0 and 1 choose from keys 1, -4 | 3, 2 | 0: bounds 1 and 3, then 4 and -2; heads 2 and 3
    from -5, -6 | -7, 8 | 0: bounds -5 and 8, then 6 and 7."""
    q = torch.tensor([[1.0], [-1.0], [1.0], [-1.0]])
    k = torch.tensor([[1.0, -4.0, 3.0, 2.0, 0.0], [-5.0, -6.0, -7.0, 8.0, 0.0]])[..., None]
    second, first = [False, False, True, True, True], [True, True, False, False, True]
    kept = torch.tensor([second, first, second, second])
    name = {"en": "four heads, two KV heads, one channel", "zh": "四个头、两个 KV 头、一个通道"}
    return Case(name, {"q": q, "k": k, "budget": 4, "page": 2}, Known(kept, HAND))


def _known_page_of_one_key() -> Case:
    """Scores 1, 3, -8, 0: the newest key is read, and the best of the others."""
    q, k = torch.tensor([[1.0, -2.0]]), torch.tensor([[[3.0, 1.0], [-1.0, -2.0], [0.0, 4.0], [0.0, 0.0]]])
    kept = torch.tensor([[False, True, False, True]])
    name = {"en": "scores 1, 3, -8, 0, two keys", "zh": "分数 1、3、-8、0，读两个"}
    return Case(name, {"q": q, "k": k, "budget": 2, "page": 1}, Known(kept, HAND))


def _whole_numbers(generator: torch.Generator, S: int, budget: int, page: int, num_kv_heads: int, group: int) -> Case:
    """Small whole numbers, drawn until no two pages tie: float arithmetic on them is exact."""
    name = {"en": f"{S} keys, pages of {page}, budget {budget}", "zh": f"{S} 个 key，每页 {page} 个，预算 {budget}"}
    while True:
        q = torch.randint(-3, 4, (num_kv_heads * group, 2), generator=generator).float()
        k = torch.randint(-3, 4, (num_kv_heads, S, 2), generator=generator).float()
        case = Case(name, {"q": q, "k": k, "budget": budget, "page": page})
        if all(len(set(bounds)) == len(bounds) for bounds, _ in _bounds(case)):
            return case


def _equal_pages(generator: torch.Generator, page: int) -> Case:
    """Every page holds the same keys, so every choice is as good, but for the last page and the count."""
    k = normal(generator, 2, page, 8).repeat(1, 8, 1)
    return Case(
        {"en": "equal pages", "zh": "各页相同"},
        {"q": normal(generator, 4, 8), "k": k, "budget": 3 * page, "page": page},
        is_ambiguous=True,
    )


def _negative_bounds(generator: torch.Generator, page: int) -> Case:
    """Every score is negative, and so is every bound: 0 is above them all."""
    q, k = normal(generator, 6, 8).abs(), -normal(generator, 2, 8 * page, 8).abs()
    return Case({"en": "negative bounds", "zh": "上界都是负数"}, {"q": q, "k": k, "budget": 3 * page, "page": page})


def _large_bounds(generator: torch.Generator, page: int) -> Case:
    """Bounds of about a million: above what one might take for large enough, and far apart for a softmax."""
    q, k = 100 * normal(generator, 6, 8), 1000 * normal(generator, 2, 8 * page, 8)
    return Case({"en": "large bounds", "zh": "很大的上界"}, {"q": q, "k": k, "budget": 3 * page, "page": page})


def _half_precision(generator: torch.Generator) -> Case:
    """Many heads, and pages that differ little: bounds computed in less than float32 choose wrongly somewhere."""
    q = normal(generator, 32, 64, dtype=torch.bfloat16)
    k = (normal(generator, 4, 1, 64) + normal(generator, 4, 256, 64) / 32).bfloat16()
    return Case(
        {"en": "bfloat16, nearly equal pages", "zh": "bfloat16，各页相差很小"},
        {"q": q, "k": k, "budget": 128, "page": 4},
    )
