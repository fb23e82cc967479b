"""Cases and comparison of rope: positions of every kind, and in bfloat16 one rounding at the end."""

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.exercise import Case, Known, integer, normal
from practice.grader.verify.rotation import check_rotation

OUTPUTS = ("out",)
BF16 = torch.bfloat16


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: what is known by hand, ordinary texts, and every kind of positions."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, positions: Tensor, **shape: int) -> Case:
        return _random_case(generator, en, zh, positions, **shape)

    late, T = some(100, 200), some(6, 12)
    gap = torch.cat([torch.arange(4), late + torch.arange(T)])
    unsorted = torch.randperm(60, generator=generator)[:T]
    tree = torch.tensor([0, 1, 1, 2, 2, 2, 3]) + some(20, 40)
    near = case("bfloat16, near", "bfloat16，位置不大", torch.arange(30) + some(0, 100), heads=4, D=32)
    far = case("bfloat16, far", "bfloat16，位置很大", torch.arange(24) + some(900, 1000), heads=4, D=32)
    return [
        *_known_cases(),
        case("a text from its start", "从头开始的文本", torch.arange(T)),
        case("batch and heads", "batch 与多个头", torch.arange(T), B=some(2, 3), heads=some(2, 5)),
        case("as many heads as tokens", "头数等于 token 数", torch.arange(T), B=2, heads=T),
        case("a chunk that starts late", "从中途开始的一段", late + torch.arange(T), heads=2),
        case("sinks, then a window", "sink 加窗口", gap, heads=2, D=4 * some(2, 6)),
        case("one token late in the text", "靠后的单个 token", torch.tensor([some(200, 300)]), B=2, heads=3),
        case("positions in any order", "位置无序", unsorted, heads=2),
        case("siblings of a tree share positions", "树上的兄弟节点共用位置", tree, heads=2),
        case("the same position throughout", "全是同一个位置", torch.full((T,), some(3, 9)), heads=2),
        case("one pair", "只有一对", late + torch.arange(T), D=2),
        case("three pairs", "三对", 3 * torch.arange(T) + some(1, 3), heads=2, D=6),
        case("128 dimensions, a large base", "128 维，很大的 base", late + torch.arange(T), D=128, base=500_000),
        case("a small base", "很小的 base", torch.arange(T) + some(3, 9), D=16, base=some(3, 9)),
        case("up to position 500", "直到位置 500", torch.arange(3, 500, 7), heads=2, D=16),
        case("no tokens", "没有 token", torch.arange(0), heads=some(2, 4), D=2 * some(1, 9)),
        *(_rounded(each) for each in (near, far)),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers with two pairs, one pair, three pairs; then heads, whole texts, and bfloat16."""
    for D, position in product((4, 2, 6), (1, 2, 5, 0)):
        yield _whole_numbers(generator, torch.tensor([position]), D=D)
    for positions in ([0, 1, 2], [7, 8], [0, 5], [3, 1], [2, 2]):
        for D in (4, 2):
            yield _whole_numbers(generator, torch.tensor(positions), D=D)
    yield _whole_numbers(generator, torch.tensor([1, 2, 4]), heads=2, D=4)
    for B, heads in ((1, 2), (2, 1), (2, 2)):
        yield _whole_numbers(generator, torch.tensor([1, 3]), B=B, heads=heads, D=4)
    for positions in ([257], [1001], [30, 40, 50], [257, 1001]):
        for heads in (1, 3, 3):
            yield _rounded(_whole_numbers(generator, torch.tensor(positions), heads=heads, D=4))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Every pair keeps its length and turns by its angle; the angle may be as far off as float32 makes it."""
    x, positions = case.arguments["x"], case.arguments["positions"]
    assert isinstance(x, Tensor)
    assert isinstance(positions, Tensor)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    return check_rotation(x, expected, got, positions, OUTPUTS[0])


def _known_cases() -> Iterator[Case]:
    """One head, with cosines and sines as any table has them."""
    x = torch.tensor([[1.0, 0, 0, 1], [1, 0, 0, 1], [1, 0, 0, 1]])
    out = [
        [1.0, 0, 0, 1],
        [0.5403023, -0.0998334, 0.8414710, 0.9950042],
        [-0.8390715, -0.8414710, -0.5440211, 0.5403023],
    ]
    yield _known("worked example: positions 0, 1 and 10", "手算例子：位置 0、1、10", x, [0, 1, 10], 100, out)
    x = torch.tensor([[1.0, 0], [0, 1], [3, 4]])
    out = [[0.5403023, 0.8414710], [-0.9092974, -0.4161468], [3, 4]]
    yield _known("one pair: positions 1, 2 and 0", "只有一对：位置 1、2、0", x, [1, 2, 0], 10_000, out)
    x = torch.tensor([[1.0, 1, 0, 0]])
    out = [[0.8623189, 0.5403023, -0.5063656, 0.8414710]]
    yield _known("two pairs turn by 100 and by 1", "两对分别转 100 和 1 弧度", x, [100], 10_000, out)


def _known(en: str, zh: str, x: Tensor, positions: list[int], base: float, out: list[list[float]]) -> Case:
    arguments: dict[str, Value] = {"x": x[None, None], "positions": torch.tensor(positions), "base": float(base)}
    return Case({"en": en, "zh": zh}, arguments, Known(torch.tensor(out)[None, None], "by hand"))


def _random_case(
    generator: torch.Generator,
    en: str,
    zh: str,
    positions: Tensor,
    *,
    B: int = 1,
    heads: int = 1,
    D: int = 8,
    base: int = 0,
) -> Case:
    """Normal values; the base is a random one unless given."""
    x = normal(generator, B, heads, len(positions), D)
    base = base or integer(generator, 50, 5000)
    return Case({"en": en, "zh": zh}, {"x": x, "positions": positions, "base": float(base)})


def _whole_numbers(generator: torch.Generator, positions: Tensor, *, B: int = 1, heads: int = 1, D: int) -> Case:
    """Values from 1 to 9, and frequencies that one can read: 1, 0.1 with two pairs."""
    x = torch.randint(1, 10, (B, heads, len(positions), D), generator=generator).float()
    places = ", ".join(map(str, positions.tolist()))
    name = {"en": f"{D} dimensions, positions {places}", "zh": f"{D} 维，位置 {places}"}
    return Case(name, {"x": x, "positions": positions, "base": 100.0})


def _rounded(case: Case) -> Case:
    x = case.arguments["x"]
    assert isinstance(x, Tensor)
    return Case(case.name, {**case.arguments, "x": x.to(BF16)})
