"""What holds of every tiny model: no look ahead, chunks are the whole, evicted is masked, angles in fp32."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from conftest import TINY, make_tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mini_llm import KVCache, Transformer
from mini_llm.rope import rope_frequencies

T = 24
IDS = torch.randint(97, (2, T), generator=torch.Generator().manual_seed(5))
CUTS = st.sets(st.integers(1, T - 1), max_size=T - 1).map(sorted)
few = settings(max_examples=12, deadline=None, derandomize=True, database=None)
every_tiny = pytest.mark.parametrize("name", TINY)


def close(got: Tensor, expected: Tensor) -> None:
    # logits reach 12, and another order of summation in fp32 moved one of them by 1.2e-4
    torch.testing.assert_close(got, expected, atol=5e-4, rtol=1e-4)


@torch.no_grad()
def in_pieces(model: Transformer, ids: Tensor, cuts: list[int]) -> Tensor:
    cache = KVCache(model.cfg.num_hidden_layers)
    return torch.cat([model(piece, cache) for piece in ids.tensor_split(cuts, dim=1)], dim=1)


@every_tiny
@few
@given(first=st.integers(1, T - 1), step=st.integers(1, 96))
def test_future_ids_never_move_past_logits(tinies: dict[str, Transformer], name: str, first: int, step: int) -> None:
    changed = IDS.clone()
    changed[:, first:] = (changed[:, first:] + step) % 97
    with torch.no_grad():
        before, after = tinies[name](IDS), tinies[name](changed)
    torch.testing.assert_close(after[:, :first], before[:, :first], atol=1e-6, rtol=0)
    assert not torch.allclose(after[:, first], before[:, first], atol=1e-2)


@every_tiny
@few
@given(cuts=CUTS, first=st.integers(1, T - 1))
def test_future_ids_never_move_past_logits_of_chunks(
    tinies: dict[str, Transformer], name: str, cuts: list[int], first: int
) -> None:
    changed = IDS.clone()
    changed[:, first:] = (changed[:, first:] + 1) % 97
    before, after = in_pieces(tinies[name], IDS, cuts), in_pieces(tinies[name], changed, cuts)
    torch.testing.assert_close(after[:, :first], before[:, :first], atol=1e-6, rtol=0)


@every_tiny
@few
@given(cuts=CUTS)
def test_chunks_are_the_whole(tinies: dict[str, Transformer], name: str, cuts: list[int]) -> None:
    with torch.no_grad():
        whole = tinies[name](IDS)
    close(in_pieces(tinies[name], IDS, cuts), whole)


@every_tiny
@few
@given(data=st.data(), held=st.integers(1, T - 1))
def test_evicted_is_masked(tinies: dict[str, Transformer], name: str, data: st.DataObject, held: int) -> None:
    """Slots that ``keep`` drops, in any order of what stays, count as slots that a mask hides."""
    kept = data.draw(st.lists(st.integers(0, held - 1), min_size=1, unique=True))
    model, evicted, dense = tinies[name], KVCache(3), KVCache(3)
    mask = torch.ones(T - held, T, dtype=torch.bool).tril(held)
    mask[:, [slot for slot in range(held) if slot not in kept]] = False
    with torch.no_grad():
        for cache in (evicted, dense):
            model(IDS[:, :held], cache)
        evicted.keep(kept)
        close(model(IDS[:, held:], evicted), model(IDS[:, held:], dense, mask=mask))


@torch.no_grad()
@every_tiny
def test_a_bf16_model_turns_by_fp32_angles_at_position_128_000(name: str, tmp_path: Path) -> None:
    model = make_tiny(name, tmp_path, torch.bfloat16)[1]
    positions = torch.tensor([128_000, 128_001])  # bf16 has the first, but not the second
    caught: list[tuple[Tensor, Tensor]] = []
    model.layers[-1].self_attn.register_forward_pre_hook(lambda _, args: caught.append(args[1:]))
    model(IDS[:1, :2], positions=positions)
    cos, sin = caught[0]
    assert cos.dtype is sin.dtype is torch.bfloat16

    frequencies, length = rope_frequencies(model.cfg.head_dim, model.cfg.rope_theta, model.cfg.rope_scaling)
    exact = positions.double()[:, None] * frequencies.double()
    allowed = length * (2**-9 + 128_001 * 2**-24) + 2**-8 * (length > 1)  # cos rounded, its angle rounded
    assert (cos[0, 0].double() - exact.cos() * length).abs().max() < allowed
    assert (sin[0, 0].double() - exact.sin() * length).abs().max() < allowed
