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


@cache
def prefix() -> tuple[str, ...]:
    """What to put before a command; nothing where bubblewrap is missing or may not make namespaces here."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return ()
    words = (program, *_options())
    works = subprocess.run([*words, sys.executable, "-I", "-c", ""], capture_output=True, check=False)
    return words if works.returncode == 0 else ()


def _options() -> list[str]:
    executables = {str(Path(sys.executable).parent), str(Path(os.path.realpath(sys.executable)).parent)}
    code = (ISOLATE, PRACTICE / "__init__.py", GRADER / "__init__.py", Path(sys.prefix) / "pyvenv.cfg")
    paths = {*python_files(), *executables, torch_folder(), *map(str, code)} - {""}
    seen = sorted(path for path in paths if not path.startswith(("/dev/", "/proc/")))
    shown = [word for path in seen for word in ("--ro-bind-try", path, path)]
    user = NOBODY if os.geteuid() == 0 else ("--unshare-user",)
    own = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", SCRATCH, "--chdir", SCRATCH]
    return ["--unshare-all", *user, *shown, *own]
