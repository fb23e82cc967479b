"""Cases and comparison of chunked_append: the cache must be an exact copy, the attention within rounding."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Text, Verdict
from practice.grader.verify.compare import check_values, tolerance
from practice.grader.verify.exercise import Case, Known, integer, normal

OUTPUTS = ("out", "k", "v")


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: those worked by hand, chunks and caches of all lengths, heads of all kinds, loud futures."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, S: int, T: int, heads: tuple[int, int, int] = (2, 2, 2)) -> Case:
        return _random_case(generator, en, zh, S, T, D, heads)

    S, T, D = some(7, 12), some(3, 6), 4 * some(2, 4)
    return [
        *_known_cases(generator),
        case("a chunk after a longer cache", "缓存比块长", S, T),
        case("a chunk longer than the cache", "块比缓存长", T, S),
        case("a chunk as long as the cache", "块与缓存一样长", T, T),
        case("two new tokens", "两个新 token", S, 2),
        case("one new token: decoding", "一个新 token：decode", S, 1),
        case("one new token, one head", "一个新 token，单个头", S, 1, (1, 1, 1)),
        case("no cache: prefill", "没有缓存：prefill", 0, T + 2),
        case("no cache, one token", "没有缓存，一个 token", 0, 1),
        case("one cached slot", "缓存只有一个槽位", 1, T),
        case("one head", "单个头", S, T, (1, 1, 1)),
        case("groups of three heads", "每组三个头", S, T, (1, 2, 3)),
        case("one KV head: MQA", "只有一个 KV 头：MQA", S, T, (2, 1, 4)),
        case("a KV head per query head: MHA", "每个 query 头一个 KV 头：MHA", S, T, (2, 4, 1)),
        case("batch", "batch", S, T, (3, 3, 2)),
        _random_case(generator, "as many of everything", "各维一样长", 4, 4, 4, (2, 2, 2)),
        _random_case(generator, "a long cache", "很长的缓存", some(250, 300), some(5, 8), 64, (1, 2, 2)),
        _loud_future(generator, some(3, 6), some(3, 5)),
        _bfloat16(case("bfloat16", "bfloat16", S, T)),
        _bfloat16(case("bfloat16, no cache", "bfloat16，没有缓存", 0, T)),
        _bfloat16_large_scores(generator),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Equal keys, so that outputs are means; then small whole numbers, a scale that matters, heads, batch, bfloat16."""
    lengths = ((1, 2), (2, 2), (1, 1), (0, 2), (3, 2), (2, 3), (2, 1), (0, 1), (1, 3))
    yield from (_whole_numbers(generator, S, T, equal=True) for S, T in lengths)
    yield from (_whole_numbers(generator, S, T) for S, T in lengths)
    yield from (_whole_numbers(generator, 1, 1, D=4) for _ in range(2))
    for heads in ((1, 2, 2), (2, 1, 1), (2, 1, 2), (1, 2, 2), (2, 1, 2)):
        yield from (_whole_numbers(generator, S, T, heads=heads) for S, T in ((1, 1), (1, 2), (2, 2), (0, 2)))
    yield from (_small_loud_future(), _close_scores())


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """k and v are copies, equal to the last bit; an `out` that is no mean of its values is told so."""
    assert isinstance(expected, tuple)
    assert isinstance(got, tuple)
    wrong_cache = check_values(expected[1:], got[1:], OUTPUTS[1:], reduction=None)
    if wrong_cache:
        return wrong_cache
    truth, out = expected[0], got[0]
    assert isinstance(truth, Tensor)
    assert isinstance(out, Tensor)
    finding = check_values(truth, out, OUTPUTS[:1], _reduction(case.arguments["q"], expected[1]))
    outside = _outside(expected, out) if finding else None
    if not finding or not outside:
        return finding
    return Finding(Verdict.WRONG, "exercise", outside, finding.expected, finding.got)


def _reduction(q: Value, k: Value) -> int:
    """Sums over D and over the slots; a score rounds in proportion to its size, and its weight with it."""
    assert isinstance(q, Tensor)
    assert isinstance(k, Tensor)
    if q.dtype is not torch.float32:
        return 1  # sums in float32, rounded once
    largest = float(q.norm(dim=-1).amax() * k.norm(dim=-1).amax()) / math.sqrt(q.shape[3])
    return math.ceil((q.shape[3] + k.shape[2]) * max(1, largest) ** 2)


def _outside(expected: Sequence[Value], out: Tensor) -> Text | None:
    """The first output that is below or above all the values that its token may see."""
    v = expected[2]
    assert isinstance(v, Tensor)
    T, group = out.shape[2], out.shape[1] // v.shape[1]
    values = v.float().repeat_interleave(group, dim=1)
    low, high = (each.values[:, :, -T:] for each in (values.cummin(2), values.cummax(2)))
    slack = tolerance(v, 1)
    wrong = ((out < low - slack) | (out > high + slack)).nonzero()
    if not len(wrong):
        return None
    at = wrong[0].tolist()
    number, least, most = (f"{tensor[*at].item():.6g}" for tensor in (out, low, high))
    token, last = at[2], v.shape[2] - T + at[2]
    return {
        "en": f"out{at} is {number}, but token {token} sees no slot after {last}, "
        f"and the values up to there lie in [{least}, {most}]",
        "zh": f"out{at} 是 {number}，而第 {token} 个新 token 最多看到槽位 {last}，"
        f"其中的 value 都在 [{least}, {most}] 之内",
    }


