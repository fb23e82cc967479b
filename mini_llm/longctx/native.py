"""NSA's three branches (Yuan et al. 2025, Native Sparse Attention) on the q, k and v of a model not trained for them.

*Simulated*, and only the selecting and mixing: NSA trains separate K and V for each branch, an MLP that compresses
blocks with their inner positions, and gates that mix the branches. Here all branches read the model's own K and V,
compression is the mean, and gates are constants. MoBA needs no code of its own: it is ``mean_key_scores`` and
``top_pages`` with its block as the page.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .sparse import LastQueries, mix, sinks_and_window

BRANCHES = ("compressed", "selected", "window")


@dataclass(frozen=True)
class NSA:
    """Sizes in tokens, but ``count`` in blocks; the published model's by default.

    Compressed blocks of ``length`` start every ``stride`` tokens; selected blocks are ``block`` tokens, ``count`` in
    all with the first and the newest two, which are always read; the window is the newest ``window``.
    """

    length: int = 32
    stride: int = 16
    block: int = 64
    count: int = 16
    window: int = 512

    def tokens_read(self, S: int) -> int:
        """Keys and compressed blocks that a query at the end of S tokens reads, as the paper counts them."""
        return (S - self.length) // self.stride + self.count * self.block + self.window

    def read_ratio(self, S: int) -> float:
        """S tokens over those read: the paper's *expected* decode speed-up, no measured one."""
        return S / self.tokens_read(S)


def compress(x: Tensor, nsa: NSA) -> Tensor:
    """Means of the whole compressed blocks of x ``[n_kv, S, D]``: ``[n_kv, blocks, D]``."""
    return x.unfold(1, nsa.length, nsa.stride).mean(-1)


def compressed_weights(queries: LastQueries, nsa: NSA) -> Tensor:
    """Softmax over the compressed blocks that end before or at the query, ``[n_heads, T, blocks]``.

    0 everywhere for a query before the end of the first block.
    """
    scores = queries.dot(compress(queries.k, nsa)) * queries.k.shape[2] ** -0.5
    last = torch.arange(scores.shape[-1], device=scores.device) * nsa.stride + nsa.length - 1
    return scores.masked_fill(last > queries.position, -torch.inf).softmax(-1).nan_to_num(0.0)


def block_scores(queries: LastQueries, nsa: NSA) -> Tensor:
    """What blocks are selected by, ``[n_kv, T, blocks]``: compressed weights by overlap, summed over a group's heads.

    A compressed block counts for a selected one by the tokens they share, in strides: with the published sizes the
    weights are 1, 2, 2, 2, 1. Blocks that start after the query are -inf.
    """
    weights = compressed_weights(queries, nsa)
    blocks = -(-queries.k.shape[1] // nsa.block)
    first = torch.arange(weights.shape[-1], device=weights.device)[:, None] * nsa.stride
    start = torch.arange(blocks, device=weights.device) * nsa.block
    overlap = torch.minimum(first + nsa.length, start + nsa.block) - torch.maximum(first, start)
    scores = weights @ (overlap.clamp(min=0) / nsa.stride).to(weights.dtype)  # [n_heads, T, blocks]
    scores = scores.reshape(len(queries.k), -1, *scores.shape[1:]).sum(1)
    return scores.masked_fill(start > queries.position, -torch.inf)


def selected_mask(queries: LastQueries, nsa: NSA) -> Tensor:
    """The ``count`` best blocks, the first and the newest two among them: one set a KV group."""
    scores = block_scores(queries, nsa)
    own = queries.position // nsa.block
    number = torch.arange(scores.shape[-1], device=scores.device)
    forced = (number == 0) | ((number <= own) & (number >= own - 1))
    best = scores.masked_fill(forced, torch.inf).topk(min(nsa.count, scores.shape[-1])).indices
    blocks = torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, best, True)
    tokens = blocks.repeat_interleave(nsa.block, dim=-1)[..., : queries.k.shape[1]] & queries.causal
    return tokens.repeat_interleave(len(queries.q) // len(queries.k), dim=0)


def branches(queries: LastQueries, v: Tensor, nsa: NSA) -> Tensor:
    """What each of ``BRANCHES`` puts out alone, ``[3, n_heads, T, D]``."""
    compressed = mix(compressed_weights(queries, nsa), compress(v, nsa))
    selected = queries.output(v, selected_mask(queries, nsa))
    return torch.stack((compressed, selected, queries.output(v, sinks_and_window(queries, nsa.window))))


def fitted_gates(outputs: Tensor, full: Tensor) -> Tensor:
    """Three constants for each head that mix branches ``[3, n_heads, T, D]`` nearest to full ``[n_heads, T, D]``.

    Least squares, ``[n_heads, 3]``: the most that gates which do not look at the query can do.
    """
    heads = full.shape[0]
    columns = outputs.permute(1, 2, 3, 0).reshape(heads, -1, 3)
    return torch.linalg.lstsq(columns, full.reshape(heads, -1, 1)).solution[..., 0]


def gated(outputs: Tensor, gates: Tensor) -> Tensor:
    """The branches ``[3, n_heads, T, D]`` mixed by gates ``[n_heads, 3]``: ``[n_heads, T, D]``."""
    return (outputs * gates.T[:, :, None, None]).sum(0)
