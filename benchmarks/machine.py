"""What the machine is, and the two limits that a Transformer runs into: matrix products and memory."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F

from mini_llm import ModelConfig


def describe(device: torch.device) -> dict[str, str]:
    """Processor, cores, memory and versions, for the record."""
    import transformers

    found = {
        "processor": _processor(),
        "cores used": str(torch.get_num_threads()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
    if hasattr(os, "sysconf"):
        found["memory"] = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    if device.type == "cuda":
        found["device"] = torch.cuda.get_device_name(device)
    return found


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        return names[0] if names else platform.machine()
    return platform.processor() or platform.machine()


def seconds(work: Callable[[], object], device: torch.device) -> float:
    """Wall-clock seconds of one call, the device's own queue included."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - start


def read_bandwidth(device: torch.device) -> float:
    """Bytes a second at which one pass over 256 MB that no cache holds reads memory."""
    held = torch.ones(64_000_000, device=device)
    return held.numel() * held.element_size() / min(seconds(held.sum, device) for _ in range(5))


def bare_products(
    cfg: ModelConfig, tokens: int, chunk: int, dtype: torch.dtype, device: torch.device
) -> Callable[[], None]:
    """Nothing but the matrix products of a prefill of ``tokens`` by ``chunk``, QK and PV counted, as PyTorch runs them.

    Every layer has weights of its own, so that they come from memory as a model's do. Half of a causal chunk's QK and
    PV with itself is needed and half is not; all of it is counted, since a product of matrices cannot leave half out.
    """

    def weight(out: int, into: int) -> torch.Tensor:
        return torch.randn(out, into, dtype=dtype, device=device)

    hidden, D, heads, kv = cfg.hidden_size, cfg.head_dim, cfg.num_attention_heads, cfg.num_key_value_heads
    shapes = (
        ((heads + 2 * kv) * D, hidden),
        (hidden, heads * D),
        (2 * cfg.intermediate_size, hidden),
        (hidden, cfg.intermediate_size),
    )
    layers = [[weight(*shape) for shape in shapes] for _ in range(cfg.num_hidden_layers)]
    head = weight(cfg.vocab_size, hidden)
    inputs = {size: torch.randn(chunk, size, dtype=dtype, device=device) for size in {s[1] for s in shapes}}
    q = torch.randn(kv, heads // kv * chunk, D, dtype=dtype, device=device)
    keys = torch.randn(kv, tokens, D, dtype=dtype, device=device)
    scores = torch.randn(kv, heads // kv * chunk, tokens, dtype=dtype, device=device)

    def run() -> None:
        for start in range(0, tokens, chunk):
            seen = min(start + chunk, tokens)
            for layer in layers:
                for matrix in layer:
                    F.linear(inputs[matrix.shape[1]], matrix)
                torch.bmm(q, keys[:, :seen].mT)
                torch.bmm(scores[:, :, :seen], keys[:, :seen])
            F.linear(inputs[hidden], head)

    return run
