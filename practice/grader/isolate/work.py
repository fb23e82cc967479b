"""Counts the work of one call: floating-point operations, and bytes read by tensor operations."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

ATEN = torch.ops.aten
FLOPS = {
    **flop_registry,
    ATEN._scaled_dot_product_flash_attention_for_cpu: flop_registry[ATEN._scaled_dot_product_flash_attention],
}
GATHERS = {getattr(ATEN, name) for name in ("index", "index_select", "gather", "take", "embedding", "masked_select")}
ARITHMETIC = (torch.Tag.pointwise, torch.Tag.reduction)


class WorkCounter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts while it is entered.

    Matrix products count 2 operations per multiply-add, pointwise and reducing ones 1 per element of their largest
    floating-point operand. Views read nothing; gathers read what they return and their indices; all else reads its
    operands whole.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """False keeps torch from importing its compiler, which takes seconds and wants a folder to write to."""
        return False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = self.bytes_read = 0

    def __torch_dispatch__(
        self, func: Any, types: Iterable[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        operands = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        if func.overloadpacket in FLOPS:
            self.flops += int(FLOPS[func.overloadpacket](*args, **kwargs, out_val=result))
        elif any(tag in func.tags for tag in ARITHMETIC):
            outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
            sizes = [each.numel() for each in (*operands, *outputs) if each.dtype.is_floating_point]
            self.flops += max(sizes, default=0)
        if func.overloadpacket in GATHERS:
            self.bytes_read += _bytes(result) + sum(map(_bytes, operands[1:]))
        elif not func.is_view:
            self.bytes_read += sum(map(_bytes, operands))
        return result


def count_work(function: Callable[..., object], arguments: Iterable[Any]) -> tuple[int, int]:
    """Floating-point operations and bytes read by one call."""
    with WorkCounter() as counter:
        function(*arguments)
    return counter.flops, counter.bytes_read


def _bytes(tensor: Tensor) -> int:
    """Bytes of different elements: a dimension that is only repeated is read once."""
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    repeats = [size for size, stride in strides if stride == 0 and size > 1]
    count = tensor.numel()
    for size in repeats:
        count //= size
    return count * tensor.element_size()
