"""Commands that run no answer themselves start without torch, which alone takes a second of CPU time to import."""

import subprocess
import sys
from pathlib import Path

import pytest
from batch_class import make_class

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import os, sys
from practice import judge
status = judge.main(sys.argv[1:])
print(status, "torch" in sys.modules, flush=True)
os._exit(0)
"""
COMMANDS = {
    "list": 0,
    "--help": 0,
    "run --help": 0,
    "status": 0,
    "hint evict_sinks": 0,
    "reveal evict_sinks": 2,  # not tried yet
    "run evict_sink": 2,
    "batch {folder} --out {folder}": 2,
    "batch {folder} --out {out} --jobs 1": 0,
    "export gradescope kv_bytes -o {out}.zip": 0,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_torch_is_not_imported(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = make_class(tmp_path / "class", 1)
    words = [word.format(folder=folder, out=tmp_path / "out") for word in command.split()]
    done = subprocess.run([sys.executable, "-c", PROBE, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"{COMMANDS[command]} False", done.stderr
