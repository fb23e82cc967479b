"""The mask playground: new tokens behind a cache, a mask to draw on, and what the real model then says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from mini_llm import KVCache, Transformer, forward_with_mask
from mini_llm.masks import causal_after

from .plots import ORANGE, label_of
from .widget import CourseWidget

LONGEST = 24  # tokens that the grid has room for
ROUNDING = 1e-5  # nats of KL below which a row has not moved


class MaskPlayground(CourseWidget):
    """``MaskPlayground(model, tokenizer, text, cached, masks)``: the first S = ``cached`` tokens of ``text`` are
    cached, the last is only there to be predicted, and the T between are appended under a mask.

    masks: ``masks(S, T)`` names the masks to start from, each bool ``[T, S + T]``, True = may attend; the first shown
    is the first named. Their answers are recorded, so that they act without a kernel; a mask of one's own asks the
    model. ``bits`` is the mask in view, row by row, ``"1"`` = may attend.
    Raises ValueError when the text does not fit, and on a mask of another size or one that lets a query see nothing.
    """

    script = "mask_playground.js"
    before = ("mask_playground_words.js",)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)  # S + T + 1
    cached = traitlets.Int().tag(sync=True)
    presets = traitlets.Dict().tag(sync=True)  # name -> bits
    right = traitlets.Unicode().tag(sync=True)  # the bits of the causal mask
    answers = traitlets.Dict().tag(sync=True)  # bits -> a row for each query, see `_answer`
    bits = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        model: Transformer,
        tokenizer: Any,
        text: str,
        cached: int,
        masks: Callable[[int, int], Mapping[str, Tensor]],
    ) -> None:
        ids = torch.tensor(tokenizer(text).input_ids, device=model.device)
        new = len(ids) - cached - 1
        if len(ids) > LONGEST + 1:
            raise ValueError(f"{text!r} has {len(ids)} tokens; the grid has room for {LONGEST + 1}")
        if cached < 1 or new < 1:
            raise ValueError(f"cached={cached} of {len(ids)} tokens: at least one is cached, one new and one predicted")
        self._model, self._tokenizer, self._ids = model, tokenizer, ids
        self._cache = KVCache(len(model.layers))
        model(ids[None, :cached], self._cache)
        super().__init__(tokens=[tokenizer.decode([token]) for token in ids.tolist()], cached=cached)
        causal = causal_after(cached, new, ids.device)
        self._causal_log_probs = self._log_probs(causal)
        self.right = as_bits(causal)
        self.presets = {name: as_bits(mask) for name, mask in masks(cached, new).items()}
        self.bits = next(iter(self.presets.values()))
        recorded = {bits: self._answer(bits) for bits in {self.right, *self.presets.values()}}
        self.answers = recorded
        self.observe(lambda _: self._ask(recorded), "bits")

    def mask(self, bits: str | None = None) -> Tensor:
        """The mask in view, or that of ``bits``: bool ``[T, S + T]``. Raises ValueError as the class says."""
        bits = self.bits if bits is None else bits
        keys = len(self.tokens) - 1
        shape = (keys - self.cached, keys)
        if len(bits) != shape[0] * shape[1] or set(bits) - {"0", "1"}:
            raise ValueError(
                f"the mask of shape {shape} is written with {shape[0] * shape[1]} of 0 and 1, got {bits!r}"
            )
        mask = torch.tensor([bit == "1" for bit in bits]).view(shape)
        blind = (~mask.any(dim=1)).nonzero().flatten().tolist()
        if blind:
            raise ValueError(f"query {blind[0]} may attend to nothing")
        return mask

    @traitlets.validate("bits")  # type: ignore[untyped-decorator]
    def _usable(self, proposal: traitlets.Bunch) -> str:
        self.mask(proposal.value)
        return str(proposal.value)

    def _ask(self, recorded: Mapping[str, list[dict[str, Any]]]) -> None:
        if self.bits not in self.answers:
            self.answers = {**recorded, self.bits: self._answer(self.bits)}

    def _log_probs(self, mask: Tensor) -> Tensor:
        new, positions = self._ids[self.cached : -1], torch.arange(self.cached, len(self._ids) - 1)
        logits, _ = forward_with_mask(self._model, new, positions, self._cache, mask.to(self._ids.device))
        return logits.float().log_softmax(-1)

    def _answer(self, bits: str) -> list[dict[str, Any]]:
        """For each query: the likeliest next token, whether it is the true one, the NLL of the true one, and the KL
        divergence from what the causal mask predicts, 0 where that is rounding; in nats."""
        log_probs = self._log_probs(self.mask(bits))
        causal, true = self._causal_log_probs, self._ids[self.cached + 1 :]
        moved = (causal.exp() * (causal - log_probs)).sum(-1)
        top, nll = log_probs.argmax(-1), -log_probs.gather(1, true[:, None])[:, 0]
        return [
            {
                "says": self._tokenizer.decode([int(top[row])]),
                "hit": bool(top[row] == true[row]),
                "nll": round(float(nll[row]), 3),
                "kl": round(float(moved[row]), 5) if moved[row] > ROUNDING else 0.0,
            }
            for row in range(len(true))
        ]

    def figure(self) -> Figure:
        figure = Figure(figsize=(8, 2.6))
        axes = figure.subplots(1, len(self.presets), squeeze=False)[0]
        for axis, (name, bits) in zip(axes, self.presets.items(), strict=True):
            self._panel(axis, name, bits)
        figure.suptitle("Right of each row: the next token that the model then says, * where it is true", fontsize=10)
        return figure

    def _panel(self, axis: Axes, name: str, bits: str) -> None:
        answer, mask = self.answers[bits], self.mask(bits)
        axis.imshow(mask.numpy(), cmap="Blues", vmin=0, vmax=1.3)
        axis.axvline(self.cached - 0.5, color=ORANGE, lw=2)
        for row, column in (mask & ~self.mask(self.right)).nonzero().tolist():
            axis.text(column, row, "!", ha="center", va="center", color="white", weight="bold")
        axis.set_xticks(range(mask.shape[1]), [label_of(token) for token in self.tokens[:-1]], rotation=90, fontsize=8)
        axis.set_yticks(range(len(answer)), [label_of(row["says"]) + " *" * row["hit"] for row in answer], fontsize=8)
        axis.yaxis.tick_right()
        axis.tick_params(length=0)
        nll = sum(row["nll"] for row in answer) / len(answer)
        axis.set_title(f"{name}\nmean NLL {nll:.2f}", fontsize=9)


def as_bits(mask: Tensor) -> str:
    """A mask row by row, ``"1"`` where it is True."""
    return "".join("1" if may else "0" for may in mask.flatten().tolist())
