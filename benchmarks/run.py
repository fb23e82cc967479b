"""mini_llm beside transformers and beside the machine's own limits: ``make bench`` (``make bench DEVICE=cuda``).

Every row is measured in turns, ours and the other, in one run; what is quoted is the median of the rounds' ratios.
Results go to ``benchmarks/results/``, with the machine's description, as a table, a plot and JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import torch
import transformers
from machine import bare_products, describe, read_bandwidth, seconds
from rows import Bench, Row
from tqdm import tqdm

from mini_llm import Transformer
from mini_llm.checkpoints import EMBEDDED, find_folder
from mini_llm.longctx.text import passage_ids
from mini_llm.show.plots import BLUE, GREY, ORANGE

HERE = Path(__file__).resolve().parent
LEGEND = (
    "*ratio*: how many times as fast, or as small, ours is as the other, the median of rounds taken in turns (*range*: "
    "from the worst to the best). A ratio below its *goal* is **bold**. *decode at N*: one token with N in the cache; "
    "*bounded*: StreamingLLM's sinks and newest tokens; *the original, by token*: StreamingLLM's protocol written out "
    "on transformers' modules, one token at a time; *in-cache, masked*: the same numbers in one masked pass; *load and "
    "first token*: ours packs the weights at the first pass.",
)
PROBES = {
    "ours": "import mini_llm.checkpoints; from mini_llm import Transformer as Model",
    "transformers": "from transformers import LlamaForCausalLM as Model",
}
PROBE = """
import sys, time, torch
from pathlib import Path
{imports}
folder, dtype, tokens = sys.argv[1], getattr(torch, sys.argv[2]), int(sys.argv[3])
start = time.perf_counter()
model = Model.from_pretrained(folder, dtype=dtype)
loaded = time.perf_counter() - start
with torch.inference_mode():
    model(torch.arange(1)[None])
    first = time.perf_counter() - start
    model(torch.arange(tokens)[None])
status = Path("/proc/self/status").read_text()
print(loaded, first, int(status.partition("VmHWM:")[2].split()[0]) * 1024)
"""


def main() -> None:
    options = _options()
    device = torch.device(options.device)
    if device.type == "cpu":
        quick = ["--quick"] if options.quick else []
        for part in ("judging.py", "batch.py"):
            subprocess.run([sys.executable, HERE / part, "--out", options.out, *quick], check=True)
    if device.type != "cpu":  # the mode that this sets slows every call of a small model
        torch.set_default_device(device)
    folder = find_folder(EMBEDDED)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    ids = passage_ids(tokenizer, 1664).to(device)
    table: list[dict[str, Any]] = []
    limits: dict[str, float] = {"read bandwidth, GB/s": read_bandwidth(device) / 1e9}
    with torch.inference_mode():
        for dtype in (torch.float32, torch.bfloat16):
            bench = Bench(
                Transformer.from_pretrained(folder, dtype=dtype),
                transformers.LlamaForCausalLM.from_pretrained(folder, dtype=dtype).to(device),
                ids,
                options.quick,
            )
            rows = bench.rows()
            for row in tqdm(rows, desc=bench.dtype, file=sys.stdout):
                table.append(_measured(row, bench.dtype, device))
            limits |= _against_limits(bench, table, limits["read bandwidth, GB/s"], device)
    if Path("/proc/self/status").exists() and device.type == "cpu":
        limits["import mini_llm, seconds beyond torch"] = _import_seconds(1 if options.quick else 5)
        table += _fresh_processes(folder, 64 if options.quick else 1600, rounds=1 if options.quick else 3)
    _write(options.out, device, table, limits)
    missed = [row for row in table if row["goal"] and row["ratio"] < row["goal"]]
    print(f"{len(table)} rows, {len(missed)} below their goal: {options.out}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--quick", action="store_true", help="a little of every row, to see that it runs")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder to write to")
    return parser.parse_args()


def _measured(row: Row, dtype: str, device: torch.device) -> dict[str, Any]:
    """A row's times and ratio. Numbers that must be the same are compared to 1e-4 of their size."""
    if row.rounds > 1:
        row.ours(), row.other()
    ours, other = [], []
    found: list[object] = []
    for _ in range(row.rounds):
        ours.append(seconds(lambda: found.append(row.ours()), device))
        other.append(seconds(lambda: found.append(row.other()), device))
    if row.same:
        torch.testing.assert_close(*found[-2:], atol=1e-4, rtol=1e-4)
    ratios = sorted(b / a for a, b in zip(ours, other, strict=True))
    scale = 1000 / row.per if row.unit.startswith("ms") else 1
    return {
        "row": row.name,
        "dtype": dtype,
        "against": row.against,
        "ours": statistics.median(ours) * scale,
        "other": statistics.median(other) * scale,
        "unit": row.unit,
        "ratio": statistics.median(ratios),
        "from": ratios[0],
        "to": ratios[-1],
        "goal": row.goal,
        "tokens": row.tokens,
    }


