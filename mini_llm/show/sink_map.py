"""The sink map: how much of its attention each head of each layer puts on token 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import traitlets
from matplotlib.figure import Figure

from .widget import CourseWidget


class SinkMap(CourseWidget):
    """``SinkMap({"story": mass, "code": mass})``, each mass ``[num_layers][num_heads]``, the share of attention in 0..1
    that falls on token 0. Arrow keys or the pointer walk over the heads; a ring marks a share of a half or more.
    """

    script = "sink_map.js"
    masses = traitlets.Dict().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)

    def __init__(self, masses: Mapping[str, Sequence[Sequence[float]]]) -> None:
        rounded = {text: [[round(share, 3) for share in heads] for heads in mass] for text, mass in masses.items()}
        super().__init__(masses=rounded, text=next(iter(rounded)))

    def figure(self) -> Figure:
        figure = Figure(figsize=(8, 2.8), layout="constrained")
        axis = figure.subplots()
        heads = list(zip(*self.masses[self.text], strict=True))
        picture = axis.imshow(heads, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for head, row in enumerate(heads):
            for layer, share in enumerate(row):
                if share >= 0.5:
                    axis.plot(layer, head, "o", mfc="none", mec="white", ms=6)
        axis.set(xlabel="layer", ylabel="head", title=f"Attention on token 0, {self.text} (ring: a half or more)")
        figure.colorbar(picture, shrink=0.8)
        return figure
