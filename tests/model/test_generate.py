"""Generation: greedy equals transformers' greedy, sampling repeats with its generator, stop stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import make_tiny

from mini_llm import Transformer, generate

PROMPT = torch.tensor([5, 9, 33, 2])


def test_greedy_matches_transformers(tmp_path: Path) -> None:
    theirs, ours = make_tiny("qwen3, group 2", tmp_path)
    expected = theirs.generate(PROMPT[None], max_new_tokens=12, do_sample=False, eos_token_id=None, pad_token_id=0)
    assert generate(ours, PROMPT, 12).tolist() == expected[0, 4:].tolist()


def test_sampling_repeats_with_its_generator(tiny: Transformer) -> None:
    def draw(seed: int) -> list[int]:
        return generate(tiny, PROMPT, 12, temperature=1.0, generator=torch.Generator().manual_seed(seed)).tolist()

    assert draw(0) == draw(0)
    assert draw(0) != draw(1)


def test_a_tiny_nucleus_is_greedy(tiny: Transformer) -> None:
    narrow = generate(tiny, PROMPT, 8, temperature=1.0, top_p=1e-6, generator=torch.Generator().manual_seed(0))
    assert narrow.tolist() == generate(tiny, PROMPT, 8).tolist()


@pytest.mark.parametrize("options", [{"top_p": 1e-300}, {"temperature": 1e-40}])
def test_extreme_settings_are_greedy(tiny: Transformer, options: dict[str, float]) -> None:
    found = generate(tiny, PROMPT, 8, **({"temperature": 1.0} | options))
    assert found.tolist() == generate(tiny, PROMPT, 8).tolist()


def test_a_prompt_of_the_wrong_shape_is_named(tiny: Transformer) -> None:
    with pytest.raises(ValueError, match=r"a prompt is \[T\], got shape \(1, 4\)"):
        generate(tiny, PROMPT[None], 1)


def test_stop_ends_and_is_not_returned(tiny: Transformer) -> None:
    greedy = generate(tiny, PROMPT, 8).tolist()
    stop = greedy[3]
    assert generate(tiny, PROMPT, 8, stop=stop).tolist() == greedy[: greedy.index(stop)]
    assert generate(tiny, PROMPT, 8, stop=[stop, 96]).tolist() == greedy[: greedy.index(stop)]


@pytest.mark.parametrize(
    "options", [{"temperature": -1.0}, {"temperature": float("nan")}, {"top_p": 0.0}, {"top_p": 1.5}]
)
def test_bad_settings_are_named(tiny: Transformer, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(options.values())))):
        generate(tiny, PROMPT, 1, **options)


@pytest.mark.model
def test_the_embedded_model_answers(model: Transformer, tokenizer: Any) -> None:
    chat = [{"role": "user", "content": "What is the capital of France?"}]
    prompt = tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False)
    answer = tokenizer.decode(generate(model, torch.tensor(prompt), 12, stop=tokenizer.eos_token_id))
    assert "Paris" in answer
