"""Keys and values of the tokens seen so far, with the position of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

_GROWTH = 256  # slots added at least when a layer's storage is full


class _LayerViews:
    """``cache.k`` or ``cache.v``: ``[layer]`` reads the live slots ``[B, n_kv, S, D]`` and may be assigned."""

    def __init__(self, cache: KVCache, which: int) -> None:
        self._cache, self._which = cache, which

    def __len__(self) -> int:
        return len(self._cache)

    def __getitem__(self, layer: int) -> Tensor:
        return self._cache._layers[layer].view(self._which)

    def __setitem__(self, layer: int, value: Tensor) -> None:
        self._cache._layers[layer].assign(self._which, value)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[layer] for layer in range(len(self)))


class _Layer:
    """One layer's storage: K and V ``[B, n_kv, capacity, D]``, of which the first ``length`` slots are live."""

    def __init__(self) -> None:
        self.store: list[Tensor | None] = [None, None]  # K, V
        self.lengths = [0, 0]  # differ only between an assignment to k and the one to v that must follow
        self.positions: Tensor | None = None  # [B, S]; None before the first token
        self.newest: Tensor | None = None  # [B, 1], the largest position ever added; outlives its slot's eviction
        self.unknown = False

    @property
    def length(self) -> int:
        if self.lengths[0] != self.lengths[1]:
            raise ValueError(f"k holds {self.lengths[0]} slots and v {self.lengths[1]}: assign both before going on")
        return self.lengths[0]

    def view(self, which: int) -> Tensor:
        store = self.store[which]
        if store is None:
            raise ValueError("this layer of the cache is empty; it has no shape before the first update")
        return store[:, :, : self.lengths[which]]

    def assign(self, which: int, value: Tensor) -> None:
        if value.dim() != 4:
            raise ValueError(f"expected [B, n_kv, S, D], got shape {tuple(value.shape)}")
        batch = None if self.positions is None else self.positions.shape[0]
        if value.shape[2] != self.lengths[which] or value.shape[0] != batch:
            self.positions = self.newest = None
            self.unknown = True
        self.store[which], self.lengths[which] = _with_room(value, value.shape[2] + _GROWTH), value.shape[2]

    def write_behind(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write k, v after the live slots, growing if need be, and return views of live + new. ``length`` stays."""
        if v.shape[:3] != k.shape[:3]:
            raise ValueError(f"k {tuple(k.shape)} and v {tuple(v.shape)} disagree")
        start = self.length
        return self._write_one(0, k, start), self._write_one(1, v, start)

    def _write_one(self, which: int, new: Tensor, start: int) -> Tensor:
        end, store = start + new.shape[2], self.store[which]
        fits = store is not None and _kind(store) == _kind(new)
        if store is None or (start == 0 and not fits):
            store = new.new_empty(new.shape[0], new.shape[1], end + _GROWTH, new.shape[3])
        elif not fits:
            raise ValueError(
                f"new {'kv'[which]} {tuple(new.shape)} {new.dtype} does not fit the cache's "
                f"{tuple(self.view(which).shape)} {store.dtype}"
            )
        elif store.shape[2] < end or (store.is_inference() and not torch.is_inference_mode_enabled()):
            store = _with_room(store[:, :, :start], max(end, start * 3 // 2) + _GROWTH)
        self.store[which] = store
        store[:, :, start:end] = new
        return store[:, :, :end]

    def commit(self, count: int, positions: Tensor | None) -> None:
        """Make the ``count`` slots last written live, at positions int64 ``[B, count]`` (None when unknown)."""
        self.lengths = [length + count for length in self.lengths]
        if positions is not None and count:
            newest = positions.amax(dim=1, keepdim=True)
            self.newest = newest if self.newest is None else torch.maximum(newest, self.newest)
            self.positions = positions if self.positions is None else torch.cat((self.positions, positions), dim=1)

    def cut(self, chosen: Tensor | slice, length: int) -> None:
        """Keep the positions of ``length`` chosen slots; a layer without slots has nothing unknown left."""
        self.lengths = [length, length]
        if self.positions is not None:
            self.positions = self.positions[:, chosen]
        if length == 0:
            self.positions, self.unknown = None, False


def _kind(tensor: Tensor) -> tuple[object, ...]:
    """What must be equal for two tensors to be slots of one storage: B, n_kv, D, dtype, device."""
    return (*tensor.shape[:2], tensor.shape[3], tensor.dtype, tensor.device)


def _with_room(live: Tensor, capacity: int) -> Tensor:
    """A copy of live ``[B, n_kv, S, D]`` with memory of its own for ``capacity`` slots."""
    room = live.new_empty(*live.shape[:2], capacity, live.shape[3])
    room[:, :, : live.shape[2]] = live
    return room


class KVCache:
    """A dense, growing KV cache for one batch of sequences; one reader or writer at a time.

    ``cache.k[layer]``, ``cache.v[layer]``: ``[B, n_kv, S, D]``, keys already turned to their positions, views that
    hold until the cache is next changed. ``cache.positions(layer)``: int64 ``[B, S]``. Assigning a tensor of another
    length to ``cache.k[layer]`` is allowed and leaves that layer's positions unknown; ``keep`` evicts without losing
    them.
    """

    def __init__(self, num_layers: int) -> None:
        if num_layers < 1:
            raise ValueError(f"num_layers must be at least 1, got {num_layers}")
        self._layers = [_Layer() for _ in range(num_layers)]
        self.k = _LayerViews(self, 0)
        self.v = _LayerViews(self, 1)

    def __len__(self) -> int:
        """The number of layers."""
        return len(self._layers)

    def seq_len(self, layer: int = 0) -> int:
        """Live slots S of a layer; 0 before the first update."""
        return self._layers[layer].length

    def positions(self, layer: int = 0) -> Tensor:
        """int64 ``[B, S]``, the position in the text of every slot. Raises ValueError when they are unknown."""
        entry = self._known(layer)
        if entry.positions is None:
            raise ValueError("this layer of the cache is empty; it has no positions")
        return entry.positions.clone()

    def next_position(self, layer: int = 0) -> Tensor | int:
        """One past the largest position ever added, evicted or not: int64 ``[B, 1]``, or 0 before the first token.

        Raises ValueError when unknown.
        """
        newest = self._known(layer).newest
        return 0 if newest is None else newest + 1

    def _known(self, layer: int) -> _Layer:
        entry = self._layers[layer]
        if entry.unknown:
            raise ValueError(
                f"the positions of layer {layer} are unknown: its K or V was assigned a tensor of another length. "
                "Evict with cache.keep(indices), which keeps them, or pass positions yourself"
            )
        return entry

    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Append k, v ``[B, n_kv, T, D]`` (turned to ``positions``, int64 ``[T]`` or ``[B, T]``) to a layer.

        Without positions, the tokens follow the newest ever added. Returns views of all slots, ``[B, n_kv, S + T, D]``.
        """
        if positions is None and not self._layers[layer].unknown:
            positions = torch.arange(k.shape[2], device=k.device) + self.next_position(layer)
        if positions is not None:
            positions = check_positions(positions, k.shape[0], k.shape[2])
        views = self.peek(layer, k, v)
        self.commit(layer, k.shape[2], positions)
        return views

    def peek(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """What ``update`` would return, ``[B, n_kv, S + T, D]``, without adding anything.

        The new tokens are written into spare capacity behind the last slot: the views hold until the next write.
        """
        return self._layers[layer].write_behind(k, v)

    def commit(self, layer: int, count: int, positions: Tensor | None) -> None:
        """Add the ``count`` tokens that ``peek`` wrote last, at positions int64 ``[T]`` or ``[B, T]``."""
        entry = self._layers[layer]
        if positions is not None and not entry.unknown:
            held = entry.store[0]
            assert held is not None
            positions = positions.to(held.device).expand(held.shape[0], count).clone()
        entry.commit(count, None if entry.unknown else positions)

    def keep(self, indices: Tensor | Sequence[int], layer: int | None = None) -> None:
        """Evict every slot but ``indices`` (whole numbers ``[S_kept]``, in the order wanted), in one layer or in all.

        Raises ValueError or IndexError, and evicts nothing, when indices repeat, are no slots, or are no integers.
        """
        entries = self._layers if layer is None else [self._layers[layer]]
        chosen = _slot_numbers(indices)
        for entry in entries:
            if chosen.numel() and (int(chosen.min()) < 0 or int(chosen.max()) >= entry.length):
                outside = f"{int(chosen.min())}..{int(chosen.max())}"
                raise IndexError(f"indices {outside} are outside the cache's {entry.length} slots")
        for entry in entries:
            here = chosen.to(entry.view(0).device)
            entry.store = [entry.view(which).index_select(2, here) for which in (0, 1)]
            entry.cut(here, here.numel())

    def rewind(self, length: int) -> None:
        """Forget the last slots so that every layer holds ``length``. Raises ValueError when one holds fewer."""
        shortest = min(entry.length for entry in self._layers)
        if not isinstance(length, int) or not 0 <= length <= shortest:
            raise ValueError(f"cannot rewind to {length} slots: the cache holds {shortest}")
        for entry in self._layers:
            entry.cut(slice(length), length)
            entry.newest = None if entry.positions is None else entry.positions.amax(dim=1, keepdim=True)

    def nbytes(self) -> int:
        """Bytes of K and V really held, spare capacity included."""
        stores = [store for entry in self._layers for store in entry.store if store is not None]
        return sum(store.numel() * store.element_size() for store in stores)


def check_positions(positions: Tensor, batch: int, T: int) -> Tensor:
    """Raise ValueError unless positions are int64 ``[T]``, ``[1, T]`` or ``[batch, T]``."""
    if positions.dtype != torch.int64 or tuple(positions.shape) not in ((T,), (1, T), (batch, T)):
        found = f"{positions.dtype} of shape {tuple(positions.shape)}"
        raise ValueError(f"positions of {T} new tokens must be int64 [{T}] or [{batch}, {T}], got {found}")
    return positions


def _slot_numbers(indices: Tensor | Sequence[int]) -> Tensor:
    """Slot indices as int64 ``[S_kept]``. Raises ValueError unless they are distinct integers."""
    chosen = torch.as_tensor(indices if isinstance(indices, Tensor) else list(indices))
    if chosen.numel() == 0:
        return chosen.new_empty(0, dtype=torch.int64)
    if chosen.dim() != 1 or chosen.dtype not in (torch.int64, torch.int32):
        found = f"{chosen.dtype} of shape {tuple(chosen.shape)}"
        raise ValueError(f"slots to keep are whole numbers [S_kept], got {found}; of a mask, pass mask.nonzero()[:, 0]")
    repeated = chosen.numel() - len(set(chosen.tolist()))
    if repeated:
        raise ValueError(f"a slot can be kept once, and {repeated} indices repeat")
    return chosen.to(torch.int64)
