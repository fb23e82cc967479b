"""What each chapter's prose asserts as a trend, on the numbers of one run; never what one text and model cannot say."""

from __future__ import annotations

import math
from collections.abc import Callable

Numbers = dict[str, float]


def start(n: Numbers) -> None:
    assert n["00.note.second"] > 10 * n["00.note.first"]
    assert round(n["00.kv.break_even"]) == 11_677


def cost(n: Numbers) -> None:
    assert n["01.kv.llama-2-70b.gib"] == 1.25
    assert round(n["01.naive.qwen2.5-7b"]) == 37_867
    assert n["01.crossover.prefill.qwen2.5-7b"] > 1.5 * n["01.crossover.decode.qwen2.5-7b"]
    assert (n["01.wall.4k.bf16"], n["01.wall.128k.fp8"], n["01.square"]) == (73, 4, 2)
    assert n["01.tpot.batch1.growth"] < 2 < 20 < n["01.tpot.batch64.growth"]
    assert n["01.peak.64"] < n["01.peak.512"] < n["01.peak.matrix"]


def small_model(n: Numbers) -> None:
    assert n["02.chunk.ppl.top_left"] > 5 * n["02.chunk.ppl.bottom_right"]
    assert n["02.chunk.ppl.no_triangle"] < n["02.chunk.ppl.bottom_right"] / 3
    assert n["02.angle.ppl.later.bf16"] > 1.4 * n["02.angle.ppl.later.fp32"]
    assert n["02.ppl.mqa"] > 20 * n["02.ppl.512"]
    assert n["02.parity.transformers"] < 1e-3
    assert n["02.bf16.agree"] > 0.9


def streaming(n: Numbers) -> None:
    assert n["03.ppl.window"] > 1.4 * n["03.ppl.full"]  # window > sinks >= full, within the trained length
    assert n["03.ppl.full"] < n["03.ppl.sinks4"] < 1.25 * n["03.ppl.full"]
    assert n["03.ppl.sink1"] < 0.8 * n["03.ppl.window"]
    assert n["03.bounded.4"] < 0.8 * n["03.bounded.0"]
    for text in ("story", "code"):
        full = n[f"03.table.{text}.full"]
        for budget in (128, 256, 512):
            row = {s: n[f"03.table.{text}.{budget}.{s}"] for s in (0, 1, 2, 4, 8, 16)}
            assert row[0] > 1.25 * row[1]  # 0 -> 1 is the big jump ...
            assert row[1] > full
            assert all(abs(row[s] - row[1]) < 0.1 * (row[0] - row[1]) for s in (2, 4, 8, 16))  # ... the rest is not
            after = [n[f"03.after.{text}.{budget}.{key}"] for key in ("0", "1", "full")]
            assert after == sorted(after, reverse=True)
        assert n[f"03.table.{text}.128.1"] > n[f"03.table.{text}.256.1"] > n[f"03.table.{text}.512.1"]
        assert abs(n[f"03.scheme.{text}.256"]) < 0.02  # position schemes differ little below the trained length
        for budget in (64, 128, 256, 512):  # same bytes: both stream
            assert n[f"03.evict.{text}.window.{budget}"] > 1.4 * n[f"03.evict.{text}.sinks.{budget}"]
            assert n[f"03.evict.{text}.sinks.{budget}"] > n[f"03.evict.{text}.full.all"]
    assert n["03.sink_mass.late_mean"] > 5 * n["03.sink_mass.early_max"]
    assert n["03.sink_mass_code.late_mean"] > 5 * n["03.sink_mass_code.early_max"]
    assert n["03.sink_mass.next_max"] < 0.02
    assert n["03.sink_kv.mute"] > 1.2 * n["03.ppl.sink1"]
    assert n["03.sink_kv.mute_full"] > 1.15 * n["03.ppl.full"]
    assert n["03.sink_kv.swap"] < 1.05 * n["03.ppl.sink1"]
    assert n["03.length.k"] < 0.5
    assert n["03.length.v"] < 0.5
    assert n["03.far.cache"] < 1.05 * n["03.far.0"]
    assert n["03.far.1024"] < 1.1 * n["03.far.0"]
    assert n["03.far.65536"] > n["03.far.16384"] > 3 * n["03.far.window.16384"] > 3 * n["03.far.cache"]
    assert abs(n["03.evict_mib.h2o.512"] / n["03.evict_mib.snapkv.256"] - 1) < 0.01  # the race at equal bytes
    assert n["03.evict_mib.snapkv.64"] > 4 * n["03.evict_mib.h2o.64"]
    assert n["03.replay.ppl.window"] > 2 * n["03.replay.ppl.sink1"]
    assert n["03.replay.ppl.sink1"] < 1.2 * n["03.replay.ppl.full"]
    assert n["03.replay.ppl.knorm"] > n["03.replay.ppl.window"]  # it holds token 0, and loses the newest
    right = {
        key.removeprefix("03.passkey_right."): value for key, value in n.items() if key.startswith("03.passkey_right.")
    }
    assert right["full.all"] == 32
    assert right["topk.64"] >= 30
    for name in ("h2o", "snapkv_before", "sinks", "window"):
        assert all(right[f"{name}.{budget}"] == 0 for budget in (64, 128, 256))
        assert right["quest.256"] > right[f"{name}.256"] + 10
        assert right["quest.512"] > right[f"{name}.512"] + 10
    for name in ("snapkv_before", "sinks", "window"):
        assert n[f"03.passkey_nll.{name}.256"] > 2.303  # worse than guessing; not so H2O, nor the question as window
    assert right["snapkv_question.512"] > right["snapkv_before.512"]


