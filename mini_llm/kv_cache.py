"""Keys and values of the tokens seen so far, with the position of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from .masks import causal_after

GROWTH = 256  # slots added at least when a layer's storage is full


class _LayerViews:
    """``cache.k`` or ``cache.v``: ``[layer]`` reads the live slots ``[B, n_kv, S, D]`` and may be assigned."""

    def __init__(self, cache: KVCache, which: int) -> None:
        self._cache, self._which = cache, which

    def __len__(self) -> int:
        return len(self._cache)

    def __getitem__(self, layer: int) -> Tensor:
        return self._cache.read(layer, self._which)

    def __setitem__(self, layer: int, value: Tensor) -> None:
        self._cache.assign(layer, self._which, value)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[layer] for layer in range(len(self)))


class _Layer:
    """One layer's storage: K and V ``[B, n_kv, capacity, D]``, of which the first ``length`` slots are live."""

    def __init__(self) -> None:
        self.store: list[Tensor | None] = [None, None]  # K, V
        self.lengths = [0, 0]  # differ only between an assignment to k and the one to v that must follow
        self.positions: Tensor | None = None  # [B, S], [B, n_kv, S] where heads kept different slots; None when empty
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
        self.store[which], self.lengths[which] = _with_room(value, value.shape[2] + GROWTH), value.shape[2]

    def write_behind(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Write k, v after the live slots, growing if need be, and return views of live + new. ``length`` stays."""
        if not k.shape[2]:
            raise ValueError(f"no new tokens in k {tuple(k.shape)}")
        if v.shape[:3] != k.shape[:3]:
            raise ValueError(f"k {tuple(k.shape)} and v {tuple(v.shape)} disagree")
        start = self.length
        return self._write_one(0, k, start), self._write_one(1, v, start)

    def _write_one(self, which: int, new: Tensor, start: int) -> Tensor:
        store, count = self.store[which], new.shape[2]
        fits = store is not None and _same_kind(store, new)
        if store is None or (start == 0 and not fits):
            store = new.new_empty(new.shape[0], new.shape[1], start + count + GROWTH, new.shape[3])
        elif not fits:
            raise ValueError(
                f"new {'kv'[which]} {tuple(new.shape)} {new.dtype} does not fit the cache's "
                f"{tuple(self.view(which).shape)} {store.dtype}"
            )
        elif store.shape[2] < start + count or (store.is_inference() and not torch.is_inference_mode_enabled()):
            store = _with_room(store[:, :, :start], max(start + count, start * 3 // 2) + GROWTH)
        self.store[which] = store
        store.narrow(2, start, count).copy_(new)
        return store.narrow(2, 0, start + count)

    def with_positions(self, added: Tensor) -> tuple[Tensor, Tensor]:
        """The slots' positions and the newest one after tokens at ``added``, int64 ``[B, T]``, have joined."""
        newest = added.amax(dim=-1, keepdim=True)
        if self.positions is None or self.newest is None:
            return added, newest
        if self.positions.dim() == 3:
            added = added[:, None].expand(-1, self.positions.shape[1], -1)
        return torch.cat((self.positions, added), dim=-1), torch.maximum(newest, self.newest)

    def cut(self, positions: Tensor | None, length: int) -> None:
        """Keep ``length`` slots at ``positions``; a layer without slots has nothing unknown left."""
        self.lengths = [length, length]
        self.positions = positions if length else None
        self.unknown = self.unknown and length > 0


def _same_kind(store: Tensor, new: Tensor) -> bool:
    """Whether new K or V can be slots of a storage."""
    (B, heads, _, D), held = new.shape, store.shape
    return (B, heads, D) == (held[0], held[1], held[3]) and new.dtype == store.dtype and new.device == store.device


def _with_room(live: Tensor, capacity: int) -> Tensor:
    """A copy of live ``[B, n_kv, S, D]`` with memory of its own for ``capacity`` slots."""
    room = live.new_empty(*live.shape[:2], capacity, live.shape[3])
    room[:, :, : live.shape[2]] = live
    return room


class KVCache:
    """A dense, growing KV cache for one batch of sequences; one reader or writer at a time.

    ``cache.k[layer]``, ``cache.v[layer]``: ``[B, n_kv, S, D]``, keys already turned to their positions, views that
    hold until the cache is next changed. ``cache.positions(layer)``: int64 ``[B, S]``, and ``[B, n_kv, S]`` once KV
    heads kept different slots. Assigning a tensor of another length to ``cache.k[layer]`` is allowed and leaves that
    layer's positions unknown; ``keep`` evicts without losing them.
    """

    sinks = 0  # slots that queries may see from another distance

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

    def layout(self, layer: int) -> tuple[int, ...]:
        """What two layers must have in common for one mask to serve both."""
        return (self.seq_len(layer),)

    def read(self, layer: int, which: int) -> Tensor:
        """K (which = 0) or V (1) of a layer, ``[B, n_kv, S, D]``."""
        return self._layers[layer].view(which)

    def assign(self, layer: int, which: int, value: Tensor) -> None:
        """Replace K (which = 0) or V (1) of a layer by a copy of value."""
        self._layers[layer].assign(which, value)

    def positions(self, layer: int = 0) -> Tensor:
        """Each slot's position in the text: int64 ``[B, S]``, or ``[B, n_kv, S]`` where KV heads kept different slots.

        Raises ValueError when unknown.
        """
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

        Without positions, the tokens follow the newest ever added. Returns what ``peek`` does.
        """
        if positions is None and not self._layers[layer].unknown:
            positions = torch.arange(k.shape[2], device=k.device) + self.next_position(layer)
        if positions is not None:
            positions = check_positions(positions, k.shape[0], k.shape[2])
        views = self.peek(layer, k, v)
        self.commit(k.shape[2], positions, layer)
        return views

    def default_mask(self, layer: int, T: int, device: torch.device, in_order: bool = False) -> Tensor | None:
        """Which of ``peek``'s keys T new tokens see when nothing else is said: bool ``[T, S + T]``, or None.

        None means all of them when T is 1, and causal when the cache is empty.
        """
        S = self.seq_len(layer)
        return causal_after(S, T, device) if S and T > 1 else None

    def turn_for_sinks(self, positions: Tensor) -> Tensor | None:
        """By how many positions queries at ``positions`` are turned for the sinks alone; None when by none."""
        return None

    def peek(self, layer: int, k: Tensor, v: Tensor, in_order: bool = False) -> tuple[Tensor, Tensor]:
        """K and V of the cached and the new tokens, ``[B, n_kv, S + T, D]``, without adding anything.

        The new tokens are written into spare capacity behind the last slot: the views hold until the next write.
        Slots come as they lie in memory, or ``in_order`` of arrival, which is the same in a dense cache.
        """
        return self._layers[layer].write_behind(k, v)

    def commit(self, count: int, positions: Tensor | None, layer: int | None = None) -> None:
        """Add the ``count`` tokens that ``peek`` wrote last, at positions int64 ``[T]`` or ``[B, T]``, to all layers
        or to one."""
        entries = self._layers if layer is None else [self._layers[layer]]
        grown: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}  # layers share their positions until one evicts alone
        for entry in entries:
            entry.lengths = [length + count for length in entry.lengths]
            if positions is None or entry.unknown:
                continue
            same = (id(entry.positions), id(entry.newest))
            if same not in grown:
                held = entry.view(0)
                grown[same] = entry.with_positions(positions.to(held.device).expand(held.shape[0], count).clone())
            entry.positions, entry.newest = grown[same]

    def keep(self, indices: Tensor | Sequence[int], layer: int | None = None) -> None:
        """Evict every slot but ``indices``, in one layer or in all.

        indices: whole numbers ``[S_kept]``, in the order wanted, or ``[n_kv, S_kept]`` with a choice for each KV head.
        Raises ValueError or IndexError, and evicts nothing, when indices repeat, are no slots, or are no integers.
        """
        entries = self._layers if layer is None else [self._layers[layer]]
        chosen = _slot_numbers(indices)
        for entry in entries:
            if chosen.numel() and (int(chosen.min()) < 0 or int(chosen.max()) >= entry.length):
                outside = f"{int(chosen.min())}..{int(chosen.max())}"
                raise IndexError(f"indices {outside} are outside the cache's {entry.length} slots")
            if chosen.dim() == 2 and len(chosen) != entry.view(0).shape[1]:
                raise ValueError(f"{len(chosen)} rows of indices for {entry.view(0).shape[1]} KV heads")
        for entry in entries:
            here = chosen.to(entry.view(0).device)
            entry.store = [_take(entry.view(which), here) for which in (0, 1)]
            entry.cut(None if entry.positions is None else _take_positions(entry.positions, here), here.shape[-1])

    def rewind(self, length: int) -> None:
        """Forget the last slots so that every layer holds ``length``. Raises ValueError when one holds fewer."""
        shortest = min(entry.length for entry in self._layers)
        if not isinstance(length, int) or not 0 <= length <= shortest:
            raise ValueError(f"cannot rewind to {length} slots: the cache holds {shortest}")
        for entry in self._layers:
            entry.cut(None if entry.positions is None else entry.positions[..., :length], length)
            left = entry.positions
            entry.newest = None if left is None else left.flatten(1).amax(dim=1, keepdim=True)

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
    """Slot indices as int64 ``[S_kept]`` or ``[n_kv, S_kept]``. Raises ValueError unless a row is distinct integers."""
    chosen = torch.as_tensor(indices if isinstance(indices, Tensor) else list(indices))
    if chosen.numel() == 0:
        return chosen.to(torch.int64)
    if chosen.dim() not in (1, 2) or chosen.dtype not in (torch.int64, torch.int32):
        found = f"{chosen.dtype} of shape {tuple(chosen.shape)}"
        raise ValueError(
            f"slots to keep are whole numbers [S_kept] or [n_kv, S_kept], got {found}; "
            "of a mask, pass mask.nonzero()[:, 0]"
        )
    ordered = chosen.sort(dim=-1).values
    repeated = int((ordered.diff(dim=-1) == 0).sum())
    if repeated:
        raise ValueError(f"a slot can be kept once, and {repeated} indices repeat")
    return chosen.to(torch.int64)


def _take(held: Tensor, chosen: Tensor) -> Tensor:
    """Slots of ``[B, n_kv, S, D]``: chosen ``[S_kept]`` for every KV head, or ``[n_kv, S_kept]`` for each its own."""
    if chosen.dim() == 1:
        return held.index_select(2, chosen)
    return held.gather(2, chosen[None, :, :, None].expand(held.shape[0], -1, -1, held.shape[3]))


def _take_positions(positions: Tensor, chosen: Tensor) -> Tensor:
    """The positions ``[B, S]`` or ``[B, n_kv, S]`` of chosen slots; ``[B, n_kv, S_kept]`` once KV heads differ."""
    if chosen.dim() == 1:
        return positions.index_select(-1, chosen)
    by_head = positions if positions.dim() == 3 else positions[:, None].expand(-1, len(chosen), -1)
    return by_head.gather(2, chosen.expand(len(by_head), -1, -1))
