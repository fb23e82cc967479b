"""The cost calculator: one model on one card, in bytes, FLOPs and least times; every number is of ``longctx.costs``."""

from __future__ import annotations

import json
import math
from typing import Any

import traitlets
from matplotlib.figure import Figure

from ..longctx import costs
from ..longctx.costs import Shape
from ..longctx.references import DEVICES, SHAPES, Device
from ..longctx.shapes_from_config import ConfigError, shape_from_config
from .plots import BLUE, GREY, ORANGE
from .widget import CourseWidget

GiB = 2**30
USED = 0.92  # vLLM's gpu_memory_utilization: the share of a card that it may take
WIDTHS = {"bf16": 2.0, "fp8": 1.0, "int4 + scales": 5 / 8}  # bytes an element; int4 has scale and zero point per 32
LENGTHS = [2**power for power in range(10, 21)]
BATCHES = list(range(1, 65))
PASTED = "pasted"
CURVE = [2 ** (power / 4) for power in range(4 * 8, 4 * 20 + 1)]  # lengths on the plot, 256 to 1M
CHOICES = ("shape", "device", "tokens", "batch", "weights", "kv", "kv_gib")


def bill(
    shape: Shape, card: Device, tokens: int, batch: int, width: float, kv_width: float, kv_gib: float | None
) -> dict[str, Any]:
    """What ``batch`` requests of ``tokens`` tokens cost: bytes, FLOPs, seconds, counts and two curves.

    width, kv_width: bytes of an element of the weights and of the KV. kv_gib: GiB left for KV; None for what the
    weights leave of the share of the card that an engine takes. Where a length is beyond all bounds it is None.
    """
    weights, request = shape.params * width, costs.kv_bytes(shape, tokens, kv_width)
    room = USED * card.memory - weights if kv_gib is None else kv_gib * GiB
    attention = costs.prefill_attention_flops(shape, tokens)
    prefill = costs.prefill_flops(shape, tokens)

    def step(length: int, requests: int) -> float:
        return costs.decode_seconds(shape, length, requests, card.bandwidth, width, kv_width)

    return {
        "params": shape.params,
        "active": shape.active_params,
        "weight_bytes": weights,
        "kv_token": costs.kv_bytes(shape, 1, kv_width),
        "kv_next": costs.kv_bytes(shape, tokens + 1, kv_width) - request,
        "kv_request": request,
        "prefill": prefill,
        "prefill_linear": prefill - attention,
        "prefill_attention": attention,
        "ttft": prefill / card.flops,
        "tpot": step(tokens, batch),
        "tpot_weights": step(0, batch),
        "room": room,
        "fit": max(0, math.floor(room / request)),
        "used": USED,
        "cards": math.ceil((weights + batch * request) / (USED * card.memory)),
        "decode_crossover": _finite(costs.decode_crossover(shape)),
        "prefill_crossover": _finite(costs.prefill_crossover(shape)),
        "break_even": _finite(costs.break_even_tokens(shape, width, kv_width)),
        "linear": costs.decode_flops(shape),
        "attention_now": costs.attention_flops(shape, tokens),
        "attention": [costs.attention_flops(shape, length) for length in CURVE],
        "steps": [step(tokens, requests) for requests in BATCHES],
        "steps_weights": [step(0, requests) for requests in BATCHES],
    }


def _finite(length: float) -> float | None:
    return length if math.isfinite(length) else None


