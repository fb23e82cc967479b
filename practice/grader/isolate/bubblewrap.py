"""The third layer, where `bwrap` is installed: the zygote lives in namespaces of its own (bwrap(1)).

No network, no other process in sight, and of the file system what Python reads, read-only.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from practice.grader.isolate.lockdown import python_files
from practice.grader.isolate.python import torch_folder

ISOLATE = Path(__file__).resolve().parent
GRADER, PRACTICE = ISOLATE.parent, ISOLATE.parents[1]
SCRATCH = "/tmp"
NOBODY = ("--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL")


def prefix() -> tuple[str, ...]:
    """What to put before a command; nothing where bubblewrap is missing or may not make namespaces here."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    return _prefix(program, sys.executable) if program else ()


@cache
def _prefix(program: str, python: str) -> tuple[str, ...]:
    words = (program, *_options(python))
    works = subprocess.run([*words, python, "-I", "-c", ""], capture_output=True, check=False)
    return words if works.returncode == 0 else ()


def _options(python: str) -> list[str]:
    executables = {str(Path(python).parent), str(Path(os.path.realpath(python)).parent)}
    code = (ISOLATE, PRACTICE / "__init__.py", GRADER / "__init__.py", Path(sys.prefix) / "pyvenv.cfg")
    paths = {*python_files(), *executables, torch_folder(), *map(str, code)} - {""}
    seen = sorted(path for path in paths if not path.startswith(("/dev/", "/proc/")))
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    user = NOBODY if os.geteuid() == 0 else ("--unshare-user",)
    own = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", SCRATCH]  # first: the course may lie in there
    return ["--unshare-all", *user, *own, *shown, "--chdir", SCRATCH]