def _against_limits(
    bench: Bench, table: list[dict[str, Any]], bandwidth: float, device: torch.device
) -> dict[str, float]:
    """How near prefill comes to its bare matrix products, and decode to the speed at which weights can be read."""
    tokens, chunk = (128, 64) if bench.quick else (1600, 64)
    found: dict[str, float] = {}
    for name, step in (("prefill by 64", chunk), ("prefill whole", tokens)):
        bare = bare_products(bench.ours.cfg, tokens, step, bench.ours.dtype, device)
        bare()
        least = min(seconds(bare, device) for _ in range(1 if bench.quick else 3))
        took = next(r["ours"] for r in table if (r["row"], r["dtype"]) == (name, bench.dtype))
        found[f"{name}, {bench.dtype}: time over bare matrix products"] = took / least
    weights = sum(p.numel() * p.element_size() for p in bench.ours.parameters())
    step_ms = next(r["ours"] for r in table if (r["row"], r["dtype"]) == ("decode at 128", bench.dtype))
    found[f"decode at 128, {bench.dtype}: share of the read bandwidth"] = weights / (step_ms / 1e3) / (bandwidth * 1e9)
    return found


def _fresh_processes(folder: Path, tokens: int, rounds: int) -> list[dict[str, Any]]:
    """Seconds to load and to the first token, and peak memory of that and a pass over the text, in fresh processes."""
    found = []
    for dtype in ("float32", "bfloat16"):
        results: dict[str, list[tuple[float, ...]]] = {"ours": [], "transformers": []}
        for _ in range(rounds):
            for who, imports in PROBES.items():
                command = [sys.executable, "-c", PROBE.format(imports=imports), str(folder), dtype, str(tokens)]
                out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parent).stdout
                results[who].append(tuple(map(float, out.split())))
        names = (("load", "s", 1.0), ("load and first token", "s", 1.0), ("peak memory", "MiB", 2.0**20))
        for index, (name, unit, scale) in enumerate(names):
            ours, other = ([run[index] / scale for run in results[who]] for who in PROBES)
            ratios = sorted(b / a for a, b in zip(ours, other, strict=True))
            row = {
                "row": name,
                "dtype": dtype,
                "against": "transformers",
                "unit": unit,
                "goal": None if index == 1 else 1.0,
            }
            row |= {"ours": statistics.median(ours), "other": statistics.median(other)}
            found.append(row | {"ratio": statistics.median(ratios), "from": ratios[0], "to": ratios[-1]})
    return found


def _import_seconds(rounds: int) -> float:
    def least(statement: str) -> float:
        command = [sys.executable, "-c", statement]
        cpu = torch.device("cpu")
        return min(seconds(lambda: subprocess.run(command, check=True, cwd=HERE.parent), cpu) for _ in range(rounds))

    return least("import torch, mini_llm") - least("import torch")


