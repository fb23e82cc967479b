"""The same numbers as transformers, whole and in chunks, on random models of each family and on the embedded one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from conftest import TINY, make_tiny
from torch import Tensor

from mini_llm import KVCache, Transformer


def in_chunks(model: Transformer, ids: Tensor, sizes: list[int]) -> Tensor:
    cache = KVCache(model.cfg.num_hidden_layers)
    return torch.cat([model(piece, cache) for piece in ids.split(sizes, dim=1)], dim=1)


def random_ids(*shape: int) -> Tensor:
    return torch.randint(97, shape, generator=torch.Generator().manual_seed(1))


@torch.no_grad()
@pytest.mark.parametrize("sizes", [[12], [5, 4, 3], [1] * 12, [3] * 4])
def test_tiny_models_match_transformers(tiny_pair: tuple[Any, Transformer], sizes: list[int]) -> None:
    theirs, ours = tiny_pair
    ids = random_ids(2, 12)
    torch.testing.assert_close(in_chunks(ours, ids, sizes), theirs(ids).logits, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def test_ragged_batch_by_positions_and_mask(tiny_pair: tuple[Any, Transformer]) -> None:
    theirs, ours = tiny_pair
    ids, pad = random_ids(2, 9), torch.tensor([0, 4])
    positions = (torch.arange(9) - pad[:, None]).clamp(min=0)
    real = torch.arange(9) >= pad[:, None]
    mask = torch.ones(9, 9, dtype=torch.bool).tril() & real[:, None, None, :] | torch.eye(9, dtype=torch.bool)
    together = ours(ids, positions=positions, mask=mask)
    for row, skip in enumerate(pad.tolist()):
        alone = theirs(ids[row : row + 1, skip:]).logits
        torch.testing.assert_close(together[row : row + 1, skip:], alone, atol=1e-4, rtol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("name", ["llama, group 3", "qwen3, group 2"])
def test_bf16_errs_no_more_than_transformers(name: str, tmp_path: Path) -> None:
    theirs, ours = make_tiny(name, tmp_path, torch.bfloat16)
    assert ours.dtype is torch.bfloat16
    ids = random_ids(4, 12)
    rounded = theirs(ids).logits.float()
    exact = theirs.float()(ids).logits
    # Both round at the same places; 1.3 leaves room for another order of summation over 4 x 12 x 97 logits.
    assert (ours(ids).float() - exact).norm() < 1.3 * (rounded - exact).norm()


@torch.no_grad()
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("name", TINY)
def test_cuda_equals_cpu(name: str, tmp_path: Path) -> None:
    theirs, ours = make_tiny(name, tmp_path)
    ids = random_ids(2, 12)
    on_gpu = in_chunks(ours.to("cuda"), ids, [5, 4, 3])
    torch.testing.assert_close(on_gpu.cpu(), theirs(ids).logits, atol=1e-3, rtol=1e-3)


@torch.no_grad()
@pytest.mark.model
def test_embedded_model_matches_transformers(model: Transformer, model_folder: Path, passage_ids: Tensor) -> None:
    ids = passage_ids[None, :1600]
    theirs = transformers.AutoModelForCausalLM.from_pretrained(model_folder)(ids).logits
    assert (model(ids) - theirs).abs().max().item() <= 1e-3
    assert (in_chunks(model, ids, [64] * 25) - theirs).abs().max().item() <= 1e-3


@pytest.mark.model
def test_tokenizer_splits_digits_and_round_trips(tokenizer: Any) -> None:
    text = "Sluice 1907: it's  wide\n\n\tand café 水 <|im_start|>user"
    ids = tokenizer(text).input_ids
    assert tokenizer.decode(ids) == text
    assert [tokenizer.decode(i) for i in tokenizer("1907").input_ids] == list("1907")
    assert tokenizer("<|im_start|>").input_ids == [1]
