"""From lost attention mass to lost quality: one selection rule in all layers of one pass, followed link by link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

import torch
import torch.nn.functional as F
from torch import Tensor

from ..kv_cache import KVCache
from ..masked_forward import forward_with_mask
from ..model import Transformer
from .sparse import LastQueries, relative

Choose = Callable[[int, LastQueries], Tensor]
"""(layer, its queries) -> mask bool ``[n_heads, T, S]``."""


def read_all(layer: int, queries: LastQueries) -> Tensor:
    """Full attention as a rule."""
    return queries.causal.expand(len(queries.q), -1, -1)


def split_output(queries: LastQueries, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Kept mass m ``[n_heads, T, 1]``, output over the mask's keys and output over the rest ``[n_heads, T, D]``.

    Full attention is their mean weighted by m, so selecting changes it by exactly ``(1 - m) (selected - rest)``: small
    when little mass is lost or when what is lost says the same. Where nothing is left over, the rest is 0.
    """
    kept = (queries.weights * mask).sum(-1, keepdim=True)
    return kept, queries.output(v, mask), queries.output(v, ~mask & queries.causal).nan_to_num(0.0)


class ErrorChain:
    """The last T of S tokens, read after a dense prefill: once densely, then under any selection rule.

    ids: int64 ``[S + 1]``; the last one is only foretold. *Simulated*: the rule's keys are the only ones read, but all
    scores are computed.
    """

    def __init__(self, model: Transformer, ids: Tensor, T: int) -> None:
        self._model, self._ids, self._targets = model, ids[-T - 1 : -1], ids[-T:]
        self._cache = KVCache(model.cfg.num_hidden_layers)
        with torch.no_grad():
            model(ids[None, : -T - 1], self._cache, logits_for=[-1])
        self.logits, layers = self._pass(read_all)
        self._outputs = [queries.output(v) for queries, v, _ in layers]

    def follow(self, choose: Choose) -> dict[str, float | list[float]]:
        """What the rule costs, link by link.

        "lost_mass" and "output", the attention output's relative error, compare with full attention over the same
        q, k and v, as the pass itself has them: a layer's own loss, mean of layers. "drift" compares its output with
        that of the dense pass: with the losses of the layers before. "logits": relative error of the logits less
        their mean, which softmax does not see. "kl": KL(dense || selected) in nats. "nll" and "nll_full" in nats of
        the next token. "same_top": share of queries whose likeliest token stays. "layers.output", "layers.drift": the
        errors of the layers.
        """
        logits, layers = self._pass(choose)
        lost, output, drift = [], [], []
        for (queries, v, mask), dense_output in zip(layers, self._outputs, strict=True):
            selected = queries.output(v, mask)
            lost.append(1 - queries.kept_mass(mask))
            output.append(relative(selected, queries.output(v)))
            drift.append(relative(selected, dense_output))
        dense, found = self.logits.log_softmax(-1), logits.log_softmax(-1)
        return {
            "lost_mass": fmean(lost),
            "output": fmean(output),
            "drift": fmean(drift),
            "layers.output": output,
            "layers.drift": drift,
            "logits": relative(_centred(logits), _centred(self.logits)),
            "kl": F.kl_div(found, dense, log_target=True, reduction="batchmean").item(),
            "nll": F.nll_loss(found, self._targets.to(found.device)).item(),
            "nll_full": F.nll_loss(dense, self._targets.to(dense.device)).item(),
            "same_top": (logits.argmax(-1) == self.logits.argmax(-1)).double().mean().item(),
        }

    def _pass(self, choose: Choose) -> tuple[Tensor, Iterator[tuple[LastQueries, Tensor, Tensor]]]:
        """fp32 logits ``[T, vocab]``, and each layer's queries, v ``[n_kv, S, D]`` and mask, one at a time."""
        asked: list[tuple[Tensor, Tensor, Tensor]] = []

        def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
            mask = choose(layer, LastQueries(q[0], k[0]))
            asked.append((q[0].clone(), k[0].clone(), mask))  # k is the cache's memory
            return mask

        held = self._cache.seq_len()
        positions = torch.arange(held, held + len(self._ids))
        logits, new = forward_with_mask(self._model, self._ids, positions, self._cache, select)
        values = (torch.cat((self._cache.v[layer][0], v[0]), dim=1) for layer, (_, v) in enumerate(new))
        layers = ((LastQueries(q, k), v, mask) for (q, k, mask), v in zip(asked, values, strict=True))
        return logits.float(), layers


def _centred(logits: Tensor) -> Tensor:
    return logits - logits.mean(-1, keepdim=True)
