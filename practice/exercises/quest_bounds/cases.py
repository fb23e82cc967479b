"""Cases and comparison of quest_bounds: a bound that lies below a score of its page is told as such."""

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Verdict
from practice.grader.verify.compare import check_values, tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("bounds",)
HAND = "by hand: the sum over channels of max(q_i * m_i, q_i * M_i)"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: the worked examples, ordinary pages, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, S: int, page: int, num_kv_heads: int = 2, group: int = 3, D: int = 0) -> Case:
        D = D or 4 * some(2, 6)
        q, k = normal(generator, num_kv_heads * group, D), normal(generator, num_kv_heads, S, D)
        return _case(en, zh, q, k, page)

    page = some(4, 8)
    part = some(1, page - 1)
    S = 10 * page + part
    return [
        _worked_example(),
        _known_heads(),
        _known_pages_of_one_key(),
        case("whole pages", "每页都满", 10 * page, page),
        case("a partial last page", "最后一页不满", S, page),
        case("one key in the last page", "最后一页只有一个 key", 10 * page + 1, page),
        case("one KV head", "只有一个 KV 头", S, page, num_kv_heads=1, group=some(4, 8)),
        case("a KV head per query head", "每个 query 头一个 KV 头", S, page, num_kv_heads=some(4, 6), group=1),
        case("many heads", "很多头", S, page, num_kv_heads=4, group=4),
        case("pages of one key", "每页一个 key", some(20, 30), 1),
        case("one full page", "正好一页", page, page),
        case("S below a page", "S 不足一页", page - 1, page),
        case("one key", "只有一个 key", 1, page),
        case("one channel", "只有一个通道", S, page, D=1),
        case("no keys", "没有 key", 0, page),
        case("a long cache", "很长的缓存", 64 * 16 + some(1, 15), 16, num_kv_heads=4, group=2),
        _negative_scores(generator, page),
        _far_from_zero(generator, page),
        _case("bfloat16", "bfloat16", *_halves(normal(generator, 6, 32), normal(generator, 2, S, 32)), page),
        _cancelling(generator),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers from -3 to 3: one page, then two and three, whole and partial; then more heads."""
    for S, page, D in product((1, 2, 3, 4, 5), (2, 3), (1, 2)):
        yield _whole_numbers(generator, S, page, D)
    for S, page in ((1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2), (6, 3), (7, 3)):
        yield _whole_numbers(generator, S, page, 2)
    for heads in ((1, 2), (2, 1), (2, 2), (2, 2), (2, 3)):
        yield _whole_numbers(generator, 4, 2, 2, *heads)
    yield _whole_numbers(generator, 0, 2, 2)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Sums over D; in bfloat16 they are taken in float32 and rounded once."""
    q, k, page = (case.arguments[name] for name in ("q", "k", "page"))
    assert isinstance(q, Tensor)
    assert isinstance(k, Tensor)
    assert isinstance(page, int)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    finding = check_values(expected, got, OUTPUTS, q.shape[1] if q.dtype is torch.float32 else 1)
    if not finding:
        return None
    scores = torch.einsum("hd,hsd->hs", q.double(), k.double().repeat_interleave(len(q) // len(k), dim=0))
    starts = range(0, k.shape[1], page)
    best = torch.stack([scores[:, start : start + page].amax(1) for start in starts], dim=1)
    below = best - got.double() > 2 * tolerance(expected, q.shape[1])
    if not below.any():
        return finding
    head, number = below.nonzero()[0].tolist()
    key = number * page + int(scores[head, number * page : (number + 1) * page].argmax())
    bound, score = f"{got[head, number].item():.6g}", f"{scores[head, key].item():.6g}"
    told = {
        "en": f"head {head}, page {number}: {bound} is no upper bound, key {key} scores {score}",
        "zh": f"第 {head} 个头、第 {number} 页：{bound} 不是上界，第 {key} 个 key 的分数是 {score}",
    }
    return Finding(Verdict.WRONG, "exercise", told, finding.expected, finding.got)


def _case(en: str, zh: str, q: Tensor, k: Tensor, page: int, known: list[list[float]] | None = None) -> Case:
    told = Known(torch.tensor(known), HAND) if known else None
    return Case({"en": en, "zh": zh}, {"q": q, "k": k, "page": page}, told)


def _worked_example() -> Case:
    """The page of FACTS' vector, a second one, and a last one with a single key, whose bound is its score."""
    k = torch.tensor([[[3.0, 1.0], [-1.0, -2.0], [0.0, 4.0], [5.0, 0.0], [4.0, 0.0], [5.0, 0.0], [-1.0, 1.0]]])
    en, zh = "worked example: bounds 7, 5, -3", "手算例子：上界 7、5、-3"
    return _case(en, zh, torch.tensor([[1.0, -2.0]]), k, 3, [[7.0, 5.0, -3.0]])


def _known_heads() -> Case:
    """Two query heads on each of two KV heads; channels with minimum (1, -4) and (-5, 6), maximum (3, 2) and (7, 8)."""
    q = torch.tensor([[1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [0.0, -1.0]])
    k = torch.tensor([[[1.0, 2.0], [3.0, -4.0]], [[-5.0, 6.0], [7.0, 8.0]]])
    return _case("four heads, two KV heads", "四个头，两个 KV 头", q, k, 2, [[3.0], [4.0], [7.0], [-6.0]])


def _known_pages_of_one_key() -> Case:
    q, k = torch.tensor([[1.0, -2.0]]), torch.tensor([[[3.0, 1.0], [-1.0, -2.0], [0.0, 4.0]]])
    return _case("three pages of one key: the scores", "每页一个 key：就是分数", q, k, 1, [[1.0, 3.0, -8.0]])


def _whole_numbers(
    generator: torch.Generator, S: int, page: int, D: int, num_kv_heads: int = 1, group: int = 1
) -> Case:
    """Small whole numbers: float arithmetic on them is exact."""
    q = torch.randint(-3, 4, (num_kv_heads * group, D), generator=generator).float()
    k = torch.randint(-3, 4, (num_kv_heads, S, D), generator=generator).float()
    return _case(f"{S} keys, pages of {page}", f"{S} 个 key，每页 {page} 个", q, k, page)


def _negative_scores(generator: torch.Generator, page: int) -> Case:
    """Every score is negative, and so is every bound."""
    q, k = normal(generator, 6, 8).abs(), -normal(generator, 2, 8 * page - 1, 8).abs()
    return _case("negative bounds", "上界都是负数", q, k, page)


def _far_from_zero(generator: torch.Generator, page: int) -> Case:
    """Keys around a centre of their channel, as rotated keys are where RoPE turns slowly: the sign of q decides."""
    k = 5 * normal(generator, 2, 1, 16) + normal(generator, 2, 8 * page - 1, 16)
    return _case("keys far from zero", "远离零的 key", normal(generator, 6, 16), k, page)


def _halves(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    return q.bfloat16(), k.bfloat16()


def _cancelling(generator: torch.Generator) -> Case:
    """Channels in pairs of opposite q whose keys differ by a last bit: what is left is less than the products round."""
    half = 8 * normal(generator, 8, 32)
    base = 1 + torch.rand(2, 40, 32, generator=generator) / 2
    near = base.bfloat16().float() + torch.randint(-1, 2, base.shape, generator=generator) / 128
    q, k = _halves(torch.cat([half, -half], dim=1), torch.cat([base, near], dim=2))
    return _case("bfloat16, terms that cancel", "bfloat16，各项相互抵消", q, k, 1)
