"""The attention map: what each query of a text gives to each key, in every layer and head."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray
from torch import Tensor

from .plots import label_of
from .widget import CourseWidget

LONGEST = 32  # tokens whose names and shares the map has room for


class AttentionMap(CourseWidget):
    """``AttentionMap({text: (words, weights)}, text, layer, head)``: a row a query, a column a key; a row adds up to 1.

    words: the texts of the T tokens. weights: ``[n_heads, T, T]`` of each layer, causal, 0..1, as
    ``observe`` hands them over. The others say what is shown first. All texts have the same layers and heads.
    Raises ValueError on a text, layer or head that is not there, a text too long, or words that do not fit the weights.
    """

    script = "attention_map.js"
    before = ("inflate.js",)
    texts = traitlets.List().tag(sync=True)  # in the order of what is packed; a saved dict would be sorted
    tokens = traitlets.List().tag(sync=True)  # [texts][T]
    layers = traitlets.Int().tag(sync=True)
    heads = traitlets.Int().tag(sync=True)
    first = traitlets.Bytes().tag(sync=True)  # uint8 [texts, layers, heads], see `_on_first`
    shares = traitlets.Bytes().tag(sync=True)  # deflated; of each text and key, uint8 [layers, heads, queries from key]
    text = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    head = traitlets.Int().tag(sync=True)

    def __init__(
        self, maps: Mapping[str, tuple[Sequence[str], Sequence[Tensor]]], text: str, layer: int, head: int
    ) -> None:
        weights = {one: torch.stack(list(seen)).float().cpu() for one, (_, seen) in maps.items()}
        if text not in maps:
            raise ValueError(f"text {text!r} is none of {list(maps)}")
        layers, heads = weights[text].shape[:2]
        for one, (words, _) in maps.items():
            shape, T = tuple(weights[one].shape), len(words)
            if shape != (layers, heads, T, T) or not 2 <= T <= LONGEST:
                raise ValueError(
                    f"{one!r}: weights {shape} for {T} words; 2 to {LONGEST} fit, and {layers, heads} heads"
                )
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(f"layer {layer}, head {head}: there are {layers} layers of {heads} heads")
        self._percents = {one: _percents(weight) for one, weight in weights.items()}
        super().__init__(
            texts=list(maps),
            tokens=[list(words) for words, _ in maps.values()],
            layers=layers,
            heads=heads,
            first=b"".join(_on_first(weight).tobytes() for weight in weights.values()),
            shares=_deflated(b"".join(_by_key(percents) for percents in self._percents.values())),
            text=text,
            layer=layer,
            head=head,
        )

    def figure(self) -> Figure:
        at = self.texts.index(self.text)
        first = np.frombuffer(self.first, np.uint8).reshape(-1, self.layers, self.heads)
        words, on_first = [label_of(token) for token in self.tokens[at]], first[at, self.layer, self.head]
        figure = Figure(figsize=(8, 5.2))
        axis = figure.subplots()
        shares = self._percents[self.text][self.layer, self.head] / 100
        picture = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        axis.set_xticks(range(len(words)), words, rotation=90, parse_math=False)
        axis.set_yticks(range(len(words)), words, parse_math=False)
        axis.set(xlabel="key", ylabel="query")
        axis.set_title(f"layer {self.layer}, head {self.head}: {on_first or '< 1'} % on the first token")
        figure.colorbar(picture, shrink=0.7)
        return figure


def _percents(shares: Tensor) -> NDArray[np.uint8]:
    return (100 * shares).round().to(torch.uint8).numpy()


def _on_first(weights: Tensor) -> NDArray[np.uint8]:
    """Each head's share on token 0, the mean over all queries but the first, which has no choice: ``[layers, heads]``,
    in whole per cents."""
    return _percents(weights[:, :, 1:, 0].mean(-1))


def _by_key(percents: NDArray[np.uint8]) -> bytes:
    """The triangle key by key: a key's shares resemble each other, and so deflate better than a query's."""
    return b"".join(percents[:, :, key:, key].tobytes() for key in range(percents.shape[-1]))


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, memLevel=6, strategy=zlib.Z_FILTERED)  # 5 % smaller than by the defaults
    return packer.compress(data) + packer.flush()
