"""Linear layers of one input as one product, on a CPU with the weights in the order in which oneDNN reads them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_onednn = torch.ops.mkldnn._linear_pointwise
_ROWS = 64  # oneDNN packs for a number of input rows: of 1, 8, 64 and 1,600, none ran faster than 64 on any of them


class Fused:
    """``nn.Linear`` layers that read the same x, run as one matrix product.

    On a CPU the product runs on a packed copy of the weights: with few rows, PyTorch's own product is slower by half,
    because it reorders or misreads the weight at every call. Elsewhere the layers' weights become views of one tensor.
    Changing a weight in any way that PyTorch counts (an assignment, ``.to()``, an in-place operation, though not one
    on ``weight.data``) fuses anew. With a gradient to record or a hook on a layer, each layer runs by itself.
    """

    def __init__(self, *layers: nn.Linear) -> None:
        self._layers = layers
        self._sizes = [layer.out_features for layer in layers]
        self._parts: list[tuple[nn.Linear, str, Tensor, int, int]] = []  # what was fused, and how to know it again
        self._weight = torch.empty(0)
        self._bias: Tensor | None = None
        self._packed = False

    def __call__(self, x: Tensor, silu: bool = False, times: Tensor | None = None) -> Tensor:
        """x ``[..., in]`` -> all outputs side by side, ``[..., sum of out_features]``; then silu, then times."""
        if self._must_run_alone(x):
            return _finish(torch.cat([layer(x) for layer in self._layers], dim=-1), silu, times)
        if self._changed():
            self.fuse()
        if not self._packed:
            return _finish(F.linear(x, self._weight, self._bias), silu, times)
        if times is None:
            return _onednn.default(x, self._weight, self._bias, "swish" if silu else "none", [], "")
        return _onednn.binary(x, times, self._weight, self._bias, "mul")

    def _must_run_alone(self, x: Tensor) -> bool:
        recording = torch.is_grad_enabled()
        for layer in self._layers:
            if layer._forward_hooks or layer._forward_pre_hooks:
                return True
            if recording and (x.requires_grad or layer.weight.requires_grad):
                return True
        return False

    def _changed(self) -> bool:
        for layer, name, held, address, version in self._parts:
            now = layer._parameters[name]
            if now is None or now.data_ptr() != address or now._version != version or now.dtype != held.dtype:
                return True
        return not self._parts

    def fuse(self) -> None:
        """Lay the layers' weights side by side, as they are now."""
        weights = [layer.weight.detach() for layer in self._layers]
        biases = [layer.bias.detach() for layer in self._layers if layer.bias is not None]
        whole = weights[0] if len(weights) == 1 else torch.cat(weights)
        self._packed = _packs(whole)
        if self._packed:
            self._weight = torch.ops.mkldnn._reorder_linear_weight(whole, _ROWS)
        else:
            self._weight = whole
            for layer, part in zip(self._layers, whole.split_with_sizes(self._sizes), strict=True):
                layer.weight.data = part
        self._bias = torch.cat(biases) if biases else None
        self._parts = [
            (layer, name, parameter.detach(), parameter.data_ptr(), parameter._version)
            for layer in self._layers
            for name, parameter in layer.named_parameters()
        ]


def _finish(out: Tensor, silu: bool, times: Tensor | None) -> Tensor:
    out = F.silu(out) if silu else out
    return out if times is None else out * times


def _packs(weight: Tensor) -> bool:
    """Whether oneDNN has a packed product for a weight."""
    known = weight.dtype is torch.float32 or (
        weight.dtype is torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    )
    return known and weight.device.type == "cpu" and bool(torch._C._has_mkldnn)
