"""Cases and comparison of indexer_scores: weights of both signs, queries of every alignment, sums that cancel."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Verdict
from practice.grader.verify.compare import check_values
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("scores",)
HIDDEN = -torch.inf
QUEST_KEYS = [[3, 1], [-1, -2], [0, 4]]


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: scores worked out by hand, every shape, weights and dot products of one sign, both dtypes."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, T: int, S: int, H: int, D: int) -> Case:
        return _case(en, zh, *_normal(generator, T, S, H, D))

    T, S, H, D = some(4, 7), some(16, 24), some(3, 6), 4 * some(2, 4)
    q, k, w = _normal(generator, T, S, H, D)
    one = _normal(generator, 1, 1, 1, D)
    return [
        *_known_cases(),
        case("decode: one query", "decode：一个 query", 1, S, H, D),
        case("prefill: T equals S", "prefill：T 等于 S", S, S, H, D),
        case("a chunk", "一个块", T, S, H, D),
        case("a chunk after one key", "只有一个 key 之后的块", S - 1, S, H, D),
        case("as many heads as queries", "头数等于 query 数", T, S, T, D),
        case("one head", "一个头", T, S, 1, D),
        case("one channel", "一个通道", T, S, H, 1),
        case("64 heads of 128 channels", "64 个头，每个 128 通道", some(2, 4), some(60, 80), 64, 128),
        _case("weights all negative", "权重全为负", q, k, -w.abs()),
        _case("weights all positive", "权重全为正", q, k, w.abs()),
        _case("weights all the same", "权重全都相同", q, k, w[0, 0].repeat(T, H)),
        _case("half of the weights 0", "一半的权重为 0", q, k, w * (torch.arange(H) % 2)),
        _case("every dot product positive", "点积全为正", q.abs(), k.abs(), w),
        _case("every dot product negative", "点积全为负", q.abs(), -k.abs(), w),
        _case("large values", "很大的数", 1e3 * q, 1e3 * k, 1e3 * w),
        _case("one key", "只有一个 key", one[0].abs(), one[1].abs(), one[2]),
        _case("no queries", "没有 query", q[:0], k, w[:0]),
        _case("no keys", "没有 key", q[:0], k[:0], w[:0]),
        _bfloat16("bfloat16", "bfloat16", q, k, w),
        _cancelling(generator, T, S),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers from -3 to 3 but 0: one query, then more, then heads and channels; T = S last; one in bfloat16."""
    shapes = ((1, 2, 1, 1), (1, 3, 1, 1), (1, 2, 2, 1), (1, 3, 2, 1), (2, 3, 1, 1), (1, 3, 2, 2), (2, 3, 2, 1))
    more = ((2, 4, 2, 2), (3, 4, 2, 1), (2, 3, 3, 2), (2, 2, 1, 1), (2, 2, 2, 2), (3, 3, 2, 1), (1, 1, 2, 1))
    for T, S, H, D in (*shapes * 3, *more * 3):
        yield _whole_numbers(generator, T, S, H, D)
    q, k, w = torch.tensor([[[1, 1], [1, 0]]]), torch.tensor([[256, 1], [256, 3]]), torch.tensor([[1, -1]])
    yield _bfloat16("bfloat16: 257 - 256", "bfloat16：257 - 256", q, k, w)


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """-inf for what a query does not see, else sums over D and H; in bfloat16 taken in float32 and rounded once."""
    q = case.arguments["q_idx"]
    assert isinstance(q, Tensor)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    seen = expected.isinf() & (got != expected)
    if seen.any():
        t, s = seen.nonzero()[0].tolist()
        value = f"{got[t, s].item():.6g}"
        where = {
            "en": f"query {t} must not see key {s}: its score is to be -inf, and is {value}",
            "zh": f"query {t} 不该看见 key {s}：它的分数应为 -inf，得到的却是 {value}",
        }
        return Finding(Verdict.WRONG, "exercise", where, *(_row(each[t], s) for each in (expected, got)))
    return check_values(expected, got, OUTPUTS, q.shape[1] * q.shape[2] if q.dtype is torch.float32 else 1)


