"""`python -m mini_llm.experiments [NAME ...]`: measure what is missing or stale; of named experiments, everything."""

from __future__ import annotations

import sys
import time

from tqdm import tqdm

from .lab import Lab
from .store import current, experiment, names, read, write


def main(asked: list[str]) -> None:
    """Run experiments row by row, storing after each: an interrupted run goes on where it was."""
    unknown = set(asked) - set(names())
    if unknown:
        sys.exit(f"no experiment {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    lab = Lab()
    for name in asked or names():
        module, now, stored = experiment(name), current(name), read(name)
        fresh = stored["fingerprint"] == now and not (asked and stored["rows"].keys() >= set(module.ROWS))
        rows, spent = (stored["rows"], stored["seconds"]) if fresh else ({}, 0.0)
        missing = [row for row in module.ROWS if row not in rows]
        for row in tqdm(missing, desc=f"{name}: {len(rows)} of {len(module.ROWS)} rows there", unit="row"):
            start = time.monotonic()
            rows[row] = module.run(lab, row)
            spent += time.monotonic() - start
            ordered = {known: rows[known] for known in module.ROWS if known in rows}
            write(name, {"fingerprint": now, "seconds": spent, "rows": ordered})
        print(f"{name}: {len(missing)} rows measured, {len(module.ROWS)} stored, {spent:.0f} s in all")


if __name__ == "__main__":
    main(sys.argv[1:])
