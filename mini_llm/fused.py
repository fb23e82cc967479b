"""Linear layers of one input as one product, on a CPU with the weights in the order in which oneDNN reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook

_onednn = torch.ops.mkldnn._linear_pointwise
_ROWS = 64  # oneDNN packs for a number of input rows: of 1, 8, 64 and 1,600, none ran faster than 64 on any of them


class Fused:
    """``nn.Linear`` layers of one module that read the same x, run as one matrix product.

    On a CPU the product runs on a packed copy of the weights: with few rows, PyTorch's own product is slower by half,
    because it reorders or misreads the weight at every call. Elsewhere the layers' weights become views of one tensor.
    Changing a layer or a weight in any way that PyTorch counts (an assignment, ``.to()``, an in-place operation,
    though not one on ``weight.data``) fuses anew. Where more than a product is wanted (a gradient, a hook, a layer of
    another class, a weight made in inference mode, whose changes nobody counts), each layer runs by itself.
    """

    def __init__(self, owner: nn.Module, *names: str) -> None:
        self._owner, self._names = owner, names
        self._state: list[object] = []  # of the layers when they were fused
        self._held: list[Tensor] = []  # what was fused: while it is held, its address means nothing else
        self._weight = torch.empty(0)
        self._bias: Tensor | None = None
        self._packed = False
        self.after_reading: Callable[[list[Tensor]], None] | None = None  # told of weights that may not be read again

    def __call__(self, x: Tensor, silu: bool = False, times: Tensor | None = None) -> Tensor:
        """x ``[..., in]`` -> all outputs side by side, ``[..., sum of out_features]``; then silu, then times."""
        layers = [self._owner._modules[name] for name in self._names]
        state = None if _has_any_global_hook() else _state(layers, x)  # type: ignore[no-untyped-call]
        if state is None:
            outputs = [layer(x) for layer in layers if layer is not None]
            return _finish(outputs[0] if len(outputs) == 1 else torch.cat(outputs, dim=-1), silu, times)
        if state != self._state:
            self._fuse()
        if not self._packed:
            return _finish(F.linear(x, self._weight, self._bias), silu, times)
        if times is None:
            return _onednn.default(x, self._weight, self._bias, "swish" if silu else "none", [], "")
        return _onednn.binary(x, times, self._weight, self._bias, "mul")

    def __getstate__(self) -> dict[str, object]:
        """Copies and pickles carry the layers, not what was fused of them."""
        return vars(self) | {"_state": [], "_held": [], "_weight": torch.empty(0), "_bias": None, "after_reading": None}

    @torch.inference_mode(False)
    @torch.no_grad()
    def _fuse(self) -> None:
        """Lay the layers' weights side by side, as they are now."""
        layers = [layer for name in self._names if isinstance(layer := self._owner._modules[name], nn.Linear)]
        weights = [layer.weight.detach() for layer in layers]
        biases = [layer.bias.detach() for layer in layers if layer.bias is not None]
        whole = weights[0] if len(weights) == 1 else torch.cat(weights)
        self._packed = _packs(whole)
        if self._packed:
            self._weight = torch.ops.mkldnn._reorder_linear_weight(whole, _ROWS)
        else:
            self._weight = whole
            for layer, part in zip(layers, torch.split(whole, [len(weight) for weight in weights]), strict=True):
                layer.weight.data = part
        self._bias = torch.cat(biases) if biases else None
        self._held = [layer.weight.detach() for layer in layers] + biases
        self._state = _state(layers, whole) or []
        if self.after_reading is not None:
            self.after_reading(weights)


def _state(layers: Sequence[nn.Module | None], x: Tensor) -> list[object] | None:
    """What must be unchanged for a fused product to hold; None where each layer must run by itself."""
    recording = torch.is_grad_enabled()
    state: list[object] = []
    biases = 0
    for layer in layers:
        if type(layer) not in _PLAIN or layer._forward_hooks or layer._forward_pre_hooks:  # type: ignore[union-attr]
            return None
        for parameter in layer._parameters.values():  # type: ignore[union-attr]
            if parameter is None:
                continue
            if parameter.is_inference() or (recording and parameter.requires_grad):
                return None
            state += (id(layer), parameter.data_ptr(), parameter._version, parameter.dtype)
            biases += parameter.dim() == 1
    return None if biases not in (0, len(layers)) or (recording and x.requires_grad) else state


class Linear(nn.Linear):
    """``nn.Linear`` without random numbers at first: every weight of a model is loaded."""

    def reset_parameters(self) -> None:
        pass


_PLAIN = (nn.Linear, Linear)


def _finish(out: Tensor, silu: bool, times: Tensor | None) -> Tensor:
    out = F.silu(out) if silu else out
    return out if times is None else out * times


def _packs(weight: Tensor) -> bool:
    """Whether oneDNN has a packed product for a weight."""
    known = weight.dtype is torch.float32 or (
        weight.dtype is torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
    return known and weight.device.type == "cpu" and bool(torch._C._has_mkldnn)
