"""A small, fast, readable Transformer for long-context experiments."""

from .config import CheckpointError, ModelConfig
from .generate import generate
from .kv_cache import KVCache
from .masked_forward import forward_with_mask
from .model import Transformer
from .rope import apply_rope

__all__ = [
    "CheckpointError",
    "KVCache",
    "ModelConfig",
    "Transformer",
    "apply_rope",
    "forward_with_mask",
    "generate",
]
