"""Front door to the judge: `python judge.py run evict_sinks` in a shell, `%load_ext judge` in a notebook."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def main(argv: list[str] | None = None) -> int:
    """Run one judge command and return its exit status; `argv` None takes the process's own arguments."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from practice.judge import main as run_command

    return run_command(argv)


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext judge` in a notebook: gives it the cell magic `%%judge ID`."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from practice.judge import advice, what_is_missing

    lack = what_is_missing([])
    if lack:
        print(advice([], lack), file=sys.stderr)
        return
    from practice.grader.notebook.magic import load

    load(ipython)


if __name__ == "__main__":
    status = main()
    from practice.judge import leave

    leave(status)
