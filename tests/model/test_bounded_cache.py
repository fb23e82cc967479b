"""The bounded cache: sinks and a ring, the same from single tokens and chunks, and never a survivor moved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from conftest import TINY
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mini_llm import BoundedKVCache, KVCache, Transformer, forward_with_mask

T = 24
IDS = torch.randint(97, (2, T), generator=torch.Generator().manual_seed(6))
KEPT = [0, 1, 8, 9, 10, 11]  # what a budget of 6 with 2 sinks holds of twelve tokens


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


def tokens(count: int, start: int = 0) -> Tensor:
    """K of ``count`` tokens ``[1, 2, count, 4]`` whose every entry is the token's number."""
    return torch.arange(start, start + count).float()[None, None, :, None].repeat(1, 2, 1, 4)


def arrived(cache: KVCache, layer: int = 0) -> list[float]:
    return cache.k[layer][0, 0, :, 0].tolist()


def sees(length: int, budget: int, sinks: int) -> Tensor:
    """Query t sees itself, the sinks and the ``budget - sinks`` tokens before it."""
    query, key = torch.arange(length)[:, None], torch.arange(length)
    return (key <= query) & ((key < sinks) | (key >= query - (budget - sinks)))


@torch.no_grad()
def feed(model: Transformer, ids: Tensor, cuts: list[int], cache: KVCache) -> Tensor:
    return torch.cat([model(piece, cache) for piece in ids.tensor_split(cuts, dim=1)], dim=1)


def full(model: Transformer, ids: Tensor, **options: bool) -> BoundedKVCache:
    """Twelve tokens fed to a budget of 6 with 2 sinks."""
    cache = BoundedKVCache(3, 6, 2, **options)
    feed(model, ids[:, :12], [5, 9], cache)
    return cache


def same_as_dense(model: Transformer, ids: Tensor) -> KVCache:
    """The dense cache that holds what ``full`` does, with the same history."""
    cache = KVCache(3)
    with torch.no_grad():
        model(ids[:, :12], cache, mask=sees(12, 6, 2))
    cache.keep(KEPT)
    return cache


@pytest.mark.parametrize("sizes", [[1] * 12, [12], [5, 7], [6, 6], [2, 9, 1], [7, 1, 1, 3]], ids=str)
def test_known_vector(sizes: list[int]) -> None:
    cache, start = BoundedKVCache(2, 6, 2), 0
    for size in sizes:
        for layer in (0, 1):
            cache.update(layer, tokens(size, start), -tokens(size, start))
        start += size
    for layer in (0, 1):
        assert cache.positions(layer).tolist() == [KEPT]
        assert arrived(cache, layer) == KEPT
        assert torch.equal(cache.v[layer], -cache.k[layer])
    assert (cache.seq_len(), cache.next_position()) == (6, 12)


def test_k_and_v_are_copies() -> None:
    cache = BoundedKVCache(1, 6, 2)
    for count in (3, 9):
        cache.update(0, tokens(count), tokens(count))
        before = cache.k[0].clone()
        cache.k[0].zero_()
        assert torch.equal(cache.k[0], before)


@pytest.mark.parametrize("name", TINY)
@settings(max_examples=8, deadline=None, derandomize=True, database=None)
@given(
    cuts=st.sets(st.integers(1, T - 1), max_size=T - 1).map(sorted),
    shape=st.sampled_from([(6, 2), (1, 0), (5, 0), (5, 4), (9, 3), (T - 1, 1), (T, 4), (40, 4)]),
)
def test_chunks_of_any_sizes_are_one_masked_pass(
    tinies: dict[str, Transformer], name: str, cuts: list[int], shape: tuple[int, int]
) -> None:
    bounded, dense = BoundedKVCache(3, *shape), KVCache(3)
    found = feed(tinies[name], IDS, cuts, bounded)
    with torch.no_grad():
        expected = tinies[name](IDS, dense, mask=sees(T, *shape))
    torch.testing.assert_close(found, expected, atol=5e-4, rtol=1e-4)
    budget, sinks = shape
    kept = [t for t in range(T) if t < sinks or t >= T - (budget - sinks)]
    assert bounded.positions().tolist() == [kept] * 2
    for layer in range(3):
        close(bounded.k[layer], dense.k[layer][:, :, kept])
        close(bounded.v[layer], dense.v[layer][:, :, kept])


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("shape", [(6, 2), (4, 0)], ids=str)
def test_single_tokens_are_one_masked_pass(tinies: dict[str, Transformer], name: str, shape: tuple[int, int]) -> None:
    found = feed(tinies[name], IDS, list(range(1, T)), BoundedKVCache(3, *shape))
    with torch.no_grad():
        close(found, tinies[name](IDS, mask=sees(T, *shape)))


@pytest.mark.parametrize("budget", [T, T + 9])
def test_a_budget_for_the_whole_text_is_the_dense_cache(tiny: Transformer, budget: int) -> None:
    bounded, dense = BoundedKVCache(3, budget), KVCache(3)
    close(feed(tiny, IDS, [7, 8], bounded), feed(tiny, IDS, [7, 8], dense))
    assert torch.equal(bounded.positions(), dense.positions())
    close(bounded.k[2], dense.k[2])


@pytest.mark.parametrize("first", [12, 13, 15])
def test_a_step_writes_one_slot_and_copies_no_survivor(tiny: Transformer, first: int) -> None:
    cache = BoundedKVCache(3, 6, 2)
    feed(tiny, IDS[:, :first], [], cache)
    stores = [store for entry in cache._layers for store in entry.store if store is not None]
    addresses, before = [store.data_ptr() for store in stores], [store[:, :, :6].clone() for store in stores]
    feed(tiny, IDS[:, first : first + 1], [], cache)
    after = [store for entry in cache._layers for store in entry.store if store is not None]
    assert [store.data_ptr() for store in after] == addresses
    for old, new in zip(before, after, strict=True):
        changed = (new[:, :, :6] != old).flatten(3).any(dim=3).any(dim=1).any(dim=0)
        assert changed.nonzero().flatten().tolist() == [2 + (first - 2) % 4]


