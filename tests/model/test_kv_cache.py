"""The KV cache: slots with positions, safe and unsafe eviction, bytes really held."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from conftest import make_tiny
from torch import Tensor

from mini_llm import KVCache, Transformer, forward_with_mask


def filled(slots: int, layers: int = 1) -> KVCache:
    cache = KVCache(layers)
    for layer in range(layers):
        cache.update(layer, tokens(slots), -tokens(slots))
    return cache


def tokens(count: int, start: int = 0) -> Tensor:
    """K of ``count`` tokens ``[1, 2, count, 4]`` whose every entry is the token's number."""
    return torch.arange(start, start + count).float()[None, None, :, None].repeat(1, 2, 1, 4)


def slots(cache: KVCache) -> list[float]:
    return cache.k[0][0, 0, :, 0].tolist()


def test_update_appends_and_counts_positions() -> None:
    cache = filled(3)
    k, v = cache.update(0, tokens(2, 3), -tokens(2, 3))
    assert slots(cache) == [0, 1, 2, 3, 4]
    assert torch.equal(k, cache.k[0])
    assert torch.equal(v, -cache.k[0])
    assert cache.positions().tolist() == [[0, 1, 2, 3, 4]]
    cache.update(0, tokens(1), tokens(1), positions=torch.tensor([90]))
    cache.update(0, tokens(1), tokens(1))
    assert cache.positions().tolist() == [[0, 1, 2, 3, 4, 90, 91]]


def test_many_small_updates_equal_one_large() -> None:
    cache = KVCache(1)
    for t in range(700):
        cache.update(0, tokens(1, t), tokens(1, t))
    assert slots(cache) == list(range(700))


def test_keep_evicts_with_positions() -> None:
    cache = filled(6, layers=2)
    cache.keep([0, 4, 5])
    assert slots(cache) == [0, 4, 5]
    assert cache.positions(1).tolist() == [[0, 4, 5]]
    cache.update(0, tokens(1, 6), tokens(1, 6))
    assert cache.positions(0).tolist() == [[0, 4, 5, 6]]
    cache.keep([1], layer=0)
    assert (cache.seq_len(0), cache.seq_len(1)) == (1, 3)


def test_rewind_forgets_the_newest() -> None:
    cache = filled(5)
    cache.rewind(2)
    cache.update(0, tokens(1, 70), tokens(1, 70))
    assert slots(cache) == [0, 1, 70]
    assert cache.positions().tolist() == [[0, 1, 2]]


def test_assigning_another_length_makes_positions_unknown() -> None:
    cache = filled(5)
    cache.k[0], cache.v[0] = cache.k[0][:, :, [0, 4]], cache.v[0][:, :, [0, 4]]
    assert slots(cache) == [0, 4]
    with pytest.raises(ValueError, match=r"layer 0 are unknown.*cache.keep"):
        cache.positions()
    cache.update(0, tokens(1, 5), tokens(1, 5))
    assert slots(cache) == [0, 4, 5]


def test_assigning_the_same_length_keeps_positions() -> None:
    cache = filled(3)
    cache.k[0] = cache.k[0] * 2
    assert slots(cache) == [0, 2, 4]
    assert cache.positions().tolist() == [[0, 1, 2]]


def test_an_assigned_tensor_stays_the_callers() -> None:
    cache, mine = filled(3), tokens(3)
    cache.k[0] = mine
    cache.rewind(1)
    cache.update(0, tokens(2, 50), tokens(2, 50))
    assert torch.equal(mine, tokens(3))


def test_default_positions_after_an_assignment_raise(tiny: Transformer) -> None:
    cache = KVCache(3)
    ids = torch.arange(6)[None]
    tiny(ids, cache)
    for layer in range(3):
        cache.k[layer], cache.v[layer] = cache.k[layer][:, :, 2:], cache.v[layer][:, :, 2:]
    with pytest.raises(ValueError, match="unknown"):
        tiny(ids, cache)
    tiny(ids, cache, positions=torch.arange(6, 12))
    assert cache.seq_len() == 10


def test_peek_adds_nothing() -> None:
    cache = filled(3)
    k, _ = cache.peek(0, tokens(2, 3), tokens(2, 3))
    assert k[0, 0, :, 0].tolist() == [0, 1, 2, 3, 4]
    assert slots(cache) == [0, 1, 2]