def _case(en: str, zh: str, q: Tensor, k: Tensor, v: Tensor, known: Known | None = None) -> Case:
    """k and v of all tokens; as many as q has are new."""
    T = q.shape[2]
    arguments = {"q": q, "k_new": k[:, :, -T:], "v_new": v[:, :, -T:], "k_cache": k[:, :, :-T], "v_cache": v[:, :, :-T]}
    return Case({"en": en, "zh": zh}, {name: each.contiguous() for name, each in arguments.items()}, known)


def _random_case(
    generator: torch.Generator, en: str, zh: str, S: int, T: int, D: int, heads: tuple[int, int, int]
) -> Case:
    """S cached slots, T new tokens; heads are B, n_kv and the query heads of each KV head."""
    B, num_kv_heads, group = heads
    k, v = normal(generator, 2, B, num_kv_heads, S + T, D)
    return _case(en, zh, normal(generator, B, num_kv_heads * group, T, D), k, v)


def _known_cases(generator: torch.Generator) -> list[Case]:
    """Worked by hand; keys that no query can tell apart are drawn."""

    def means(en: str, zh: str, values: list[float], out: list[float]) -> Case:
        v, k = torch.tensor(values).reshape(1, 1, -1, 1), normal(generator, 1, 1, len(values), 1)
        q = torch.zeros(1, 1, len(out), 1)
        return _case(en, zh, q, k, v, Known((torch.tensor(out).reshape(1, 1, -1, 1), k, v), "by hand"))

    q = 2 * math.log(3) * torch.eye(4)[:1].repeat(1, 4, 1, 1)
    k = torch.tensor([[0.0, 1], [1, 0]])[None, :, :, None] * torch.eye(4)[:1]
    v = torch.eye(4)[:2].repeat(1, 2, 1, 1)
    out = torch.tensor([[1.0, 3, 0, 0], [1, 3, 0, 0], [3, 1, 0, 0], [3, 1, 0, 0]])[None, :, None] / 4
    heads = _case("weights 1/4 and 3/4", "权重 1/4 和 3/4", q, k, v, Known((out, k, v), "by hand"))
    return [
        means("worked example", "手算例子", [4.0, 8, 12, 16], [8.0, 10]),
        means("no cache: running means", "没有缓存：逐个求平均", [3.0, 5, 10], [3.0, 4, 6]),
        means("one token sees all", "一个 token 看到全部", [1.0, 2, 6], [3.0]),
        heads,
    ]


def _loud_future(generator: torch.Generator, S: int, T: int) -> Case:
    """Scores of what is visible near -12,000, a few apart; of the newest token's key near 24,000."""
    k = torch.randint(-1, 2, (2, 2, S + T, 16), generator=generator).float()
    q = torch.randint(-1, 2, (2, 4, T, 16), generator=generator).float()
    v = normal(generator, 2, 2, S + T, 16)
    q[..., 0], k[..., 0] = 300, -160
    k[:, :, -1, 0] = 320
    return _case("the newest key scores highest", "最新的 key 分数最高", q, k, v)


def _bfloat16(case: Case) -> Case:
    """The same in bfloat16."""
    tensors = {name: each.bfloat16() for name, each in case.arguments.items() if isinstance(each, Tensor)}
    return Case(case.name, {**tensors})


def _bfloat16_large_scores(generator: torch.Generator) -> Case:
    """Scores of some hundreds that differ by one or two: bfloat16 rounds them by about as much."""
    q = 32 * (1 + normal(generator, 1, 8, 3, 16).abs())
    k = 1 + normal(generator, 1, 2, 1, 16).abs() + normal(generator, 1, 2, 12, 16) / 32
    v = normal(generator, 1, 2, 12, 16)
    return _bfloat16(_case("bfloat16, large scores", "bfloat16，分数很大", q, k, v))


def _whole_numbers(
    generator: torch.Generator,
    S: int,
    T: int,
    *,
    D: int = 1,
    heads: tuple[int, int, int] = (1, 1, 1),
    equal: bool = False,
) -> Case:
    """Small whole numbers, the values all different; `equal`: queries of 0, to which all keys are equal."""
    B, num_kv_heads, group = heads
    q = torch.randint(1, 3, (B, num_kv_heads * group, T, D), generator=generator).float()
    k = torch.randint(-1, 3, (B, num_kv_heads, S + T, D), generator=generator).float()
    v = torch.randperm(k.numel(), generator=generator).reshape(k.shape).float() + 1
    return _case(f"{S} cached, {T} new", f"已缓存 {S} 个，新来 {T} 个", 0 * q if equal else q, k, v)


def _small_loud_future() -> Case:
    """Scores -15,000 for what token 0 may see, 27,000 for what it may not."""
    q, k = torch.tensor([3.0, -3]).reshape(1, 1, 2, 1), torch.tensor([-5000.0, -5000, 9000]).reshape(1, 1, 3, 1)
    return _case("a loud future", "分数很高的未来", q, k, torch.tensor([1.0, 2, 3]).reshape(1, 1, 3, 1))


def _close_scores() -> Case:
    """Scaled scores 128 and 128.5, which are one number in bfloat16."""
    q, k = torch.tensor([[[[1.0, 1, 0, 0]]]]), torch.tensor([[[[256.0, 0, 0, 0], [256, 1, 0, 0]]]])
    return _bfloat16(_case("bfloat16, close scores", "bfloat16，接近的分数", q, k, torch.eye(4)[None, None, :2]))