def test_nbytes_stays_and_is_the_memory_of_the_storages(tiny: Transformer) -> None:
    cache = BoundedKVCache(3, 6, 2)
    sizes = []
    for ids in IDS.repeat(1, 30).split([8, *[1] * 400, *[8] * 39], dim=1):  # more than the spare slots of a storage
        feed(tiny, ids, [], cache)
        sizes.append(cache.nbytes())
    assert len(set(sizes)) == 1
    held = [store.untyped_storage().nbytes() for entry in cache._layers for store in entry.store if store is not None]
    assert sizes[-1] == sum(held)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda cache: cache.rewind(3), "cannot rewind: 9 tokens came, and a ring of 6 overwrote some"),
        (lambda cache: cache.keep([0, 1]), "cannot keep slots: 9 tokens came, and a ring of 6 overwrote some"),
        (lambda cache: cache.k.__setitem__(0, tokens(6)), "cannot be assigned"),
        (lambda cache: cache.v.__setitem__(0, tokens(6)), "cannot be assigned"),
        (lambda cache: BoundedKVCache(1, 4, 4), "budget=4 must be more than sinks=4"),
        (lambda cache: BoundedKVCache(1, 4, -1), "sinks=-1"),
        (lambda cache: BoundedKVCache(1, 3), "budget=3 must be more than sinks=4"),
        (lambda cache: BoundedKVCache(0, 6), "at least 1, got 0"),
    ],
)
def test_errors_name_the_numbers(act: Callable[[KVCache], object], words: str) -> None:
    cache = BoundedKVCache(1, 6, 2)
    cache.update(0, tokens(9), tokens(9))
    with pytest.raises(ValueError, match=words):
        act(cache)
    assert arrived(cache) == [0, 1, 5, 6, 7, 8]


def test_rewind_to_what_is_held_does_nothing(tiny: Transformer) -> None:
    cache, untouched = full(tiny, IDS), full(tiny, IDS)
    cache.rewind(6)
    close(feed(tiny, IDS[:, 12:], [3], cache), feed(tiny, IDS[:, 12:], [3], untouched))


@pytest.mark.parametrize("wrong", [1, 2])
def test_rewind_before_anything_was_overwritten(tiny: Transformer, wrong: int) -> None:
    cache = BoundedKVCache(3, 6, 2)
    feed(tiny, IDS[:, :4], [], cache)
    feed(tiny, (IDS[:, 4 : 4 + wrong] + 1) % 97, [], cache)
    cache.rewind(4)
    close(feed(tiny, IDS[:, 4:], [5, 9], cache), tiny(IDS, mask=sees(T, 6, 2))[:, 4:])


def test_keep_before_anything_was_overwritten() -> None:
    """What is kept first counts as the sinks."""
    cache = BoundedKVCache(1, 6, 2)
    cache.update(0, tokens(6), tokens(6))
    cache.keep([2, 4, 5])
    cache.update(0, tokens(6, 6), tokens(6, 6))
    assert arrived(cache) == [2, 4, 8, 9, 10, 11]
    assert cache.positions().tolist() == [[2, 4, 8, 9, 10, 11]]


@pytest.mark.parametrize("in_cache_positions", [False, True])
def test_a_pass_that_raises_leaves_the_cache_as_it_was(tiny: Transformer, in_cache_positions: bool) -> None:
    cache = full(tiny, IDS, in_cache_positions=in_cache_positions)
    untouched = full(tiny, IDS, in_cache_positions=in_cache_positions)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    hook = tiny.layers[1].register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        tiny((IDS[:, 12:20] + 1) % 97, cache)
    hook.remove()
    with pytest.raises(ValueError, match="ends in"):
        tiny(IDS[:, 12:14], cache, mask=torch.ones(2, 7, dtype=torch.bool))
    for layer in range(3):
        assert torch.equal(cache.k[layer], untouched.k[layer])
        assert torch.equal(cache.v[layer], untouched.v[layer])
    assert cache.positions().tolist() == [KEPT] * 2
    close(feed(tiny, IDS[:, 12:], [2], cache), feed(tiny, IDS[:, 12:], [2], untouched))


@torch.no_grad()
@pytest.mark.parametrize("name", ["llama, group 3", "mistral, group 7, window 9, tied"])
def test_a_mask_is_in_order_of_arrival(tinies: dict[str, Transformer], name: str) -> None:
    model = tinies[name]
    mask = torch.ones(3, 9, dtype=torch.bool).tril(6)
    mask[:, [1, 3]] = False
    ids, positions = IDS[:, 12:15], torch.arange(12, 15)
    expected = model(ids, same_as_dense(model, IDS), mask=mask)
    close(model(ids, full(model, IDS), mask=mask), expected)

    cache = full(model, IDS[:1])
    given_whole, _ = forward_with_mask(model, ids[0], positions, cache, mask)
    close(given_whole, expected[0])

    def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
        assert torch.equal(k[:, :, :6], cache.k[layer])
        return mask

    chosen, new_kv = forward_with_mask(model, ids[0], positions, cache, select)
    close(chosen, expected[0])
    for layer, (k, v) in enumerate(new_kv):
        cache.update(layer, k, v, positions)
    assert cache.positions().tolist() == [[0, 1, 11, 12, 13, 14]]