def test_nbytes_is_the_memory_of_the_storages() -> None:
    cache = filled(100, layers=2)
    cache.keep(range(10))
    held = sum(tensor.untyped_storage().nbytes() for pair in (cache.k, cache.v) for tensor in pair)
    assert cache.nbytes() == held == 2 * 2 * 10 * 2 * 4 * 4  # K and V, layers, slots, heads, head_dim, bytes


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda cache: cache.keep([0, 7]), r"0\.\.7 are outside the cache's 3 slots"),
        (lambda cache: cache.keep([-1]), r"-1\.\.-1 are outside"),
        (lambda cache: cache.keep(torch.tensor([True, False, True])), r"whole numbers.*torch\.bool.*nonzero"),
        (lambda cache: cache.keep([0.9, 1.7]), r"whole numbers.*torch\.float32"),
        (lambda cache: cache.keep([0, 1, 1]), "1 indices repeat"),
        (lambda cache: cache.keep([[0, 1], [2, 2]]), "1 indices repeat"),
        (lambda cache: cache.keep([[0, 1]]), "1 rows of indices for 2 KV heads"),
        (lambda cache: cache.keep([[0], [1], [2]]), "3 rows of indices for 2 KV heads"),
        (lambda cache: cache.keep([[0, 1], [2, 3]]), r"0\.\.3 are outside the cache's 3 slots"),
        (lambda cache: cache.keep(torch.zeros(1, 2, 1, dtype=torch.int64)), r"\[n_kv, S_kept\], got .*\(1, 2, 1\)"),
        (lambda cache: cache.peek(0, tokens(2), tokens(1)), "disagree"),
        (lambda cache: cache.update(0, tokens(1), tokens(1), torch.tensor([1.0])), r"int64 \[1\].*torch\.float32"),
        (lambda cache: cache.rewind(2.0), r"cannot rewind to 2\.0"),
        (lambda cache: cache.rewind(4), "cannot rewind to 4 slots: the cache holds 3"),
        (lambda cache: cache.update(0, tokens(2), tokens(3)), "disagree"),
        (
            lambda cache: cache.update(0, tokens(2), tokens(2), torch.arange(3)),
            r"positions of 2 new tokens must be int64 \[2\] or \[1, 2\], got torch.int64 of shape \(3,\)",
        ),
        (lambda cache: cache.update(0, tokens(2).double(), tokens(2).double()), "does not fit the cache"),
        (lambda cache: cache.update(0, tokens(2).repeat(2, 1, 1, 1), tokens(2).repeat(2, 1, 1, 1)), "does not fit"),
        (lambda cache: cache.k.__setitem__(0, torch.zeros(3, 4)), r"expected \[B, n_kv, S, D\], got shape \(3, 4\)"),
        (lambda cache: (cache.k.__setitem__(0, tokens(2)), cache.seq_len()), "k holds 2 slots and v 3"),
        (lambda cache: KVCache(0), "at least 1, got 0"),
        (lambda cache: KVCache(1).k[0], "empty"),
    ],
)
def test_errors_name_the_value(act, words) -> None:  # type: ignore[no-untyped-def]
    cache = filled(3)
    with pytest.raises((ValueError, IndexError), match=words):
        act(cache)
    assert cache.v[0].shape[2] == 3


def test_default_positions_follow_the_newest_ever_added() -> None:
    """Also when it was evicted, or is not in the last slot."""
    cache = filled(6)
    cache.keep([5, 0, 1])
    cache.update(0, tokens(1, 6), tokens(1, 6))
    assert cache.positions().tolist() == [[5, 0, 1, 6]]
    cache.keep([0, 1])
    cache.update(0, tokens(1, 7), tokens(1, 7))
    assert cache.positions().tolist() == [[5, 0, 7]]


def test_keep_over_layers_of_unequal_length_changes_all_or_none() -> None:
    cache = filled(6, layers=2)
    cache.keep([0, 1], layer=1)
    with pytest.raises(IndexError, match="the cache's 2 slots"):
        cache.keep([0, 4])
    assert (cache.seq_len(0), cache.seq_len(1)) == (6, 2)


def test_an_emptied_cache_takes_another_batch_and_dtype() -> None:
    cache = filled(3)
    cache.rewind(0)
    cache.update(0, tokens(2).repeat(2, 1, 1, 1).double(), tokens(2).repeat(2, 1, 1, 1).double())
    assert cache.k[0].shape == (2, 2, 2, 4)
    assert cache.positions().tolist() == [[0, 1], [0, 1]]


