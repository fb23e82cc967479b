"""A judge in a process of its own, spoken to in lines through its pipes: for a notebook's kernel, and for a batch."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO


def start_judge(arguments: list[str], folder: Path) -> tuple["subprocess.Popen[str]", IO[bytes]]:
    """Python on `arguments` in `folder`, lines of ASCII in and out; and the file that its errors go to.

    It is in a session of its own: what interrupts its owner does not reach it.
    """
    said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - read where the process ended
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        encoding="ascii",
        cwd=folder,
        start_new_session=True,
    )
    return process, said


def last_words(process: "subprocess.Popen[str]", said: IO[bytes]) -> str:
    """Why it ended, once it has: the last line of its errors, else its exit status."""
    status = process.wait()
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {status}"
