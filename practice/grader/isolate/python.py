"""How the Pythons that run answers are started: isolated, in an environment of their own."""

import importlib.util
import os
import sys
from pathlib import Path


def command(script: Path, *arguments: str) -> list[str]:
    """The command that runs one of the judge's scripts; its last argument is the folder of the judge's torch."""
    return [sys.executable, "-I", "-X", "utf8", "-X", "faulthandler", str(script), *arguments, torch_folder()]


def torch_folder() -> str:
    """Where the judge's own torch is found; nothing of it is imported."""
    spec = importlib.util.find_spec("torch")
    return str(Path(spec.origin).absolute().parents[1]) if spec and spec.origin else ""


def clean_environment(scratch: str) -> dict[str, str]:
    """Nothing of the judge's environment but what finds libraries; every home and temporary folder is `scratch`."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    homes = dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), scratch)
    return {**kept, **threads, **homes, "PATH": os.defpath, "LANG": "C.UTF-8"}
