"""Cases and comparison of rerotate: keys that move forward, back, by shifts of their own, or not at all."""

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

from practice.grader.isolate.values import Value
from practice.grader.report import Finding
from practice.grader.verify.exercise import Case, Known, integer, normal
from practice.grader.verify.rotation import check_rotation

OUTPUTS = ("k",)
BF16 = torch.bfloat16


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: what is known by hand, renumbering after an eviction, and every other kind of move."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def case(en: str, zh: str, old: Tensor, new: Tensor, **shape: int) -> Case:
        return _random_case(generator, en, zh, old, new, **shape)

    S, late = some(8, 14), some(100, 200)
    slots = torch.arange(S)
    window = late + slots
    kept = torch.cat([slots[:4], window[4:]])
    mixed = torch.randperm(80, generator=generator)
    near = case("bfloat16, small shifts", "bfloat16，位移不大", 40 + torch.arange(30), mixed[:30], heads=4, D=32)
    far = case("bfloat16, large shifts", "bfloat16，位移很大", some(900, 980) + 3 * slots, slots, heads=4, D=32)
    return [
        *_known_cases(),
        case("sinks and a window, renumbered", "sink 加窗口，重新编号", kept, slots),
        case("batch and KV heads", "batch 与多个 KV 头", kept, slots, B=some(2, 3), heads=some(2, 4)),
        case("sinks and a window, to a later place", "sink 加窗口，移到后面", kept, late + slots, heads=2),
        case("a window without sinks", "没有 sink 的窗口", window, slots, heads=2),
        case("one slot evicted in each step", "每步淘汰一个槽位", torch.cat([slots[:2], slots[2:] + 1]), slots),
        case("toward the end", "往后移", slots, window, heads=2),
        case("toward the end, sinks stay", "sink 不动，其余往后移", slots, kept, D=4 * some(2, 5)),
        case("some forward, some back", "有的往前，有的往后", mixed[:S], mixed[S : 2 * S], heads=2),
        case("all to one position", "全部移到同一个位置", mixed[:S], torch.full((S,), some(5, 60)), B=2),
        case("all from one position", "全部来自同一个位置", torch.full((S,), some(5, 60)), mixed[:S]),
        case("to position 0", "移到位置 0", window, 0 * slots),
        case("from position 0", "从位置 0 移走", 0 * slots, window, heads=2),
        case("nothing moves", "谁都不动", mixed[:S], mixed[:S], heads=2),
        case("as many heads as slots", "头数等于槽位数", kept, slots, heads=S, D=4),
        case("one pair", "只有一对", mixed[:S], mixed[-S:], D=2),
        case("128 dimensions, a large base", "128 维，很大的 base", mixed[:S], slots, D=128, base=500_000),
        case("a small base", "很小的 base", kept, slots, D=16, base=some(3, 9)),
        case("shifts up to 500", "位移直到 500", torch.arange(20, 500, 10), torch.arange(48), D=16),
        case("one slot", "只有一个槽位", torch.tensor([some(50, 90)]), torch.tensor([some(0, 40)])),
        case("an empty cache", "空缓存", torch.arange(0), torch.arange(0), heads=some(2, 4), D=2 * some(1, 9)),
        *(_rounded(each) for each in (near, far)),
    ]


