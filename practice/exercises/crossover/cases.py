"""Cases and comparison of crossover: published models, and every factor small or 1."""

from collections.abc import Iterator
from itertools import product

import torch

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.compare import check_values
from practice.grader.verify.exercise import Case, Known, integer

OUTPUTS = ("tokens",)
NAMES = ("params", "num_layers", "num_heads", "head_dim")
QWEN = "by hand: 7.6e9 / 4,096 = 1,855,468.75, and 2 x 28 x 28 x 128 = 4,096 x 49"
LLAMA_3 = "by hand: 70.6e9 / (2 x 80 x 64 x 128) = 70.6e9 / 1,310,720"
LLAMA_2_7B = (
    "by hand: 32 x (4 x 4,096^2 + 3 x 4,096 x 11,008) + 32,000 x 4,096 parameters, embedding left out, / 262,144"
)
LLAMA_3_8B = "by hand: 32 x (2.5 x 4,096^2 + 3 x 4,096 x 14,336) + 128,256 x 4,096, embedding left out, / 262,144"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: crossovers worked by hand, then models of all shapes."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, params: float, **changed: int) -> Case:
        drawn = {"num_layers": some(12, 96), "num_heads": some(8, 96), "head_dim": some(32, 256)}
        return _case(en, zh, (params, *{**drawn, **changed}.values()))

    billions = some(10**9, 10**11)
    return [
        _case("worked example", "手算例子", (10_000, 2, 4, 8), 78.125, "by hand"),
        _case("Qwen2.5-7B, 7.6e9", "Qwen2.5-7B，7.6e9", (7.6e9, 28, 28, 128), 1_855_468.75 / 49, QWEN),
        _case("Llama 3 70B, 70.6e9", "Llama 3 70B，70.6e9", (70.6e9, 80, 64, 128), 53_863.525390625, LLAMA_3),
        _case("Llama 2 7B, MHA", "Llama 2 7B，MHA", (6_607_077_376, 32, 32, 128), 25_204.0, LLAMA_2_7B),
        _case("Llama 3 8B, GQA", "Llama 3 8B，GQA", (7_504_658_432, 32, 32, 128), 28_628.0, LLAMA_3_8B),
        case("params an int", "params 为 int", billions),
        case("params a float", "params 为 float", float(some(10**9, 10**11))),
        case("params not whole", "params 不是整数", some(10**9, 10**10) + 0.5),
        case("a small model", "小模型", some(10**8, 3 * 10**8)),
        case("a large model", "大模型", some(10**11, 10**12)),
        case("more than 2^53 parameters", "参数超过 2^53", float(2**54 + 4 * some(10**9, 10**15))),
        case("one layer", "一层", billions, num_layers=1),
        case("one head", "一个头", billions, num_heads=1),
        case("one channel", "一个通道", billions, head_dim=1),
        case("many heads", "很多头", billions, num_heads=some(128, 256)),
        case("many layers", "很多层", billions, num_layers=some(100, 200)),
        case("wide heads", "很宽的头", billions, head_dim=some(500, 600)),
        case("all factors odd", "各因子都是奇数", 2 * billions + 1, num_layers=31, num_heads=9, head_dim=65),
        case("below one token", "不到一个 token", some(1000, 2000)),
        case("a few tokens", "几个 token", some(10**6, 10**7)),
        case("one parameter per channel", "每个通道一个参数", 1, num_layers=1, num_heads=1, head_dim=some(2, 99)),
    ]


def small_cases(_: torch.Generator) -> Iterator[Case]:
    """A few parameters and factors, their quotient worked out in the head; then quotients with a fraction."""
    for params, (layers, heads, dim) in product((240, 120.0, 100, 7), ((2, 3, 5), (1, 2, 3), (3, 1, 4), (2, 2, 1))):
        yield _small((params, layers, heads, dim))
    for params, (layers, heads, dim) in product((1000, 9.5, 10**6, 1), ((7, 1, 1), (1, 5, 2), (1, 1, 3), (4, 3, 1))):
        yield _small((params, layers, heads, dim))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """To the rounding of four multiplications and divisions."""
    return check_values(expected, got, OUTPUTS, reduction=4)


def _case(en: str, zh: str, numbers: tuple[float, ...], tokens: float | None = None, source: str = "") -> Case:
    known = None if tokens is None else Known(tokens, source)
    return Case({"en": en, "zh": zh}, dict(zip(NAMES, numbers, strict=True)), known)


def _small(numbers: tuple[float, ...]) -> Case:
    params, layers, heads, dim = numbers
    en = f"{params} parameters, {layers} layers, {heads} heads of {dim}"
    zh = f"{params} 个参数，{layers} 层，{heads} 个 {dim} 维的头"
    return _case(en, zh, numbers)
