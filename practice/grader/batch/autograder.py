"""Gradescope's autograder as a zip: the judge, the exercises asked for, and the two scripts that Gradescope runs."""

import re
import secrets
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from practice.grader.catalogue import Card

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = Path(__file__).with_name("gradescope")
NEEDED = ("torch", "numpy", "filelock", "platformdirs", "watchfiles", "tqdm", "matplotlib")
INDEX = re.compile(r"--extra-index-url \S+")
EXECUTABLE, ORDINARY = 0o100755, 0o100644


def write_autograder(path: Path, cards: Sequence[Card], lang: str) -> None:
    """Write the zip.  Its seed is secret and its own: every student who hands in there gets the same cases."""
    new = path.with_name(f"{path.name}.new")
    try:
        _write(new, cards, lang)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _write(path: Path, cards: Sequence[Card], lang: str) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for script in ("setup.sh", "run_autograder"):
            text = (SCRIPTS / script).read_text(encoding="utf-8")
            text = text.replace("@SEED@", str(secrets.randbits(63))).replace("@LANG@", lang)
            _add(archive, script, text.encode(), EXECUTABLE)
        for file in _files(cards):
            _add(archive, file.relative_to(ROOT).as_posix(), file.read_bytes(), ORDINARY)
        _add(archive, "requirements.txt", _requirements().encode(), ORDINARY)


def _files(cards: Sequence[Card]) -> Iterator[Path]:
    yield from (ROOT / "constraints.txt", ROOT / "practice/judge.py", ROOT / "practice/__init__.py")
    for folder in (ROOT / "practice/grader", *(card.folder for card in cards)):
        files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        yield from sorted(files)


def _requirements() -> str:
    """What the judge needs to grade; from where, the environment file says."""
    index = INDEX.search((ROOT / "environment.yml").read_text(encoding="utf-8"))
    return "\n".join([*([index[0]] if index else []), *NEEDED, ""])


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
