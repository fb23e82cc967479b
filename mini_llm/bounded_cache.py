"""A KV cache of constant size: the first tokens of the text and the newest ones (Xiao et al. 2023, StreamingLLM)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .kv_cache import GROWTH, KVCache


class BoundedKVCache(KVCache):
    """At most ``budget`` slots a layer: the first ``sinks`` tokens, and a ring where the newest replace the oldest.

    A token attends to the sinks, to the ``budget - sinks`` tokens before it and to itself, however many tokens a pass
    feeds: chunks give what single tokens give. A step moves one slot and copies no survivor.

    in_cache_positions: as StreamingLLM's authors have it, a sink is as far behind a query as their places in the cache
    are. Only that distance differs from true positions, so keys stay as they were turned, and queries are turned once
    more for the sinks. Positions must then be those of the text, from 0 on.

    ``k``, ``v`` and ``positions`` are copies in order of arrival; assigning to them is an error. ``rewind`` and
    ``keep`` raise once something has been overwritten.
    """

    def __init__(self, num_layers: int, budget: int, sinks: int = 4, in_cache_positions: bool = False) -> None:
        if not 0 <= sinks < budget:
            raise ValueError(f"budget={budget} must be more than sinks={sinks}, and sinks at least 0")
        super().__init__(num_layers)
        self.budget, self.sinks, self.in_cache_positions = budget, sinks, in_cache_positions
        self._added = [0] * num_layers  # tokens ever added to each layer

    def layout(self, layer: int) -> tuple[int, ...]:
        return self.seq_len(layer), self._added[layer]

    def read(self, layer: int, which: int) -> Tensor:
        return super().read(layer, which).index_select(2, self._order(layer))

    def assign(self, layer: int, which: int, value: Tensor) -> None:
        raise ValueError("a bounded cache evicts by itself: its k and v are copies that cannot be assigned")

    def positions(self, layer: int = 0) -> Tensor:
        return super().positions(layer).index_select(-1, self._order(layer))

    def peek(self, layer: int, k: Tensor, v: Tensor, in_order: bool = False) -> tuple[Tensor, Tensor]:
        held_k, held_v = super().peek(layer, k, v)
        if not in_order or self._added[layer] <= self.budget:
            return held_k, held_v
        S = self.seq_len(layer)
        order = torch.cat((self._order(layer), torch.arange(S, S + k.shape[2], device=k.device)))
        return held_k.index_select(2, order), held_v.index_select(2, order)

    def commit(self, count: int, positions: Tensor | None, layer: int | None = None) -> None:
        layers = range(len(self)) if layer is None else [layer]
        held = [self.seq_len(index) for index in layers]
        super().commit(count, positions, layer)
        moved: dict[int, Tensor] = {}  # positions, which layers share
        for index, S in zip(layers, held, strict=True):
            first = self._added[index]
            self._added[index] = total = first + count
            entry = self._layers[index]
            if total > self.budget:
                lasting = [a for a in range(first, total) if a < self.sinks or a >= total - (self.budget - self.sinks)]
                source, target = [S + a - first for a in lasting], [self._slot(a) for a in lasting]
                for which, store in enumerate(entry.store):
                    assert store is not None
                    _move(store, source, target, 2)
                    if store.shape[2] > self.budget + 2 * GROWTH:  # a long chunk's room is not kept
                        entry.store[which] = store[:, :, : self.budget + GROWTH].clone()
                assert entry.positions is not None
                if id(entry.positions) not in moved:
                    changed = entry.positions.clone()
                    _move(changed, source, target, -1)
                    moved[id(entry.positions)] = changed[..., : self.budget].contiguous()
                entry.cut(moved[id(entry.positions)], self.budget)

    def keep(self, indices: Tensor | Sequence[int], layer: int | None = None) -> None:
        self._refuse_after_eviction("keep slots")
        if self.in_cache_positions:
            raise ValueError("a cache with in-cache positions holds the text without gaps; it cannot keep slots")
        super().keep(indices, layer)
        self._added = [self.seq_len(index) for index in range(len(self))]

    def rewind(self, length: int) -> None:
        if length != self.seq_len():
            self._refuse_after_eviction("rewind")
        super().rewind(length)
        self._added = [min(added, length) if added <= self.budget else added for added in self._added]

    def default_mask(self, layer: int, T: int, device: torch.device, in_order: bool = False) -> Tensor | None:
        S, added = self.layout(layer)
        if T == 1:
            return None
        if added + T <= self.budget + 1:
            return super().default_mask(layer, T, device, in_order)
        held = torch.arange(S, device=device)
        if added > self.budget:
            arrived = torch.where(held < self.sinks, held, held + added - S)
            if not in_order:
                by_slot = torch.empty_like(held)
                by_slot[self._order(layer).to(device)] = arrived
                arrived = by_slot
            held = arrived
        queries = torch.arange(added, added + T, device=device)[:, None]
        keys = torch.cat((held, queries[:, 0]))
        near = (keys < self.sinks) | (keys >= queries - (self.budget - self.sinks))
        return near & (keys <= queries)

    def turn_for_sinks(self, positions: Tensor) -> Tensor | None:
        """By how many positions each query is turned for the sinks, int64 ``[T]``, none above 0; None when by none.

        Raises ValueError when ``positions`` of the new tokens are not those of the text.
        """
        if not self.in_cache_positions:
            return None
        T = positions.shape[-1]
        expected = torch.arange(self._added[0], self._added[0] + T, device=positions.device)
        if not bool((positions == expected).all()):
            raise ValueError(
                f"in-cache positions need the text's own, {self._added[0]} and on, got {positions.tolist()}"
            )
        turn = expected.clamp(max=self.budget) - expected
        return turn if self.sinks and self._added[0] + T - 1 > self.budget else None

    def _slot(self, arrival: int) -> int:
        return arrival if arrival < self.budget else self.sinks + (arrival - self.sinks) % (self.budget - self.sinks)

    def _order(self, layer: int) -> Tensor:
        """The slots in order of arrival."""
        S, added = self.layout(layer)
        slots = (
            range(S)
            if added <= self.budget
            else [*range(self.sinks), *map(self._slot, range(added - S + self.sinks, added))]
        )
        held = self._layers[layer].store[0]
        return torch.tensor(slots, dtype=torch.int64, device=None if held is None else held.device)

    def _refuse_after_eviction(self, what: str) -> None:
        if max(self._added) > self.budget:
            raise ValueError(
                f"cannot {what}: {max(self._added)} tokens came, and a ring of {self.budget} overwrote some"
            )


def _move(held: Tensor, source: list[int], target: list[int], dim: int) -> None:
    """Copy slots of ``held`` onto others of it."""
    if len(source) == 1:
        held.narrow(dim, target[0], 1).copy_(held.narrow(dim, source[0], 1))
    else:
        taken = held.index_select(dim, torch.tensor(source, device=held.device))
        held.index_copy_(dim, torch.tensor(target, device=held.device), taken)