def _write(out: Path, device: torch.device, table: list[dict[str, Any]], limits: dict[str, float]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    about = describe(device)
    whole = {"machine": about, "limits": limits, "rows": table}
    (out / f"{device.type}.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    lines = [f"# mini_llm on {about.get('device', about['processor'])}", ""]
    lines += [f"{name}: {value}" + "  " for name, value in about.items()]
    lines += [
        "",
        *LEGEND,
        "",
        "| row | dtype | ours | against | its | ratio | range | goal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in table:
        goal = "" if r["goal"] is None else f"{r['goal']:g}"
        ours, other = (
            f"{r[key]:.3g} {r['unit']}" if r["unit"] != "MiB" else f"{r[key]:.0f} MiB" for key in ("ours", "other")
        )
        spread = f"{r['from']:.2f}-{r['to']:.2f}"
        ratio = f"{r['ratio']:.2f}" if not r["goal"] or r["ratio"] >= r["goal"] else f"**{r['ratio']:.2f}**"
        lines.append(f"| {r['row']} | {r['dtype']} | {ours} | {r['against']} | {other} | {ratio} | {spread} | {goal} |")
    lines += ["", "| limit | |", "|---|---|", *(f"| {name} | {value:.3g} |" for name, value in limits.items())]
    (out / f"{device.type}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    _plot(out / f"{device.type}.png", table)


def _plot(path: Path, table: list[dict[str, Any]]) -> None:
    """Above, every ratio that is not with ourselves; below, how prefill and a decoding step grow with the text."""
    shown = [row for row in table if not row["against"].startswith("ours")]
    height = 0.3 * len(shown)
    figure = plt.figure(figsize=(8, height + 3.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(height, 3))
    bars, (prefill, growth) = above.subplots(), below.subplots(1, 2)
    for place, row in enumerate(shown):
        bars.barh(place, row["ratio"] - 1, left=1, color=BLUE, height=0.6)
        if row["goal"]:
            bars.plot([row["goal"]] * 2, [place - 0.4, place + 0.4], color=ORANGE, lw=2)
        bars.text(1.06 * max(row["ratio"], row["goal"] or 1, 1), place, f"{row['ratio']:.2f}", va="center", fontsize=8)
    bars.set_yticks(range(len(shown)), [f"{row['row']}, {row['dtype']}" for row in shown], fontsize=8)
    bars.axvline(1, color=GREY, lw=1)
    ticks = (0.5, 1, 2, 5, 10, 20, 50)
    bars.set(xscale="log", xlim=(0.3, 80), xlabel="times as fast, or as small, as the other (orange: goal)")
    bars.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    bars.invert_yaxis()
    for dtype, style, marker in (("float32", "-", "o"), ("bfloat16", "--", "D")):
        rows = [row for row in table if row["dtype"] == dtype and row.get("tokens")]
        decode = [row for row in rows if row["row"].startswith("decode at")]
        bounded = [row for row in rows if row["row"].startswith("bounded cache")]
        chunks = sorted((row for row in rows if row["row"].startswith("prefill by")), key=lambda row: row["tokens"])
        for axes, lines in ((growth, decode), (prefill, chunks)):
            for who, name, colour in (("ours", "ours", BLUE), ("other", "transformers", GREY)):
                x, y = [row["tokens"] for row in lines], [row[who] for row in lines]
                axes.plot(x, y, style, marker=marker, ms=4, color=colour, label=f"{name}, {dtype}")
        x, y = [row["tokens"] for row in bounded], [row["ours"] for row in bounded]
        growth.plot(x, y, marker, color=ORANGE, label=f"bounded, {dtype}")
    prefill.set(xlabel="tokens read, 64 at a time", ylabel="seconds", ylim=(0, None))
    growth.set(xlabel="tokens in the cache", ylabel="ms a token", ylim=(0, None))
    for axes in (prefill, growth):
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
