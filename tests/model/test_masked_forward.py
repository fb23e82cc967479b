"""forward_with_mask: what an experiment may rely on, and the errors it gets when it asks for what cannot be."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from mini_llm import KVCache, Transformer, apply_rope, forward_with_mask

T = 12
IDS = torch.randint(97, (T,), generator=torch.Generator().manual_seed(3))
CAUSAL = torch.ones(T, T, dtype=torch.bool).tril()


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


def append(cache: KVCache, new_kv: list[tuple[Tensor, Tensor]], positions: Tensor | None = None) -> None:
    for layer, (k, v) in enumerate(new_kv):
        cache.update(layer, k, v, positions)


def prefilled(model: Transformer, tokens: int) -> KVCache:
    cache = KVCache(model.cfg.num_hidden_layers)
    model(IDS[None, :tokens], cache)
    return cache


def test_causal_mask_on_an_empty_cache_is_the_plain_forward(tiny: Transformer) -> None:
    logits, new_kv = forward_with_mask(tiny, IDS, torch.arange(T), KVCache(3), CAUSAL)
    close(logits, tiny(IDS[None])[0])
    assert [tuple(k.shape) for k, _ in new_kv] == [(1, 2, T, 16)] * 3


def test_the_cache_is_not_changed_and_new_kv_owns_its_memory(tiny: Transformer) -> None:
    cache = prefilled(tiny, 5)
    before = [(k.clone(), v.clone()) for k, v in zip(cache.k, cache.v, strict=True)]
    _, first = forward_with_mask(tiny, IDS[5:8], torch.arange(5, 8), cache, CAUSAL[:3, :3])
    held = [(k.clone(), v.clone()) for k, v in first]
    forward_with_mask(tiny, IDS[8:], torch.arange(8, T), cache, CAUSAL[:4, :4])
    assert cache.seq_len() == 5
    assert cache.positions().tolist() == [[0, 1, 2, 3, 4]]
    for layer in range(3):
        assert torch.equal(cache.k[layer], before[layer][0])
        assert torch.equal(cache.v[layer], before[layer][1])
        assert torch.equal(first[layer][0], held[layer][0])
        assert torch.equal(first[layer][1], held[layer][1])


def test_new_tokens_see_the_whole_cache(tiny: Transformer) -> None:
    logits, new_kv = forward_with_mask(tiny, IDS[5:], torch.arange(5, T), prefilled(tiny, 5), CAUSAL[:7, :7])
    close(logits, tiny(IDS[None])[0, 5:])
    assert new_kv[0][0].shape[2] == 7


def test_mask_over_everything_hides_cached_slots(tiny: Transformer) -> None:
    """Hiding a slot equals evicting it: the identity that eviction experiments rest on (masked == evicted)."""
    kept = [0, 3, 4]
    mask = torch.cat((torch.zeros(7, 5, dtype=torch.bool), CAUSAL[:7, :7]), dim=1)
    mask[:, kept] = True
    masked, _ = forward_with_mask(tiny, IDS[5:], torch.arange(5, T), prefilled(tiny, 5), mask)
    cache = prefilled(tiny, 5)
    cache.keep(kept)
    evicted, _ = forward_with_mask(tiny, IDS[5:], torch.arange(5, T), cache, CAUSAL[:7, :7])
    close(masked, evicted)
    assert not torch.allclose(masked, tiny(IDS[None])[0, 5:], atol=1e-2)


def test_per_head_per_layer_and_chosen_masks_agree(tiny: Transformer) -> None:
    heads = torch.stack(
        [CAUSAL & (torch.rand(T, T, generator=torch.Generator().manual_seed(h)) < 0.5) for h in range(6)]
    )
    heads |= torch.eye(T, dtype=torch.bool)
    arguments = (tiny, IDS, torch.arange(T), KVCache(3))
    per_head, _ = forward_with_mask(*arguments, heads)
    seen: list[tuple[int, ...]] = []

    def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
        seen.append((layer, *q.shape, *k.shape))
        return heads

    close(forward_with_mask(*arguments, [heads] * 3)[0], per_head)
    close(forward_with_mask(*arguments, select)[0], per_head)
    assert seen == [(layer, 1, 6, T, 16, 1, 2, T, 16) for layer in range(3)]
    one_layer = [heads, CAUSAL, CAUSAL]
    assert not torch.allclose(forward_with_mask(*arguments, one_layer)[0], per_head, atol=1e-2)


def test_per_head_mask_reaches_its_own_head(tiny: Transformer) -> None:
    """Blinding head h in layer 0 to token 0 equals a by-hand softmax for that head alone."""
    captured: dict[str, Tensor] = {}
    attention = tiny.layers[0].self_attn
    hook = attention.o_proj.register_forward_pre_hook(lambda _, args: captured.update(out=args[0]))
    masks = CAUSAL.repeat(6, 1, 1)
    masks[4, 1:, 0] = False
    forward_with_mask(tiny, IDS, torch.arange(T), KVCache(3), [masks, CAUSAL, CAUSAL])
    changed = captured["out"].view(T, 6, 16)
    forward_with_mask(tiny, IDS, torch.arange(T), KVCache(3), CAUSAL)
    hook.remove()
    difference = (changed - captured["out"].view(T, 6, 16)).abs().amax(dim=(0, 2))
    assert (difference > 1e-3).tolist() == [False, False, False, False, True, False]


def test_future_tokens_never_move_past_logits(tiny: Transformer) -> None:
    changed = IDS.clone()
    changed[8:] = (changed[8:] + 1) % 97
    before = forward_with_mask(tiny, IDS, torch.arange(T), KVCache(3), CAUSAL)[0]
    after = forward_with_mask(tiny, changed, torch.arange(T), KVCache(3), CAUSAL)[0]
    close(after[:8], before[:8])
    assert not torch.allclose(after[8:], before[8:], atol=1e-2)


def test_streaming_token_by_token_is_one_masked_pass(tiny: Transformer) -> None:
    """Evicting to sinks + window after every token equals one pass in which query t sees k < s or k >= t - (B - s)."""
    budget, sinks = 5, 2
    cache, stepped = KVCache(3), []
    for t in range(T):
        logits, new_kv = forward_with_mask(tiny, IDS[t : t + 1], torch.tensor([t]), cache, CAUSAL[:1, :1])
        append(cache, new_kv, torch.tensor([t]))
        stepped.append(logits)
        if cache.seq_len() > budget:
            cache.keep([*range(sinks), *range(cache.seq_len() - budget + sinks, cache.seq_len())])
    assert cache.positions().tolist() == [[0, 1, 9, 10, 11]]
    query, key = torch.arange(T)[:, None], torch.arange(T)
    once = forward_with_mask(
        tiny, IDS, torch.arange(T), KVCache(3), CAUSAL & ((key < sinks) | (key >= query - (budget - sinks)))
    )[0]
    close(torch.cat(stepped), once)


def test_experiment_contract(tiny: Transformer) -> None:
    """The calls a long-context experiment makes: chunks, list indexing into k and v, a pre-hook on self_attn."""
    cache, nll, num_layers = KVCache(tiny.cfg.num_hidden_layers), 0.0, tiny.cfg.num_hidden_layers
    for start in range(0, T, 4):
        logits, new_kv = forward_with_mask(
            tiny, IDS[start : start + 4], torch.arange(start, start + 4), cache, CAUSAL[:4, :4]
        )
        nll += torch.nn.functional.cross_entropy(logits, IDS[start : start + 4], reduction="sum").item()
        append(cache, new_kv)
        size = cache.k[0].shape[2]
        if size > 6:
            kept = [0, *range(size - 5, size)]
            for layer in range(num_layers):
                cache.k[layer], cache.v[layer] = cache.k[layer][:, :, kept], cache.v[layer][:, :, kept]
    assert math.isfinite(nll)
    assert cache.k[2].shape == (1, 2, 6, 16)

    caught: dict[str, Tensor] = {}
    attention = tiny.layers[1].self_attn
    hook = attention.register_forward_pre_hook(
        lambda _, args: caught.update(zip(("x", "cos", "sin"), args, strict=True))
    )
    full = KVCache(num_layers)
    tiny(IDS[None], full)
    hook.remove()
    q = attention.q_norm(attention.q_proj(caught["x"]).view(1, -1, attention.nh, attention.hd).transpose(1, 2))
    k = attention.k_norm(attention.k_proj(caught["x"]).view(1, -1, attention.nkv, attention.hd).transpose(1, 2))
    assert apply_rope(q, caught["cos"], caught["sin"]).shape == (1, 6, T, 16)
    close(apply_rope(k, caught["cos"], caught["sin"]), full.k[1])


def test_logits_for_chosen_tokens(tiny: Transformer) -> None:
    everything = tiny(IDS[None])
    close(tiny(IDS[None], logits_for=[-1, 2]), everything[:, [-1, 2]])
    close(forward_with_mask(tiny, IDS, torch.arange(T), KVCache(3), CAUSAL, slice(3, 5))[0], everything[0, 3:5])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mask": CAUSAL[:, :5]}, r"ends in \(12, 12\), got \(12, 5\)"),
        ({"mask": CAUSAL.float()}, r"a mask is a bool tensor .* got torch.float32"),
        ({"mask": CAUSAL & ~torch.eye(T, dtype=torch.bool)}, r"query \[0\] of the mask may attend to nothing"),
        ({"mask": [CAUSAL]}, "1 masks for 3 layers"),
        ({"mask": CAUSAL.repeat(4, 1, 1)}, r"shape \(4, 12, 12\) fits neither the 6 query heads nor the batch of 1"),
        ({"mask": CAUSAL.repeat(2, 1, 1, 1)}, r"shape \(2, 1, 12, 12\) fits neither"),
        ({"mask": lambda layer, q, k: None}, "a mask is a bool tensor .* got NoneType"),
        ({"mask": [None] * 3}, "a mask is a bool tensor .* got NoneType"),
        ({"positions": torch.arange(T).float()}, r"int64 \[12\]"),
        ({"ids": IDS - 97}, "token id -.* is outside"),
        ({"mask": lambda layer, q, k: CAUSAL[:3]}, r"got \(3, 12\)"),
        ({"ids": IDS[None]}, r"must both be \[T\], got \(1, 12\)"),
        ({"positions": torch.arange(5)}, r"\(12,\) and \(5,\)"),
        ({"ids": IDS + 97}, "outside the vocabulary of 97"),
        ({"ids": IDS.float()}, "must be int64"),
        ({"cache": KVCache(2)}, "the cache has 2 layers, the model 3"),
    ],
)
def test_errors_name_what_does_not_fit(tiny: Transformer, change: dict[str, object], words: str) -> None:
    arguments = {"ids": IDS, "positions": torch.arange(T), "cache": KVCache(3), "mask": CAUSAL} | change
    with pytest.raises(ValueError, match=words):
        forward_with_mask(tiny, **arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"mask": torch.ones(4, 1, 6, dtype=torch.bool)},
        {"positions": torch.tensor([1, 2])},
        {"logits_for": [3]},
    ],
)
def test_a_pass_that_fails_leaves_the_cache_as_it_was(tiny: Transformer, arguments: dict[str, object]) -> None:
    cache = prefilled(tiny, 5)
    with pytest.raises((ValueError, IndexError)):
        tiny(IDS[None, 5:6], cache, **arguments)
    assert [cache.seq_len(layer) for layer in range(3)] == [5, 5, 5]
    close(tiny(IDS[None, 5:], cache)[0], tiny(IDS[None])[0, 5:])


def test_an_interrupt_inside_a_layer_leaves_the_cache_as_it_was(tiny: Transformer) -> None:
    cache = prefilled(tiny, 5)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    hook = tiny.layers[1].register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        tiny(IDS[None, 5:], cache)
    hook.remove()
    close(tiny(IDS[None, 5:], cache)[0], tiny(IDS[None])[0, 5:])


@pytest.mark.parametrize("kept", [[], [0, 3, 4]])
def test_layers_of_unequal_length(tiny: Transformer, kept: list[int]) -> None:
    """One layer evicted more than the others: the plain forward still sees each layer's whole cache, causally."""
    cache = prefilled(tiny, 5)
    cache.keep(kept, layer=0)
    expected, _ = forward_with_mask(tiny, IDS[5:8], torch.arange(5, 8), cache, CAUSAL[:3, :3])
    close(tiny(IDS[None, 5:8], cache)[0], expected)
    assert [cache.seq_len(layer) for layer in range(3)] == [len(kept) + 3, 8, 8]


def test_masks_made_on_the_fly_reach_their_own_layer(tiny: Transformer) -> None:
    masks = [torch.eye(3, dtype=torch.bool), CAUSAL[:3, :3], torch.ones(3, 3, dtype=torch.bool)]
    arguments = (tiny, IDS[5:8], torch.arange(5, 8), prefilled(tiny, 5))
    on_the_fly, _ = forward_with_mask(*arguments, (mask.clone() for mask in masks))
    close(on_the_fly, forward_with_mask(*arguments, masks)[0])
