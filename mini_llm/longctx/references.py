"""Reference models and devices for cost arithmetic, as published; parameters are recomputed from the shapes."""

from __future__ import annotations

from dataclasses import dataclass

from .costs import MLA, MoE, Shape


@dataclass(frozen=True)
class Device:
    """An accelerator by its data sheet: dense bf16 FLOP/s (never the 2:4-sparse figure), bytes/s and bytes."""

    name: str
    flops: float
    bandwidth: float
    memory: float

    @property
    def balance(self) -> float:
        """FLOPs that it can do in the time of reading one byte."""
        return self.flops / self.bandwidth


# maxtext's model configs; SmolLM2 from its GGUF metadata, DeepSeek from config_671B.json, gpt-oss from openai/gpt-oss.
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("SmolLM2-135M", 30, 9, 3, 64, 576, 1536, 49_152, True),
        Shape("Qwen3-0.6B", 28, 16, 8, 128, 1024, 3072, 151_936, True),
        Shape("Qwen3-4B", 36, 32, 8, 128, 2560, 9728, 151_936, True),
        Shape("Qwen3-8B", 36, 32, 8, 128, 4096, 12_288, 151_936, False),
        Shape("Qwen3-32B", 64, 64, 8, 128, 5120, 25_600, 151_936, False),
        Shape("Qwen3-235B-A22B", 94, 64, 4, 128, 4096, 0, 151_936, False, moe=MoE(128, 8, 1536)),
        Shape("Qwen2.5-7B", 28, 28, 4, 128, 3584, 18_944, 152_064, False),
        Shape("Llama-2-7B", 32, 32, 32, 128, 4096, 11_008, 32_000, False),
        Shape("Llama-2-70B", 80, 64, 8, 128, 8192, 28_672, 32_000, False),
        Shape("Llama-3-8B", 32, 32, 8, 128, 4096, 14_336, 128_256, False),
        Shape("Llama-3-70B", 80, 64, 8, 128, 8192, 28_672, 128_256, False),
        Shape("Llama-3.1-405B", 126, 128, 8, 128, 16_384, 53_248, 128_256, False),
        Shape("Mistral-7B-v0.1", 32, 32, 8, 128, 4096, 14_336, 32_000, False, local_layers=32, window=4096),
        Shape(
            "DeepSeek-V3",
            *(61, 128, 128, 128, 7168, 18_432, 129_280, False),
            moe=MoE(256, 8, 2048, shared=1, dense_layers=3),
            mla=MLA(query_rank=1536, kv_rank=512, rope_dim=64, nope_dim=128, value_dim=128),
        ),
        Shape("gpt-oss-20b", 24, 64, 8, 64, 2880, 0, 201_088, False, 12, 128, MoE(32, 4, 2880)),
        Shape("gpt-oss-120b", 36, 64, 8, 64, 2880, 0, 201_088, False, 18, 128, MoE(128, 4, 2880)),
        Shape("Gemma-3-27B", 62, 32, 16, 128, 5376, 21_504, 262_208, True, 52, 1024),
    )
}

# stas00/ml-engineering's accelerator table, NVIDIA's and AMD's data sheets; the B200's memory is what systems report.
DEVICES = {
    device.name: device
    for device in (
        Device("A100-80G SXM", 312e12, 2.039e12, 80e9),
        Device("H100 SXM", 989.4e12, 3.35e12, 80e9),
        Device("H200 SXM", 989.4e12, 4.8e12, 141e9),
        Device("B200", 2250e12, 8.0e12, 180e9),
        Device("L40S", 362e12, 0.864e12, 48e9),
        Device("RTX 4090", 165.2e12, 1.008e12, 24e9),
        Device("MI300X", 1307.4e12, 5.3e12, 192e9),
    )
}
