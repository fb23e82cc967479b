"""A small, fast, readable Transformer for long-context experiments."""

from .bounded_cache import BoundedKVCache
from .config import CheckpointError, ModelConfig
from .generate import generate
from .kv_cache import KVCache
from .masked_forward import forward_with_mask
from .model import Transformer
from .rope import apply_rope

__all__ = [
    "BoundedKVCache",
    "CheckpointError",
    "KVCache",
    "ModelConfig",
    "Transformer",
    "apply_rope",
    "forward_with_mask",
    "generate",
]
