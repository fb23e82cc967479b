"""Pointers into engines: what the prose names is on the list that `tools/engines.py` checks against the wheels."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest

import chapters
import engines

POINTERS: dict[str, dict[str, list[str]]] = json.loads(engines.POINTERS.read_text(encoding="utf-8"))
LISTED = {file: texts for files in POINTERS.values() for file, texts in files.items()}
LINES = [
    (source.stem, line)
    for source in chapters.sources()
    for line in source.read_text(encoding="utf-8").splitlines()
    if re.search(r"`(?:vllm|sglang)/", line)
]


@pytest.mark.parametrize(
    "line", [line for _, line in LINES], ids=[f"{chapter}-{i}" for i, (chapter, _) in enumerate(LINES)]
)
def test_what_a_line_names_is_listed(line: str) -> None:
    """Every file, with something on the line that stands in it."""
    code = re.findall(r"`([^`]+)`", line)
    for file in (text for text in code if re.match(r"(?:vllm|sglang)/", text)):
        assert file in LISTED
        assert any(text in listed for text in code for listed in LISTED[file])


def test_every_chapter_names_both_engines_with_their_releases() -> None:
    for source in chapters.sources():
        if source.stem[0].isdigit():
            prose = source.read_text(encoding="utf-8")
            assert [release for release in ("vLLM 0.26.0", "SGLang 0.5.23") if release not in prose] == []


def test_everything_listed_is_named() -> None:
    prose = "\n".join(line for _, line in LINES)
    assert [file for file in LISTED if f"`{file}`" not in prose] == []


def test_what_a_wheel_lacks_is_named(tmp_path: Path) -> None:
    wheel = tmp_path / "engine-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("engine/cache.py", "class Cache: ...")
    asked = {"engine/cache.py": ["class Cache", "class Pool"], "engine/pool.py": ["class Pool"]}
    assert engines.missing(wheel, asked) == ["engine/cache.py: class Pool", "engine/pool.py: class Pool"]