def small_cases(generator: torch.Generator) -> Iterator[Case]:
    """Whole numbers: one slot, then sinks and a window, other moves, heads, and bfloat16."""
    for D, (old, new) in product((4, 2, 6), ((5, 2), (3, 5), (1, 0), (0, 2), (4, 4))):
        yield _whole_numbers(generator, [old], [new], D=D)
    for olds, news in (([0, 8], [0, 1]), ([0, 3, 4], [0, 1, 2]), ([5, 6], [0, 1]), ([3, 1], [1, 3]), ([2, 4], [5, 5])):
        for D in (4, 2):
            yield _whole_numbers(generator, olds, news, D=D)
    for B, heads in ((1, 2), (2, 1), (2, 2)):
        yield _whole_numbers(generator, [0, 8], [0, 1], B=B, heads=heads, D=4)
    for olds, news in (([1001], [0]), ([30, 40], [1, 2]), ([50, 60], [0, 1]), ([99], [3]), ([259, 1003], [0, 1])):
        for heads in (1, 3, 3, 3):
            yield _rounded(_whole_numbers(generator, olds, news, heads=heads, D=4))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Every pair keeps its length and turns by its angle, in one rotation or in two, as far as float32 can tell."""
    k, old, new = (case.arguments[name] for name in ("k", "old_positions", "new_positions"))
    assert isinstance(k, Tensor)
    assert isinstance(old, Tensor)
    assert isinstance(new, Tensor)
    assert isinstance(expected, Tensor)
    assert isinstance(got, Tensor)
    return check_rotation(k, expected, got, torch.maximum(old, new), OUTPUTS[0])


def _known_cases() -> Iterator[Case]:
    """One head, with cosines and sines as any table has them."""
    moved = [0.9601703, 0.5646425, 0.2794155, 0.8253356]
    old, still = [0, 1, 8, 9, 10, 11], [1.0, 0.0, 0.0, 1.0]
    en, zh = "worked example: four keys move by -6", "手算例子：四个 key 移动 -6"
    yield _known(en, zh, [still] * 6, old, [0, 1, 2, 3, 4, 5], 100, [still] * 2 + [moved] * 4)
    k, out = [[0.5403023, 0.8414710], [-0.9092974, -0.4161468]], [[1.0, 0.0], [0.0, 1.0]]
    yield _known("back to position 0", "移回位置 0", k, [1, 2], [0, 0], 10_000, out)
    k, out = [[1.0, 1.0, 0.0, 0.0]], [[0.8623189, 0.5403023, -0.5063656, 0.8414710]]
    yield _known("two pairs turn by 100 and by 1", "两对分别转 100 和 1 弧度", k, [7], [107], 10_000, out)


def _known(
    en: str, zh: str, k: list[list[float]], old: list[int], new: list[int], base: float, out: list[list[float]]
) -> Case:
    case = _case(en, zh, torch.tensor(k)[None, None], torch.tensor(old), torch.tensor(new), base)
    return Case(case.name, case.arguments, Known(torch.tensor(out)[None, None], "by hand"))


def _random_case(
    generator: torch.Generator,
    en: str,
    zh: str,
    old: Tensor,
    new: Tensor,
    *,
    B: int = 1,
    heads: int = 1,
    D: int = 8,
    base: int = 0,
) -> Case:
    """Normal values, which are as good as rotated ones; the base is a random one unless given."""
    k = normal(generator, B, heads, len(old), D)
    return _case(en, zh, k, old, new, base or integer(generator, 50, 5000))


def _whole_numbers(
    generator: torch.Generator, old: list[int], new: list[int], *, B: int = 1, heads: int = 1, D: int
) -> Case:
    """Values from 1 to 9, and frequencies that one can read: 1, 0.1 with two pairs."""
    k = torch.randint(1, 10, (B, heads, len(old), D), generator=generator).float()
    en, zh = f"{D} dimensions, {old} to {new}", f"{D} 维，从 {old} 到 {new}"
    return _case(en, zh, k, torch.tensor(old), torch.tensor(new), 100)


def _case(en: str, zh: str, k: Tensor, old: Tensor, new: Tensor, base: float) -> Case:
    arguments: dict[str, Value] = {"k": k, "old_positions": old, "new_positions": new, "base": float(base)}
    return Case({"en": en, "zh": zh}, arguments)


def _rounded(case: Case) -> Case:
    k = case.arguments["k"]
    assert isinstance(k, Tensor)
    return Case(case.name, {**case.arguments, "k": k.to(BF16)})
