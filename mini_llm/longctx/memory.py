"""Bytes that tensors really take while something runs."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Allocations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the storage of every tensor made inside ``with Allocations() as memory:``, until it is freed.

    ``memory.held``: bytes of those alive now. ``memory.peak``: the most that were alive at once. Views share their
    storage and count once; tensors from before are not counted, nor is what a kernel takes and frees inside itself.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.held = self.peak = 0
        self._alive: dict[int, weakref.ref[Any]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        before = {tensor.untyped_storage()._cdata for tensor in _dense([args, kwargs])}
        for tensor in _dense(result):
            storage = tensor.untyped_storage()
            if storage._cdata not in self._alive and storage._cdata not in before:
                self._note(storage)
        return result

    def _note(self, storage: torch.UntypedStorage) -> None:
        key, size = storage._cdata, storage.nbytes()
        self._alive[key] = weakref.ref(storage, lambda _: self._forget(key, size))
        self.held += size
        self.peak = max(self.peak, self.held)

    def _forget(self, key: int, size: int) -> None:
        self._alive.pop(key, None)
        self.held -= size


def _dense(values: Any) -> Iterator[Tensor]:
    """The tensors with a storage in nested lists, tuples and dicts."""
    if isinstance(values, Tensor):
        if values.layout == torch.strided and not values.is_mkldnn:
            yield values
    elif isinstance(values, list | tuple | dict):
        for value in values.values() if isinstance(values, dict) else values:
            yield from _dense(value)
