"""Cases and comparison of max_concurrency: most budgets are built from the answer that they must give."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import torch

from practice.grader.isolate.values import Value
from practice.grader.report import Finding, Verdict
from practice.grader.verify.exercise import Case, Known, integer

OUTPUTS = ("requests",)
GIB = 2**30
QWEN = "by hand: Qwen2.5-7B has 2 x 28 layers x 4 KV heads x 128 channels x 2 bytes = 57,344 bytes a token"
BUILT = "by hand: so many requests, and less than one more"


def make_cases(generator: torch.Generator) -> list[Case]:
    """Fresh cases: known capacities, budgets that just do or just do not fit, and every edge of the signature."""

    def some(low: int, high: int) -> int:
        return integer(generator, low, high)

    def kv() -> int:
        return 2 * some(500, 5000) + 1

    def case(en: str, zh: str, requests: int, blocks: int, last: int, block: int, spare: int) -> Case:
        return _case(en, zh, _built(requests, blocks, last, block, kv(), spare), requests, BUILT)

    def by_default(en: str, zh: str, last: int, spare: int) -> Case:
        return _case(en, zh, _built(many, few, last, 16, kv(), spare)[:3], many, BUILT)

    few, many, blocks = some(3, 9), some(2000, 4000), some(4, 9)
    even, block = 2 ** some(5, 7), 2 * some(9, 15)
    part, huge = some(2, block - 2), 2 * some(2**52, 2**53) + 1  # floats have no odd numbers there
    return [
        _case("worked example", "手算例子", (2150, 10, 17, 8), 8, "by hand"),
        _case("Qwen2.5-7B, 16 GiB, 4K", "Qwen2.5-7B，16 GiB，4K", (16 * GIB, 57_344, 4096, 16), 73, QWEN),
        _case("Qwen2.5-7B, 16 GiB, 128K", "Qwen2.5-7B，16 GiB，128K", (16 * GIB, 57_344, 131_072), 2, QWEN),
        _case("the same in fp8, 32K", "同上，fp8，32K", (16 * GIB, 28_672, 32_768, 16), 18, QWEN),
        case("an ordinary load", "普通负载", few, blocks, part, even, 40),
        case("fits exactly", "恰好放下", few, blocks, part, block, 0),
        case("one byte short", "只差一个字节", few, blocks, part, block, 100),
        case("whole blocks", "正好是整块", few, blocks, block, block, 30),
        case("one token into a block", "多出一个 token", few, blocks, 1, block, 30),
        case("one token below whole blocks", "离整块差一个 token", few, blocks, block - 1, block, 70),
        case("many short requests", "大量短请求", many, 3, 1, even, 45),
        case("one block each", "每个请求一块", many, 1, part, block, 45),
        case("one token each", "每个请求一个 token", many, 1, 1, block, 0),
        case("blocks of one token", "每块一个 token", few, 30 * few, 1, 1, 60),
        case("large blocks", "大块", few, 2, 3, 256, 60),
        case("an odd block", "块大小为奇数", few, blocks, 1, 2 * few + 1, 20),
        case("room for one", "只放得下一个", 1, blocks, part, even, 80),
        case("not even one", "一个也放不下", 0, blocks, part, block, 100),
        case("room for the tokens, not for their block", "放得下 token，放不下它的块", 0, 1, 1, block, 60),
        case("no budget", "预算为 0", 0, blocks, part, block, 0),
        by_default("default block, exactly", "默认块，恰好放下", 16, 0),
        by_default("default block, one byte short", "默认块，只差一个字节", 1, 100),
        _past_floats(case("beyond 2^53, exactly", "超过 2^53，恰好放下", huge, 1, part, block, 0)),
        _past_floats(case("beyond 2^53, one byte short", "超过 2^53，差一字节", huge, 1, part, block, 100)),
        _past_floats(case("a request beyond 2^53, exactly", "一个请求超过 2^53，恰好放下", 1, huge, part, block, 0)),
        _past_floats(
            case("a request beyond 2^53, one byte short", "一个请求超过 2^53，差一字节", 1, huge, part, block, 100)
        ),
    ]


def small_cases(_: torch.Generator) -> Iterator[Case]:
    """Budgets of a few blocks, exact and one byte short; then the default block, no room, and numbers past floats."""
    for (block, kv), blocks, spare in product(((4, 1), (3, 1), (4, 10), (5, 3)), (2, 1), (0, 100)):
        for last in (1, block):
            yield _small(_built(3, blocks, last, block, kv, spare), 3)
    for last, spare in product((1, 16), (0, 100)):
        yield _small(_built(2, 2, last, 16, 10, spare)[:3], 2)
    for requests, blocks, spare in product((0, 1), (1, 2), (0, 60, 100)):
        yield _small(_built(requests, blocks, 1, 4, 10, spare), requests)
    yield _small(_built(100, 1, 4, 4, 10, 50), 100)
    for spare in (0, 100):
        yield _past_floats(_small(_built(2**55 + 1, 1, 4, 4, 1, spare), 2**55 + 1))


def check(case: Case, expected: Value, got: Value) -> Finding | None:
    """Exactly as many as fit: their blocks are within the budget's, and those of one more are not."""
    assert isinstance(expected, int)
    assert isinstance(got, int)
    if got == expected:
        return None
    budget, kv, seq_len, block = (*_integers(case), 16)[:4]
    held, each = budget // (block * kv), -(-seq_len // block)
    if got > expected:
        en = f"the budget holds {held:,} blocks; {got:,} requests of {seq_len:,} tokens take {got * each:,}"
        zh = f"预算放得下 {held:,} 块，而 {got:,} 个 {seq_len:,} token 的请求要占 {got * each:,} 块"
    else:
        en = f"the budget holds {held:,} blocks, enough for {expected:,} requests, not just {got:,}"
        zh = f"预算放得下 {held:,} 块，够 {expected:,} 个请求用，不止 {got:,} 个"
    return Finding(Verdict.WRONG, "exercise", {"en": en, "zh": zh}, f"requests = {expected}", f"requests = {got}")


def _case(en: str, zh: str, numbers: tuple[int, ...], requests: int, source: str) -> Case:
    names = ("budget_bytes", "kv_bytes_per_token", "seq_len", "block_size")
    return Case({"en": en, "zh": zh}, dict(zip(names, numbers, strict=False)), Known(requests, source))


def _past_floats(case: Case) -> Case:
    """One answer is right, but a wrong one says little: floats round it, each way to write a mistake another way."""
    return replace(case, is_ambiguous=True)


def _built(requests: int, blocks: int, last: int, block: int, kv: int, spare: int) -> tuple[int, int, int, int]:
    """Arguments whose answer is `requests`: each has `blocks` blocks, `last` tokens in the last one.

    `spare` is what else the budget has, in percent of a request; 100 is one byte short of another request.
    """
    each = blocks * block * kv
    budget = requests * each + min(each * spare // 100, each - 1)
    return budget, kv, (blocks - 1) * block + last, block


def _small(numbers: tuple[int, ...], requests: int) -> Case:
    budget, kv, seq_len, block = (*numbers, 16)[:4]
    en = f"{budget:,} bytes, {kv} a token, {seq_len} tokens, blocks of {block}"
    zh = f"{budget:,} 字节，每 token {kv} 字节，{seq_len} 个 token，每块 {block} 个"
    return _case(en, zh, numbers, requests, BUILT)


def _integers(case: Case) -> list[int]:
    return [value for value in case.arguments.values() if isinstance(value, int)]
