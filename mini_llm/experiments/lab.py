"""What every experiment works with: the embedded model in fp32 and the texts."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from torch import Tensor

from ..checkpoints import EMBEDDED, open_model
from ..longctx.text import TEXTS, passage_ids
from ..model import Transformer


class Lab:
    """The model, opened at its first use; ``$MODEL`` is not looked at, so that stored results are of one model."""

    @cached_property
    def _opened(self) -> tuple[Transformer, Any]:
        return open_model(EMBEDDED)

    @property
    def model(self) -> Transformer:
        return self._opened[0]

    @property
    def tokenizer(self) -> Any:
        return self._opened[1]

    def ids(self, text: str, length: int) -> Tensor:
        """The first ``length`` tokens of ``story`` or ``code``, int64 ``[length]``."""
        return passage_ids(self.tokenizer, length, TEXTS[text])