class Calculator(CourseWidget):
    """``Calculator(shape="Qwen2.5-7B", device="H100 SXM", tokens=32_768, kv="fp8", kv_gib=16)``: a model of ``SHAPES``
    or one pasted as ``config.json``, a card of ``DEVICES``, and what they cost; ValueError names an unknown choice.

    tokens: a power of two from 1,024 to 1,048,576. batch: 1 to 64. weights, kv: of ``WIDTHS``. kv_gib: GiB for KV,
    None for what the weights leave of the card. ``result`` is the present ``bill``; without a kernel it stands still.
    """

    script = "calculator.js"
    before = ("calculator_words.js",)
    shape = traitlets.Unicode().tag(sync=True)
    device = traitlets.Enum(list(DEVICES)).tag(sync=True)
    tokens = traitlets.Enum(LENGTHS).tag(sync=True)
    batch = traitlets.Int(min=1, max=BATCHES[-1]).tag(sync=True)
    weights = traitlets.Enum(list(WIDTHS)).tag(sync=True)
    kv = traitlets.Enum(list(WIDTHS)).tag(sync=True)
    kv_gib = traitlets.Float(None, allow_none=True, min=0, max=1e6).tag(sync=True)
    config = traitlets.Unicode().tag(sync=True)
    problem = traitlets.Dict().tag(sync=True)
    offers = traitlets.Dict().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        shape: str = "Qwen2.5-7B",
        device: str = "H100 SXM",
        tokens: int = 32_768,
        batch: int = 8,
        weights: str = "bf16",
        kv: str = "bf16",
        kv_gib: float | None = None,
    ) -> None:
        self._shapes = dict(SHAPES)
        chosen = dict(zip(CHOICES, (shape, device, tokens, batch, weights, kv, kv_gib), strict=True))
        offers = {
            "shapes": list(SHAPES),
            "devices": list(DEVICES),
            "widths": list(WIDTHS),
            "tokens": LENGTHS,
            "batches": BATCHES,
            "curve": [round(length, 1) for length in CURVE],
        }
        try:
            super().__init__(**chosen, offers=offers)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from None
        self._count()
        self.observe(lambda change: self._count(), list(CHOICES))
        self.on_msg(self._answer)

    @traitlets.validate("shape")  # type: ignore[untyped-decorator]
    def _known(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in self._shapes:
            raise traitlets.TraitError(f"shape {proposal['value']!r} is none of {', '.join(self._shapes)}")
        return str(proposal["value"])

    @traitlets.validate("kv_gib")  # type: ignore[untyped-decorator]
    def _number(self, proposal: dict[str, Any]) -> float | None:
        if proposal["value"] is not None and math.isnan(proposal["value"]):
            raise traitlets.TraitError(f"kv_gib must be a number of GiB, got {proposal['value']}")
        return proposal["value"]

    @traitlets.observe("config")  # type: ignore[untyped-decorator]
    def _paste(self, change: dict[str, Any]) -> None:
        """Add the model of a pasted config and choose it; a config that cannot be read changes nothing but
        ``problem``."""
        try:
            raw = json.loads(change["new"])
            if not isinstance(raw, dict):
                self.problem = {"kind": "object"}
                return
            self._shapes[PASTED] = shape_from_config(raw, PASTED)
        except json.JSONDecodeError as error:
            self.problem = {"kind": "json", "line": error.lineno, "column": error.colno}
            return
        except ConfigError as error:
            self.problem = {"kind": error.problem, **error.fields}
            return
        self.problem = {}
        self.offers = {**self.offers, "shapes": list(self._shapes)}
        self.shape = PASTED
        self._count()

    def _count(self) -> None:
        shape, card = self._shapes[self.shape], DEVICES[self.device]
        widths = WIDTHS[self.weights], WIDTHS[self.kv]
        self.result = bill(shape, card, self.tokens, self.batch, *widths, self.kv_gib)

    def _answer(self, widget: Calculator, content: Any, buffers: Any) -> None:
        """Tell a view that asks that there is a kernel, after all that it sent before."""
        self.answered += 1

    def figure(self) -> Figure:
        found = self.result
        figure = Figure(figsize=(8, 3.4))
        flops, steps = figure.subplots(1, 2)
        _draw_flops(flops, self.offers["curve"], found, self.tokens)
        _draw_steps(steps, found, self.batch)
        request = f"a request of {self.tokens // 1024}K takes {found['kv_request'] / GiB:.3f} GiB of KV ({self.kv})"
        room = f"{max(0, found['room']) / GiB:.1f} GiB hold {found['fit']:,}"
        figure.suptitle(f"{self.shape}, {self.device}: {request}; {room}")
        return figure


def _draw_flops(axis: Any, lengths: list[float], found: dict[str, Any], tokens: int) -> None:
    """FLOPs of the newest token against length, with the crossover and the length chosen."""
    axis.plot(lengths, found["attention"], color=BLUE)
    axis.axhline(found["linear"], color=ORANGE, ls="--")
    axis.plot(tokens, found["attention_now"], "D", color=BLUE)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks([2**10, 2**14, 2**18], ["1K", "16K", "256K"])
    axis.text(lengths[0], found["linear"], "linear layers", color=ORANGE, va="bottom")
    axis.annotate("attention", (lengths[4], found["attention"][4]), (10, -8), textcoords="offset points", color=BLUE)
    if found["decode_crossover"] is not None:
        axis.plot(found["decode_crossover"], found["linear"], "o", mfc="none", color=GREY, ms=10)
        where = (found["decode_crossover"], found["linear"])
        axis.annotate(f"equal at {where[0]:,.0f}", where, (6, -16), textcoords="offset points")
    axis.set(xlabel="context in tokens (diamond: chosen)", title="FLOPs of the newest token")


def _draw_steps(axis: Any, found: dict[str, Any], batch: int) -> None:
    """Least time of a decode step against batch, dashed beyond what fits."""
    steps, fit = [1e3 * seconds for seconds in found["steps"]], found["fit"]
    axis.plot(BATCHES[:fit], steps[:fit], color=BLUE)
    axis.plot(BATCHES[max(0, fit - 1) :], steps[max(0, fit - 1) :], color=BLUE, ls=":")
    axis.plot(BATCHES, [1e3 * seconds for seconds in found["steps_weights"]], color=ORANGE, ls="--")
    axis.plot(batch, 1e3 * found["tpot"], "D", color=BLUE)
    alone = 1e3 * found["steps_weights"][-1]
    below = -22 if alone > 0.15 * steps[-1] else 4  # points; near the axis there is no room
    where = (BATCHES[-1], alone)
    axis.annotate("weights alone", where, (0, below), textcoords="offset points", ha="right", color=ORANGE)
    axis.set(xlim=(0, None), ylim=(0, None), xlabel="batch (dotted: does not fit)", title="TPOT at least, ms")
