"""Check that what the chapters say of engines is where they say it: `assets/engines.json` against the wheels.

Each entry is a release, a file in its wheel, and texts that stand in that file. Downloads each wheel once (vLLM's has
300 MB) and needs none of it to run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

POINTERS = Path(__file__).resolve().parent.parent / "assets" / "engines.json"


def missing(wheel: Path, files: dict[str, list[str]]) -> list[str]:
    """What does not stand in a wheel: ``file: text`` for each."""
    found = []
    with zipfile.ZipFile(wheel) as archive:
        there = set(archive.namelist())
        for file, texts in files.items():
            source = archive.read(file).decode() if file in there else ""
            found += [f"{file}: {text}" for text in texts if text not in source]
    return found


def main() -> None:
    """Exits with 1 where something is missing, naming it."""
    pointers: dict[str, dict[str, list[str]]] = json.loads(POINTERS.read_text(encoding="utf-8"))
    lost = []
    for release, files in pointers.items():
        print(f"{release}: {sum(map(len, files.values()))} texts in {len(files)} files", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            package = release.replace(" ", "==")
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", folder, package], check=True
            )
            (wheel,) = Path(folder).glob("*.whl")
            lost += [f"{release}: {text}" for text in missing(wheel, files)]
    sys.exit("\n".join(lost))


if __name__ == "__main__":
    main()