def test_assigning_another_batch_makes_positions_unknown_until_emptied() -> None:
    cache = filled(3)
    cache.k[0], cache.v[0] = cache.k[0].repeat(2, 1, 1, 1), cache.v[0].repeat(2, 1, 1, 1)
    with pytest.raises(ValueError, match="unknown"):
        cache.next_position()
    cache.rewind(0)
    assert cache.next_position() == 0


def test_a_cache_filled_in_inference_mode_goes_on_outside_it() -> None:
    with torch.inference_mode():
        cache = filled(3)
    cache.update(0, tokens(1, 3), tokens(1, 3))
    assert slots(cache) == [0, 1, 2, 3]


def by_head(cache: KVCache) -> list[list[float]]:
    return cache.k[0][0, :, :, 0].tolist()


def test_keep_by_head_then_append_evict_and_rewind() -> None:
    cache = filled(6)
    cache.keep([[0, 4, 5], [3, 1, 2]])
    assert by_head(cache) == cache.positions()[0].tolist() == [[0, 4, 5], [3, 1, 2]]
    assert torch.equal(cache.v[0], -cache.k[0])
    assert (cache.seq_len(), cache.next_position().tolist()) == (3, [[6]])

    cache.update(0, tokens(2, 6), -tokens(2, 6))
    assert by_head(cache) == cache.positions()[0].tolist() == [[0, 4, 5, 6, 7], [3, 1, 2, 6, 7]]
    cache.keep([0, 2, 4])
    assert by_head(cache) == cache.positions()[0].tolist() == [[0, 5, 7], [3, 2, 7]]
    cache.keep(torch.tensor([[2, 1], [0, 1]]))
    assert by_head(cache) == cache.positions()[0].tolist() == [[7, 5], [3, 2]]
    assert torch.equal(cache.v[0], -cache.k[0])

    cache.rewind(1)
    assert by_head(cache) == cache.positions()[0].tolist() == [[7], [3]]
    assert cache.next_position().tolist() == [[8]]
    cache.rewind(0)
    cache.update(0, tokens(2), tokens(2))
    assert cache.positions().tolist() == [[0, 1]]


def test_keep_by_head_in_one_layer_of_a_batch() -> None:
    cache, pair = KVCache(2), tokens(4).repeat(2, 1, 1, 1)
    for layer in (0, 1):
        cache.update(layer, pair, pair, torch.tensor([[0, 1, 2, 3], [10, 11, 12, 13]]))
    cache.keep([[0, 3], [1, 2]], layer=1)
    assert cache.positions(0).tolist() == [[0, 1, 2, 3], [10, 11, 12, 13]]
    assert cache.positions(1).tolist() == [[[0, 3], [1, 2]], [[10, 13], [11, 12]]]


@torch.no_grad()
@pytest.mark.parametrize("name", ["llama, group 3", "mistral, group 2, window 5"])
def test_evicted_by_head_is_masked_by_head(name: str, tmp_path: Path) -> None:
    """Query heads of a group share their KV head's slots; a window counts from the position of each head's own."""
    model = make_tiny(name, tmp_path)[1]
    ids = torch.randint(97, (12,), generator=torch.Generator().manual_seed(2))
    dense, evicted = KVCache(3), KVCache(3)
    for cache in (dense, evicted):
        model(ids[None, :8], cache)
    kept = torch.tensor([[0, 7, 3, 5], [4, 1, 6, 7]])
    evicted.keep(kept)
    slots = torch.zeros(2, 8, dtype=torch.bool).scatter(1, kept, True)
    causal = torch.ones(4, 12, dtype=torch.bool).tril(8)
    mask = causal.repeat(2, 1, 1)
    mask[:, :, :8] &= slots[:, None]
    per_query_head = mask.repeat_interleave(model.cfg.num_attention_heads // 2, dim=0)
    expected, _ = forward_with_mask(model, ids[8:], torch.arange(8, 12), dense, per_query_head)
    found, _ = forward_with_mask(
        model, ids[8:], torch.arange(8, 12), evicted, torch.ones(4, 4, dtype=torch.bool).tril()
    )
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
    pieces = [model(piece, evicted)[0] for piece in ids[None, 8:].split([1, 3], dim=1)]
    torch.testing.assert_close(torch.cat(pieces), expected, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(model(ids[None, 8:], dense)[0], expected, atol=1e-2)
