"""Cases and comparison of gqa_attention: masks of every kind, and scores at which a careless softmax breaks."""

import math
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Text
from practice.grader.verify.compare import check_values, tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("out",)


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: those worked by hand, every shape of heads and masks, scores of all sizes, bfloat16."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, shape: tuple[int, ...], *, by_head: bool = False) -> Case:
        q, k, v = _normal(generator, shape)
        return _case(en, zh, q, k, v, _random_mask(generator, q, k, by_head))

    def masked(en: str, zh: str, T: int, S: int, mask: Tensor) -> Case:
        return _case(en, zh, *_normal(generator, (2, 2, 3, T, S, 8)), mask)

    T, S, D = some(4, 7), some(9, 14), 4 * some(2, 4)
    full, square = torch.ones(T, S, dtype=torch.bool), torch.ones(T, T, dtype=torch.bool)
    return [
        *_known_cases(generator),
        case("groups of three heads", "每组三个头", (1, 2, 3, T, S, D)),
        case("batch", "batch", (3, 3, 2, T, S, D)),
        case("one KV head: MQA", "只有一个 KV 头：MQA", (2, 1, 4, T, S, D)),
        case("a KV head per query head: MHA", "每个 query 头一个 KV 头：MHA", (2, 4, 1, T, S, D)),
        case("one head", "单个头", (1, 1, 1, T, S, D)),
        case("a mask per head", "每个头各有掩码", (1, 2, 2, T, S, D), by_head=True),
        case("a mask per head, batch", "每个头各有掩码，batch", (3, 2, 3, T, S, D), by_head=True),
        case("one query", "只有一个 query", (2, 2, 3, 1, S, D)),
        case("one query, a mask per head", "只有一个 query，每个头各有掩码", (2, 2, 3, 1, S, D), by_head=True),
        case("one key", "只有一个 key", (2, 2, 2, T, 1, D)),
        case("more queries than keys", "query 比 key 多", (2, 2, 2, S, T, D)),
        case("as many heads, queries, keys and channels", "头、query、key、通道一样多", (2, 2, 2, 4, 4, 4)),
        case("many keys", "很多 key", (1, 2, 2, 3, some(200, 260), 64)),
        masked("everything visible", "全部可见", T, S, full),
        masked("causal, aligned at the end", "因果，末尾对齐", T, S, full.tril(S - T)),
        masked("causal, square", "因果，方阵", T, T, square.tril()),
        masked("what is past is hidden", "过去的都隐藏", T, T, square.triu()),
        _large_scores(generator),
        _far_apart(generator, "rows far apart", "各行的分数相差很远", [40.0, -40, 40, -40], 7 * [40.0]),
        _far_apart(
            generator, "hidden keys score highest", "隐藏的 key 分数最高", 3 * [300.0], [-160.0, -160, 320, -160, 320]
        ),
        _bfloat16(case("bfloat16", "bfloat16", (2, 2, 3, T, S, D))),
        _bfloat16(case("bfloat16, many keys", "bfloat16，很多 key", (1, 2, 2, 3, some(90, 120), 16), by_head=True)),
        _bfloat16_large_scores(generator),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Small whole numbers: one head, then a scale that matters, groups, masks per head, large scores, bfloat16."""
    for shape in ((1, 1, 1, 1, 3, 1), (1, 1, 1, 2, 2, 1), (1, 1, 1, 1, 2, 4), (1, 2, 2, 1, 2, 1), (1, 1, 2, 2, 3, 1)):
        yield from (_whole_numbers(generator, shape) for _ in range(2))
    yield from (_large_small(generator), *_bfloat16_small())
    for shape in ((1, 1, 2, 1, 2, 1), (1, 2, 2, 1, 2, 1), (1, 1, 2, 2, 2, 1), (2, 1, 1, 1, 2, 1), (2, 1, 2, 1, 2, 1)):
        yield from (_whole_numbers(generator, shape, by_head=True) for _ in range(3))
    for shape in ((1, 1, 1, 3, 2, 1), (1, 2, 1, 2, 2, 2), (1, 1, 3, 2, 3, 2), (2, 2, 1, 2, 2, 1), (2, 1, 2, 1, 3, 1)):
        yield from (_whole_numbers(generator, shape) for _ in range(2))
    yield from (_large_small(generator) for _ in range(5))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """A weighted mean lies within its values: what does not is told so."""
    finding = check_values(expected, got, OUTPUTS, _reduction(*_tensors(case)[:2]))
    assert isinstance(got, Tensor)
    outside = _outside(case, got) if finding else None
    return replace(finding, key="exercise", fields=outside) if finding and outside else finding


def _reduction(q: Tensor, k: Tensor) -> int:
    """Sums over D and over S; a score rounds in proportion to its size, and its weight with it."""
    if q.dtype is not torch.float32:
        return 1  # sums in float32, rounded once
    largest = float(q.norm(dim=-1).amax() * k.norm(dim=-1).amax()) / math.sqrt(q.shape[3])
    return math.ceil((q.shape[3] + k.shape[2]) * max(1, largest) ** 2)


def _outside(case: Case, got: Tensor) -> Text | None:
    """The first output that is below or above all the values that its row may see."""
    q, k, v, mask = _tensors(case)
    values = v.float().repeat_interleave(q.shape[1] // k.shape[1], dim=1)[:, :, None]  # [B, n_heads, 1, S, D]
    hidden = ~mask.expand(*q.shape[:3], k.shape[2])[..., None]
    low, high = values.masked_fill(hidden, torch.inf).amin(3), values.masked_fill(hidden, -torch.inf).amax(3)
    slack = tolerance(v, 1)
    wrong = ((got < low - slack) | (got > high + slack)).nonzero()
    if not len(wrong):
        return None
    at = wrong[0].tolist()
    number, least, most = (f"{tensor[*at].item():.6g}" for tensor in (got, low, high))
    return {
        "en": f"out{at} is {number}, but the visible values lie in [{least}, {most}], and so does any mean of them: "
        "something hidden has weight, the weights do not sum to 1, or the values are another head's",
        "zh": f"out{at} 是 {number}，而可见的 value 都在 [{least}, {most}] 之内，它们的加权平均也必在其中："
        "要么隐藏的东西有权重，要么权重之和不是 1，要么用了别的头的 value",
    }


def _tensors(case: Case) -> list[Tensor]:
    return [value for value in case.arguments.values() if isinstance(value, Tensor)]


def _case(en: str, zh: str, q: Tensor, k: Tensor, v: Tensor, mask: Tensor, known: Known | None = None) -> Case:
    return Case({"en": en, "zh": zh}, {"q": q, "k": k, "v": v, "mask": mask}, known)


def _normal(generator: torch.Generator, shape: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """q, k, v for B, n_kv, heads in a group, T, S, D."""
    B, num_kv_heads, group, T, S, D = shape
    k, v = normal(generator, 2, B, num_kv_heads, S, D)
    return normal(generator, B, num_kv_heads * group, T, D), k, v


def _random_mask(generator: torch.Generator, q: Tensor, k: Tensor, by_head: bool) -> Tensor:
    """Each key is visible or not by the toss of a coin; one of each row always is."""
    shape = (*(q.shape[:2] if by_head else ()), q.shape[2], k.shape[2])
    coins = torch.rand(shape, generator=generator)
    return (coins < 0.5) | (coins == coins.amin(-1, keepdim=True))


def _known_cases(generator: torch.Generator) -> list[Case]:
    """Worked by hand; where q and k cannot matter they are drawn."""
    q = 2 * math.log(3) * torch.tensor([1.0, -1, 1, -1]).reshape(1, 4, 1, 1) * torch.eye(4)[:1]
    k = torch.tensor([[0.0, 1, 9], [1, 0, 9]]).reshape(1, 2, 3, 1) * torch.eye(4)[:1]
    v = torch.tensor([[4.0, 8, 1000], [40, 80, 1000]]).reshape(1, 2, 3, 1) * torch.eye(4)[:1]
    out = torch.tensor([7.0, 5, 50, 70]).reshape(1, 4, 1, 1) * torch.eye(4)[:1]
    worked = _case("worked example", "手算例子", q, k, v, torch.tensor([[True, True, False]]), Known(out, "by hand"))

    v = torch.tensor([[1.0, 10], [2, 20], [4, 40], [8, 80]]).reshape(1, 1, 4, 2)
    mask = torch.tensor([[[1, 1, 0, 0], [0, 0, 1, 1]], [[1, 0, 0, 1], [1, 1, 1, 1]]]).bool()[None]
    out = torch.tensor([[[1.5, 15], [6, 60]], [[4.5, 45], [3.75, 37.5]]])[None]
    k = normal(generator, 1, 1, 1, 2).repeat(1, 1, 4, 1)
    en, zh = "equal keys: the mean of what is visible", "key 全相同：可见的 value 的平均"
    mean = _case(en, zh, normal(generator, 1, 2, 2, 2), k, v, mask, Known(out, "by hand"))

    v, out = torch.tensor([[[[1.0, 2], [3, 4], [5, 6]]]]), torch.tensor([[[[5.0, 6], [1, 2], [3, 4]]]])
    mask = torch.tensor([[0, 0, 1], [1, 0, 0], [0, 1, 0]]).bool()
    q, k = normal(generator, 2, 1, 1, 3, 2)
    one = _case("one visible key: its value", "只看得见一个 key：就是它的 value", q, k, v, mask, Known(out, "by hand"))
    return [worked, mean, one, _halves_of_large_scores(), next(_bfloat16_small())]


def _halves_of_large_scores() -> Case:
    """Scores 10000, 10000, -10000 and a hidden 20000, then the same with the other sign."""
    row, ones = torch.eye(16)[:1], torch.ones(16)
    q = torch.tensor([200.0, -200]).reshape(1, 1, 2, 1) * row
    k = torch.tensor([200.0, 200, -200, 400]).reshape(1, 1, 4, 1) * row
    v = torch.tensor([1.0, 2, 4, 100]).reshape(1, 1, 4, 1) * ones
    out = torch.tensor([1.5, 4]).reshape(1, 1, 2, 1) * ones
    mask = torch.tensor([[True, True, True, False]]).repeat(2, 1)
    return _case("scores of 10,000", "分数为 10,000", q, k, v, mask, Known(out, "by hand"))


def _large_scores(generator: torch.Generator) -> Case:
    """Whole numbers and D = 16, so that scores of some hundreds are exact in any order of summation."""
    q, k = (torch.randint(-20, 21, shape, generator=generator).float() for shape in ((2, 6, 4, 16), (2, 2, 9, 16)))
    v = normal(generator, 2, 2, 9, 16)
    return _case("large scores", "分数很大", q, k, v, torch.ones(4, 9, dtype=torch.bool))


def _far_apart(generator: torch.Generator, en: str, zh: str, rows: list[float], columns: list[float]) -> Case:
    """Scores near row * column / 4, a few apart, exact in any order of summation; columns above 300 are hidden."""
    q = torch.randint(-1, 2, (2, 4, len(rows), 16), generator=generator).float()
    k = torch.randint(-1, 2, (2, 2, len(columns), 16), generator=generator).float()
    q[..., 0], k[..., 0] = torch.tensor(rows), torch.tensor(columns)
    mask = (torch.tensor(columns) <= 300).repeat(len(rows), 1)
    return _case(en, zh, q, k, normal(generator, 2, 2, len(columns), 16), mask)


def _bfloat16(case: Case) -> Case:
    q, k, v, mask = _tensors(case)
    return _case(case.name["en"], case.name["zh"], q.bfloat16(), k.bfloat16(), v.bfloat16(), mask, case.known)


def _bfloat16_large_scores(generator: torch.Generator) -> Case:
    """Scores of some hundreds that differ by one or two: bfloat16 rounds them by about as much."""
    q = (32 * (1 + normal(generator, 1, 8, 3, 16).abs())).bfloat16()
    k = (1 + normal(generator, 1, 2, 1, 16).abs() + normal(generator, 1, 2, 12, 16) / 32).bfloat16()
    v = normal(generator, 1, 2, 12, 16, dtype=torch.bfloat16)
    mask = torch.ones(3, 12, dtype=torch.bool)
    return _case("bfloat16, large scores", "bfloat16，分数很大", q, k, v, mask)


def _whole_numbers(generator: torch.Generator, shape: tuple[int, ...], *, by_head: bool = False) -> Case:
    """Small whole numbers, the values all different."""
    B, num_kv_heads, group, T, S, D = shape
    q = torch.randint(1, 3, (B, num_kv_heads * group, T, D), generator=generator).float()
    k = torch.randint(-1, 3, (B, num_kv_heads, S, D), generator=generator).float()
    v = torch.randperm(k.numel(), generator=generator).reshape(k.shape).float() + 1
    return _case(
        f"queries: {T}, keys: {S}", f"query {T} 个，key {S} 个", q, k, v, _random_mask(generator, q, k, by_head)
    )


def _large_small(generator: torch.Generator) -> Case:
    """Scores of 15,000 in one row, -15,000 in the other, and further from 0 where the mask is False."""
    k = 5000 + torch.randint(0, 2, (1, 1, 3, 1), generator=generator).float()
    hidden = integer(generator, 0, 2)
    k[0, 0, hidden] = 9000
    v = torch.randperm(3, generator=generator).reshape(1, 1, 3, 1).float() + 1
    q = torch.tensor([3.0, -3]).reshape(1, 1, 2, 1)
    mask = (torch.arange(3) != hidden).repeat(2, 1)
    return _case("large scores", "分数很大", q, k, v, mask)


def _bfloat16_small() -> Iterator[Case]:
    """Values that cancel, (256 + 1 - 256) / 3; then scaled scores 128 and 128.5, which are one number in bfloat16."""
    zeros, v = torch.zeros(1, 1, 3, 1), torch.tensor([256.0, 1, -256]).reshape(1, 1, 3, 1)
    mask = torch.ones(1, 3, dtype=torch.bool)
    third = Known(torch.tensor([[[[1 / 3]]]]).bfloat16(), "by hand")
    en, zh = "bfloat16, values that cancel", "bfloat16，互相抵消的 value"
    yield _bfloat16(_case(en, zh, zeros[:, :, :1], zeros, v, mask, third))
    q, k = torch.tensor([[[[1.0, 1, 0, 0]]]]), torch.tensor([[[[256.0, 0, 0, 0], [256, 1, 0, 0]]]])
    yield _bfloat16(
        _case("bfloat16, close scores", "bfloat16，接近的分数", q, k, torch.eye(4)[None, None, :2], mask[:, :2])
    )
