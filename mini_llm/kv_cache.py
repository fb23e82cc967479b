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
        self.positions: Tensor | None = None  # [B, S]; None when empty or unknown
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
        if value.shape[2] != self.lengths[which]:
            self.positions, self.unknown = None, True
        self.store[which], self.lengths[which] = _with_room(value, value.shape[2] + _GROWTH), value.shape[2]

    def write_behind(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write k, v after the live slots, growing if need be, and return views of live + new. ``length`` stays."""
        start = self.length
        end = start + k.shape[2]
        return self._write_one(0, k, start, end), self._write_one(1, v, start, end)

    def _write_one(self, which: int, new: Tensor, start: int, end: int) -> Tensor:
        store = self.store[which]
        if store is None:
            store = new.new_empty(new.shape[0], new.shape[1], end + _GROWTH, new.shape[3])
        elif (*store.shape[:2], store.shape[3], store.dtype) != (*new.shape[:2], new.shape[3], new.dtype):
            raise ValueError(
                f"new {'kv'[which]} {tuple(new.shape)} {new.dtype} does not fit the cache's "
                f"{tuple(self.view(which).shape)} {store.dtype}"
            )
        elif store.shape[2] < end:
            store = _with_room(store[:, :, :start], max(end, start * 3 // 2) + _GROWTH)
        self.store[which] = store
        store[:, :, start:end] = new
        return store[:, :, :end]


def _with_room(live: Tensor, capacity: int) -> Tensor:
    """A copy of live ``[B, n_kv, S, D]`` with memory of its own for ``capacity`` slots."""
    room = live.new_empty(*live.shape[:2], capacity, live.shape[3])
    room[:, :, : live.shape[2]] = live
    return room


class KVCache:
    """A dense, growing KV cache for one batch of sequences.

    ``cache.k[layer]``, ``cache.v[layer]``: ``[B, n_kv, S, D]``, keys already turned to their positions.
    ``cache.positions(layer)``: int64 ``[B, S]``. Assigning a tensor of another length to ``cache.k[layer]`` is
    allowed and leaves that layer's positions unknown; ``keep`` evicts without losing them.
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
        positions = self._known_positions(layer)
        if positions is None:
            raise ValueError("the cache is empty; it has no positions before the first update")
        return positions

    def next_position(self, layer: int = 0) -> Tensor | int:
        """One past the newest position: int64 ``[B, 1]``, or 0 when empty. Raises ValueError when unknown."""
        positions = self._known_positions(layer)
        return 0 if positions is None or positions.shape[1] == 0 else positions[:, -1:] + 1

    def _known_positions(self, layer: int) -> Tensor | None:
        entry = self._layers[layer]
        if entry.unknown:
            raise ValueError(
                f"the positions of layer {layer} are unknown: its K or V was assigned a tensor of another length. "
                "Evict with cache.keep(indices), which keeps them, or pass positions yourself"
            )
        return entry.positions

    def update(self, layer: int, k: Tensor, v: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Append k, v ``[B, n_kv, T, D]`` (turned to ``positions``, int64 ``[T]`` or ``[B, T]``) to a layer.

        Without positions, the tokens follow the newest slot. Returns views of all slots, ``[B, n_kv, S + T, D]``.
        """
        entry = self._layers[layer]
        B, _, T, _ = k.shape
        if v.shape[:3] != k.shape[:3]:
            raise ValueError(f"k {tuple(k.shape)} and v {tuple(v.shape)} disagree")
        if not entry.unknown:
            new = self._default_positions(layer, T, k.device) if positions is None else positions.to(k.device)
            if new.shape[-1] != T:
                raise ValueError(f"{new.shape[-1]} positions for {T} new tokens")
        views = entry.write_behind(k, v)
        if not entry.unknown:
            new = new.expand(B, T)
            entry.positions = new.clone() if entry.positions is None else torch.cat((entry.positions, new), dim=1)
        entry.lengths = [views[0].shape[2], views[1].shape[2]]
        return views

    def _default_positions(self, layer: int, T: int, device: torch.device) -> Tensor:
        return torch.arange(T, device=device) + self.next_position(layer)

    def peek(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """What ``update`` would return, ``[B, n_kv, S + T, D]``, without adding anything.

        The new tokens are written into spare capacity behind the last slot: the views hold until the next write.
        """
        return self._layers[layer].write_behind(k, v)

    def keep(self, indices: Tensor | Sequence[int], layer: int | None = None) -> None:
        """Evict every slot but ``indices`` (int64 ``[S_kept]``, in the order wanted), in one layer or in all."""
        for entry in self._layers if layer is None else [self._layers[layer]]:
            chosen = torch.as_tensor(indices, dtype=torch.int64, device=entry.view(0).device)
            if chosen.numel() and (int(chosen.min()) < 0 or int(chosen.max()) >= entry.length):
                raise IndexError(
                    f"indices {int(chosen.min())}..{int(chosen.max())} are outside the cache's {entry.length} slots"
                )
            entry.store = [entry.view(which).index_select(2, chosen) for which in (0, 1)]
            entry.lengths = [chosen.numel(), chosen.numel()]
            if entry.positions is not None:
                entry.positions = entry.positions.index_select(1, chosen)

    def rewind(self, length: int) -> None:
        """Forget the newest slots so that every layer holds ``length``. Raises ValueError when one holds fewer."""
        shortest = min(entry.length for entry in self._layers)
        if not 0 <= length <= shortest:
            raise ValueError(f"cannot rewind to {length} slots: the cache holds {shortest}")
        for entry in self._layers:
            entry.lengths = [length, length]
            if entry.positions is not None:
                entry.positions = entry.positions[:, :length]

    def nbytes(self) -> int:
        """Bytes of K and V really held, spare capacity included."""
        stores = [store for entry in self._layers for store in entry.store if store is not None]
        return sum(store.numel() * store.element_size() for store in stores)
