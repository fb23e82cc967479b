"""The texts that experiments read: frozen, so that measured numbers stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
TEXTS = {"story": _ASSETS / "sample_passage.txt", "code": _ASSETS / "sample_code.txt"}
"""``story``: English prose. ``code``: Python, files of an early version of this course."""


def passage_ids(tokenizer: Any, length: int, path: Path = TEXTS["story"]) -> Tensor:
    """The first ``length`` tokens of a text, int64 ``[length]``. Raises ValueError when the text is shorter."""
    ids = tokenizer(path.read_text(encoding="utf-8")).input_ids
    if length < 1:
        raise ValueError(f"at least one token must be asked for, got length={length}")
    if len(ids) < length:
        raise ValueError(
            f"{path.name} has {len(ids)} tokens, but {length} were asked for: take a longer text or ask for fewer"
        )
    return torch.tensor(ids[:length])
