"""Cases and comparison of kv_bytes: published models, every width of an element, and fractions of a byte."""

from collections.abc import Iterator
from itertools import product

import torch

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.compare import check_values
from practice.grader.verify.exercise import Case, Known, integer

OUTPUTS = ("num_bytes",)
NAMES = ("num_layers", "num_kv_heads", "head_dim", "seq_len", "bytes_per_element", "batch")
LLAMA = "by hand: Llama 2 70B (Touvron et al., 2023) is 80 layers of 8 KV heads: 2 x 80 x 8 x 128 x 4,096 x 2"
LLAMA_3 = "by hand: Llama 3 70B is 80 layers of 8 KV heads: 2 x 80 x 8 x 128 x 131,072 x 2, 40 GiB"
QWEN = "by hand: Qwen2.5-7B is 28 layers of 4 KV heads: 2 x 28 x 4 x 128 x 3,072 x 2"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: published models, every width of an element, with and without a batch, and every edge."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, width: float, *batch: int, **changed: int) -> Case:
        drawn = {
            "num_layers": some(12, 96),
            "num_kv_heads": some(2, 16),
            "head_dim": some(32, 256),
            "seq_len": some(1000, 9000),
        }
        return _case(en, zh, (*{**drawn, **changed}.values(), width, *batch))

    def odd(en: str, zh: str, width: float, *batch: int) -> Case:
        """All numbers odd: their product, times 2 and an odd number of eighths, has a fraction."""
        layers, heads, dim, tokens = (
            2 * some(low, high) + 1 for low, high in ((6, 48), (1, 7), (20, 127), (500, 4500))
        )
        if layers * heads * dim * tokens % 4 == 1:
            tokens += 2  # then it is 3: times 1.25 leaves .75, which rounding would raise
        return _case(en, zh, (layers, heads, dim, tokens, width, *batch))

    few, many = some(2, 9), some(32, 256)
    return [
        _case(
            "worked example: 0.625 bytes, batch 4",
            "手算例子：0.625 字节，batch 4",
            (3, 1, 5, 7, 0.625, 4),
            525,
            "by hand",
        ),
        _case("Llama 2 70B, 4,096 tokens", "Llama 2 70B，4,096 个 token", (80, 8, 128, 4096, 2), 1_342_177_280, LLAMA),
        _case("Qwen2.5-7B, 3,072 tokens", "Qwen2.5-7B，3,072 个 token", (28, 4, 128, 3072, 2, 1), 176_160_768, QWEN),
        _case("Llama 3 70B, 128K", "Llama 3 70B，128K", (80, 8, 128, 131_072, 2), 42_949_672_960, LLAMA_3),
        case("fp16, no batch given", "fp16，不给 batch", 2),
        case("fp16, batch 1", "fp16，batch 1", 2, 1),
        case("fp16, a batch", "fp16，一个 batch", 2, few),
        case("fp16, a large batch", "fp16，很大的 batch", 2, many),
        case("fp32", "fp32", 4, few),
        case("fp8", "fp8", 1, few),
        case("fp8, no batch given", "fp8，不给 batch", 1),
        case("int4", "int4", 0.5, few),
        case("2 bytes, said as a float", "2 字节，以 float 给出", 2.0, few),
        odd("int4, all numbers odd", "int4，所有数都是奇数", 0.5, 3),
        odd("5 bits: .75 of a byte is left", "5 位：剩下 0.75 字节", 0.625),
        odd("5 bits, batch 3: .25 of a byte is left", "5 位，batch 3：剩下 0.25 字节", 0.625, 3),
        odd("4.5 bits", "4.5 位", 0.5625, 3),
        odd("3 bits", "3 位", 0.375, few),
        case("a million tokens", "一百万个 token", 2, seq_len=some(10**6, 2 * 10**6)),
        case("one token past a block of 16", "比 16 的整块多一个 token", 2, few, seq_len=16 * some(50, 500) + 1),
        case("one token", "一个 token", 2, few, seq_len=1),
        case("no token yet", "还没有 token", 2, few, seq_len=0),
        case("one layer", "一层", 2, few, num_layers=1),
        case("one KV head (MQA)", "一个 KV 头（MQA）", 2, few, num_kv_heads=1),
    ]


def small_cases(_: torch.Generator) -> Iterator[Case]:
    """A few small factors, their product worked out in the head; then edges, and one beyond what float32 holds."""
    for batch, (shape, width) in product(
        ((), (3,), (1,)), product(((3, 1, 5, 7), (1, 2, 3, 5)), (2, 0.5, 1, 0.625, 4, 0.5625, 2.0))
    ):
        yield _small((*shape, width, *batch))
    for tokens in (0, 1, 16):
        yield _small((3, 2, 5, tokens, 2, 2))
    yield _small((80, 3, 127, 99_999, 2))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Whole bytes: equal or wrong."""
    return check_values(expected, got, OUTPUTS, reduction=None)


def _case(en: str, zh: str, numbers: tuple[float, ...], num_bytes: int | None = None, source: str = "") -> Case:
    known = None if num_bytes is None else Known(num_bytes, source)
    return Case({"en": en, "zh": zh}, dict(zip(NAMES, numbers, strict=False)), known)


def _small(numbers: tuple[float, ...]) -> Case:
    layers, heads, dim, tokens, width, *batch = numbers
    en = f"{layers} layers, {heads} KV heads of {dim}, {tokens} tokens of {width} bytes, batch {batch}"
    zh = f"{layers} 层，{heads} 个 {dim} 维 KV 头，{tokens} 个 token，每数 {width} 字节，batch {batch}"
    return _case(en, zh, numbers)
