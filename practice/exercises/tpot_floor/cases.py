"""Cases and comparison of tpot_floor: models and devices of all sizes, and contexts from none to a million tokens."""

from collections.abc import Iterator
from itertools import product

import torch

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Verdict
from practice.grader.verify.compare import check_values
from practice.grader.verify.exercise import Case, Known, integer

OUTPUTS = ("seconds",)
REDUCTION = 4096  # caches may be added one by one, and equal terms round alike
QWEN, H100 = 14_141_238_272, 3.35e12
SHAPES = "by hand: Qwen2.5-7B in bf16 without the input embedding, (7,615,616,512 - 152,064 x 3,584) x 2 bytes"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: floors worked by hand, and steps in which weights, caches or neither prevail."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, weights: int, tokens: int, batch: int, bandwidth: float) -> Case:
        return _case(en, zh, (weights, some(20_000, 300_000), tokens, batch, bandwidth))

    weights, fast, slow = some(10**9, 10**11), float(some(10**12, 8 * 10**12)), float(some(10**9, 10**10))
    tokens, batch = some(1000, 9000), some(2, 64)
    return [
        _case("worked example", "手算例子", (14 * 10**9, 50_000, 20_000, 6, 4e12), 0.005, "by hand"),
        _case(
            "Qwen2.5-7B, H100, 1K", "Qwen2.5-7B，H100，1K", (QWEN, 57_344, 1024, 1, H100), 0.004238793590447761, SHAPES
        ),
        _case(
            "Qwen2.5-7B, H100, 128K, batch 64",
            "Qwen2.5-7B，H100，128K，batch 64",
            (QWEN, 57_344, 131_072, 64, H100),
            0.14781420161910448,
            SHAPES,
        ),
        case("one sequence", "一个序列", weights, tokens, 1, fast),
        case("a batch", "一个 batch", weights, tokens, batch, fast),
        case("a batch of two", "batch 为 2", weights, tokens, 2, fast),
        case("mostly weights", "以权重为主", 10 * weights, some(100, 200), batch, fast),
        case("mostly caches", "以缓存为主", weights // 100, 20 * tokens, 4 * batch, fast),
        case("a million tokens", "一百万个 token", weights, 10**6 + some(0, 10**5), 1, fast),
        case("a large batch", "很大的 batch", weights, tokens, some(200, 500), fast),
        case("an empty cache", "空缓存", weights, 0, 1, fast),
        case("empty caches of a batch", "一个 batch 的空缓存", weights, 0, batch, fast),
        case("one cached token", "缓存里只有一个 token", weights, 1, batch, fast),
        case("a slow device: seconds", "慢设备：以秒计", weights, tokens, batch, slow),
        case("a small model", "小模型", some(10**8, 3 * 10**8), tokens, batch, fast),
        case("bandwidth an int", "带宽为 int", weights, tokens, batch, some(10**12, 8 * 10**12)),
        case("a slow device, bandwidth an int", "慢设备，带宽为 int", weights, tokens, 1, some(10**9, 10**10)),
        _as_large_as_the_weights(some(10**5, 10**6), tokens, batch, fast),
    ]


def small_cases(_: torch.Generator) -> Iterator[Case]:
    """A few bytes over a few bytes per second: most take seconds that one can work out in the head."""
    for bandwidth, batch, tokens, (weights, kv) in product((4, 8.0), (2, 1), (3, 5), ((10, 1), (6, 2), (40, 4))):
        yield _small((weights, kv, tokens, batch, bandwidth))
    for bandwidth, batch, tokens in product((7, 3.0), (1, 3), (0, 1, 2)):
        yield _small((9, 2, tokens, batch, bandwidth))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """To what adding cache after cache may round; below the time for the weights alone, it says so."""
    finding = check_values(expected, got, OUTPUTS, REDUCTION)
    weights, bandwidth = case.arguments["weight_bytes"], case.arguments["bandwidth"]
    assert isinstance(weights, int)
    assert isinstance(bandwidth, int | float)
    assert isinstance(got, int | float)
    alone = weights / bandwidth
    if not finding or got > alone * (1 - 1e-9):
        return finding
    fields = {
        "en": f"{got:.6g} s is less than the weights alone take: {alone:.6g} s",
        "zh": f"{got:.6g} 秒，比只读一遍权重还短：那要 {alone:.6g} 秒",
    }
    return Finding(Verdict.WRONG, "exercise", fields, f"seconds = {expected}", f"seconds = {got}")


def _case(en: str, zh: str, numbers: tuple[float, ...], seconds: float | None = None, source: str = "") -> Case:
    names = ("weight_bytes", "kv_bytes_per_token", "seq_len", "batch", "bandwidth")
    known = None if seconds is None else Known(seconds, source)
    return Case({"en": en, "zh": zh}, dict(zip(names, numbers, strict=True)), known)


def _as_large_as_the_weights(kv: int, tokens: int, batch: int, bandwidth: float) -> Case:
    """Caches and weights of the same size take twice the time of either."""
    return _case(
        "caches as large as the weights", "缓存与权重一样大", (batch * tokens * kv, kv, tokens, batch, bandwidth)
    )


def _small(numbers: tuple[float, ...]) -> Case:
    weights, kv, tokens, batch, bandwidth = numbers
    en = f"weights {weights}, {kv} a token, {tokens} tokens, batch {batch}, {bandwidth} bytes/s"
    zh = f"权重 {weights}，每 token {kv}，{tokens} 个 token，batch {batch}，{bandwidth} 字节/秒"
    return _case(en, zh, numbers)