def sparse(n: Numbers) -> None:
    for text in ("mean", "code"):
        for budget in (256, 512, 1024):
            topk, oracle, quest, sinks, window = (
                n[f"04.{text}.{method}.{budget}"] for method in ("topk", "oracle", "quest", "sinks", "window")
            )
            assert topk < oracle < quest < sinks < window
            assert quest < n[f"04.{text}.quest_h0.{budget}"]
        assert n[f"04.{text}.quest.64"] > n[f"04.{text}.sinks.64"]
        assert n[f"04.{text}.topk.256"] < n[f"04.{text}.topk_group.256"] < n[f"04.{text}.topk_layer.256"]
        assert n[f"04.{text}.mean_pages.256"] > n[f"04.{text}.quest.256"]
        for method in ("window", "sinks", "quest", "oracle", "topk"):
            errors = [n[f"04.{text}.{method}.{budget}"] for budget in (64, 128, 256, 512, 1024)]
            assert errors == sorted(errors, reverse=True)
    assert n["04.read.quest_h0"] < n["04.read.quest"] < 256
    assert n["04.way.quest"] < n["04.way.masked"] < n["04.way.quest_h0"]
    assert n["04.passkey.full.all.right"] == n["04.passkey.trials"] == 32
    assert n["04.passkey.topk.64.right"] >= 28
    for policy in ("h2o", "sinks", "window", "snapkv_before", "snapkv_question"):
        assert n["04.passkey.quest.256.right_low"] > n[f"04.passkey.{policy}.256.right_high"]
    for policy in ("sinks", "window"):
        assert n[f"04.passkey.{policy}.256.nll"] > math.log(10)
    assert n["04.mended.page0.kl"] < n["04.mended.quest.kl"]
    assert n["04.mended.topk_dense2.kl"] < n["04.chain.story.topk.256.kl"]
    for budget in (64, 128, 256, 512):
        assert n[f"04.sinkpage.quest.{budget}"] < n[f"04.mean.quest.{budget}"]
    assert n["04.topk.beaten"] > 0
    assert n["04.layer0.topk"] > n["04.layer0.sinks"]
    for text in ("story", "code"):
        indexer, quest_group, sinks = (
            n[f"04.indexer.{text}.{text}.256.{method}"] for method in ("indexer", "quest_group", "sinks")
        )
        assert indexer < min(quest_group, sinks)
    assert n["04.dsa.held"] > 1


PHENOMENA: dict[str, Callable[[Numbers], None]] = {
    "00_start": start,
    "01_cost": cost,
    "02_mini_llm": small_model,
    "03_streaming": streaming,
    "04_sparse": sparse,
}
