"""A progress bar for chapters."""

from __future__ import annotations

import sys
from functools import partial

from tqdm import tqdm

bar = partial(tqdm, file=sys.stdout, leave=False)
"""``for x in bar(xs)``: tqdm without the coloured box of a notebook's stderr, gone when it is done."""