def _row(scores: Tensor, at: int) -> str:
    """Some scores around one of them."""
    start = max(0, at - 4)
    return f"scores[{start}:{start + 8}] = [{', '.join(f'{x:.6g}' for x in scores[start : start + 8].tolist())}]"


def _normal(generator: torch.Generator, T: int, S: int, H: int, D: int) -> tuple[Tensor, Tensor, Tensor]:
    return normal(generator, T, H, D), normal(generator, S, D), normal(generator, T, H)


def _case(en: str, zh: str, q: Tensor, k: Tensor, w: Tensor, known: Known | None = None) -> Case:
    return Case({"en": en, "zh": zh}, {"q_idx": q, "k_idx": k, "weights": w}, known)


def _bfloat16(en: str, zh: str, q: Tensor, k: Tensor, w: Tensor) -> Case:
    """Not for telling mistakes apart (hence `is_ambiguous`): what else is wrong, other cases show without rounding."""
    return replace(_case(en, zh, q.bfloat16(), k.bfloat16(), w.bfloat16()), is_ambiguous=True)


def _known_cases() -> list[Case]:
    def known(en: str, zh: str, q: object, k: object, w: object, scores: object, source: str = "by hand") -> Case:
        queries, keys, factors, truth = (torch.tensor(each, dtype=torch.float32) for each in (q, k, w, scores))
        return _case(en, zh, queries, keys, factors, Known(truth, source))

    q = [[[2, -1], [-1, 3]], [[1, 1], [-1, 2]]]
    dots = "by hand: dot products 1, 3 and -8 as in quest_select's page 0, the last one rectified"
    ones = torch.ones(3, 64, 128).tolist()
    sums = "by hand: 64 heads, each 128 channels of 1 * 1, weight 1/4: 64 * 128 / 4 = 2048"
    return [
        known(
            "worked example",
            "手算例子",
            q,
            [[1, 0], [0, 1], [1, 1]],
            [[1, 2], [1, -2]],
            [[2, 6, HIDDEN], [1, -3, 0]],
        ),
        known("one head, three keys", "一个头，三个 key", [[[1, -2]]], QUEST_KEYS, [[-2]], [[-2, -6, 0]], dots),
        known(
            "opposite heads do not cancel",
            "相反的两个头不会抵消",
            [[[1], [-1]], [[2], [-2]]],
            [[3], [-1]],
            [[1, 1], [1, 1]],
            [[3, HIDDEN], [6, 2]],
        ),
        known(
            "64 heads of ones",
            "64 个全是 1 的头",
            ones,
            [[1] * 128] * 3,
            [[0.25] * 64] * 3,
            [[2048, HIDDEN, HIDDEN], [2048, 2048, HIDDEN], [2048] * 3],
            sums,
        ),
    ]


def _cancelling(generator: torch.Generator, T: int, S: int) -> Case:
    """Heads in pairs of opposite weight that differ in one channel: bfloat16 would round away what is left of them."""
    q, k, w = _normal(generator, T, S, 4, 32)
    pairs = q.bfloat16().float().repeat_interleave(2, dim=1)
    pairs[:, 1::2, 0] = (pairs[:, ::2, 0] + 2.0**-5).bfloat16().float()
    signed = torch.stack([1 + w.abs(), -1 - w.abs()], dim=2).flatten(1)
    return _bfloat16("bfloat16, heads that nearly cancel", "bfloat16，几乎抵消的头", pairs, k, signed)


def _whole_numbers(generator: torch.Generator, T: int, S: int, H: int, D: int) -> Case:
    """Small whole numbers but 0, on which float arithmetic is exact; the weight of a single head is positive."""

    def whole(*shape: int) -> Tensor:
        draws = torch.randint(-3, 3, shape, generator=generator)
        return (draws + (draws >= 0)).float()

    w = whole(T, H)
    en, zh = f"T {T}, S {S}, {H} heads of {D}", f"T {T}，S {S}，{H} 个头，每个 {D} 通道"
    return _case(en, zh, whole(T, H, D), whole(S, D), w.abs() if H == 1 else w)
