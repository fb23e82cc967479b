"""What is measured: pairs of the same work, ours and another way, on the same weights, dtype and threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import original_streaming
import torch
from torch import Tensor
from transformers import DynamicCache

from mini_llm import BoundedKVCache, KVCache, Transformer, forward_with_mask
from mini_llm.longctx.perplexity import next_token_nll
from mini_llm.longctx.selection import Quest

Work = Callable[[], object]

PREFILL_LENGTHS = {False: (1600, 400, 4800), True: (128, 64)}
"""By ``quick``; goals are set for the first, the others show the growth."""


@dataclass(frozen=True)
class Row:
    """One comparison. ``ours`` and ``other`` do the same work; ``goal`` is the ratio other / ours to reach, or None."""

    name: str
    against: str
    ours: Work
    other: Work
    goal: float | None
    rounds: int
    per: int = 1
    unit: str = "s"
    same: bool = False  # whether both return the same numbers
    tokens: int = 0  # read, or in the cache before the step


@dataclass(frozen=True)
class Bench:
    """Both models, the text, and how much of the work to do (``quick`` does a little of everything)."""

    ours: Transformer
    theirs: Any
    ids: Tensor
    quick: bool

    @property
    def dtype(self) -> str:
        return str(self.ours.dtype).removeprefix("torch.")

    def rows(self) -> list[Row]:
        bf16 = self.ours.dtype is torch.bfloat16
        decode_goal = 2.0 if bf16 else 1.5
        rows: list[Row] = []
        for tokens in PREFILL_LENGTHS[self.quick]:
            for name, chunk, wanted in (("prefill by 64", 64, 1.35), ("prefill whole", tokens, 1.1)):
                main = tokens == PREFILL_LENGTHS[self.quick][0]
                rows.append(
                    Row(
                        name if main else f"{name}, {tokens} tokens",
                        "transformers",
                        *self._prefill(tokens, chunk),
                        wanted if main else None,
                        rounds=3 if main and not self.quick else 1,
                        tokens=tokens,
                    )
                )
        for length in (128,) if self.quick else (128, 2048, 8000):
            goal = decode_goal if length == 128 else None
            rows.append(self._step_row(f"decode at {length}", "transformers", length, self._ours, self._theirs, goal))
        far, budget = (256, 64) if self.quick else (8000, 512)
        rows += [
            self._step_row(
                f"bounded cache of {budget} at {far}", "transformers", far, self._bounded, self._theirs, 3.0
            ),
            self._step_row(f"Quest, {budget} of {far}", "ours, dense", far, self._quest, self._ours, None),
            self._step_row(f"bounded, {budget} of {far}", f"ours at {budget}", far, self._bounded, self._short, None),
        ]
        if not bf16:
            rows += self._streaming(64 if self.quick else 512, 16 if self.quick else 256)
        return rows

    def _prefill(self, tokens: int, chunk: int) -> tuple[Work, Work]:
        text = self.ids.repeat(1 + tokens // len(self.ids))[None, :tokens]

        def ours() -> None:
            cache = KVCache(len(self.ours.layers))
            for piece in torch.split(text, chunk, dim=1):
                self.ours(piece, cache)

        def theirs() -> None:
            cache = DynamicCache()
            for piece in torch.split(text, chunk, dim=1):
                self.theirs(piece, past_key_values=cache, use_cache=True)

        return ours, theirs

    def _step_row(self, name: str, against: str, length: int, ours: Any, other: Any, goal: float | None) -> Row:
        steps, rounds = (2, 1) if self.quick else (16, 5)
        return Row(
            name, against, ours(length, steps), other(length, steps), goal, rounds, steps, "ms a token", tokens=length
        )

    def _random_kv(self, length: int) -> tuple[Tensor, Tensor]:
        cfg, device = self.ours.cfg, self.ours.device
        generator = torch.Generator(device).manual_seed(length)
        shape = (1, cfg.num_key_value_heads, length, cfg.head_dim)
        k, v = (torch.randn(shape, generator=generator, device=device).to(self.ours.dtype) for _ in range(2))
        return k, v

    def _filled(self, cache: KVCache, length: int) -> KVCache:
        for layer in range(len(cache)):
            cache.update(layer, *self._random_kv(length))
        return cache

    def _steps(self, cache: KVCache, length: int, steps: int) -> Work:
        self._filled(cache, length)
        return lambda: [self.ours(self.ids[None, i : i + 1], cache) for i in range(steps)]

    def _ours(self, length: int, steps: int) -> Work:
        return self._steps(KVCache(len(self.ours.layers)), length, steps)

    def _short(self, length: int, steps: int) -> Work:
        return self._ours(64 if self.quick else 512, steps)

    def _bounded(self, length: int, steps: int) -> Work:
        return self._steps(BoundedKVCache(len(self.ours.layers), 64 if self.quick else 512), length, steps)

    def _theirs(self, length: int, steps: int) -> Work:
        cache = DynamicCache()
        for layer in range(len(self.ours.layers)):
            cache.update(*self._random_kv(length), layer)

        def run() -> None:
            for i in range(steps):
                self.theirs(self.ids[None, i : i + 1], past_key_values=cache, use_cache=True)

        return run

    def _quest(self, length: int, steps: int) -> Work:
        cache = self._filled(KVCache(len(self.ours.layers)), length)
        quest = Quest(64 if self.quick else 512)

        def run() -> None:
            for i in range(steps):
                at = torch.arange(cache.seq_len(), cache.seq_len() + 1)
                _, new_kv = forward_with_mask(self.ours, self.ids[i : i + 1], at, cache, quest)
                for layer, (k, v) in enumerate(new_kv):
                    cache.update(layer, k, v, at)

        return run

    def _streaming(self, tokens: int, budget: int) -> list[Row]:
        ids = self.ids[: tokens + 1]

        def bounded(chunk: int, in_cache: bool) -> Work:
            def run() -> Tensor:
                cache = BoundedKVCache(len(self.ours.layers), budget, 4, in_cache)
                return next_token_nll(self.ours, ids, cache, chunk)

            return run

        original = lambda: original_streaming.next_token_nll(self.theirs, ids, budget, 4)  # noqa: E731
        return [
            Row("streaming perplexity by 64", "the original, by token", bounded(64, False), original, 3.0, 1),
            Row(
                "in-cache positions, masked", "the original, by token", bounded(256, True), original, 15.0, 1, same=True
            ),
        ]
