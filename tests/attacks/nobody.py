"""Another user for the judge where the tests run as root: how to start a command as `nobody`."""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

NOBODY = 65534
BECOME = [shutil.which("setpriv") or "", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
# Where Python lies in a folder closed to others, as root's home is: show just what is needed of it, in a mount
# namespace that only this command sees.  Arguments: the closed folder, an empty one, what to show, --, the command.
SHOW = """
set -e
path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin
closed=$1 aside=$2; shift 2
mount --bind "$closed" "$aside"
mount -t tmpfs -o mode=755 none "$closed"
while [ "$1" != -- ]; do mkdir -p "$1"; mount --bind "$aside/${1#"$closed"/}" "$1"; shift; done
shift; PATH=$path; exec "$@"
"""


def as_nobody(aside: Path) -> list[str]:
    """What to put before a command; `aside` is an empty folder to mount on."""
    needed = [Path(path).resolve() for path in (sys.base_prefix, sys.prefix, Path(__file__).parents[2])]
    closed = {path: folder for path in needed if (folder := _first_closed(path))}
    if not closed:
        return BECOME
    folder = min(map(str, closed.values()), key=len)
    show = [folder, str(aside), *map(str, closed)]
    return [shutil.which("unshare") or "", "--mount", "/bin/sh", "-c", SHOW, "sh", *show, "--", *BECOME]


@cache
def can_become_nobody() -> bool:
    """Whether the tests run as root, and Python runs as nobody."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("setpriv") or not shutil.which("unshare"):
        return False
    with tempfile.TemporaryDirectory() as aside:
        words = [*as_nobody(Path(aside)), sys.executable, "-c", "import json, os; assert os.geteuid()"]
        return subprocess.run(words, capture_output=True, check=False, cwd="/").returncode == 0


def _first_closed(path: Path) -> Path | None:
    return next((folder for folder in [*reversed(path.parents), path] if not folder.stat().st_mode & 0o001), None)
