"""What a stored result depends on, in one hash: the code that it ran, the model's file and the texts."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import tokenize
from pathlib import Path

from ..checkpoints import EMBEDDED, find_folder
from ..longctx.text import TEXTS

ROOT = Path(__file__).resolve().parents[2]


def fingerprint(module: str) -> str:
    """sha256 over a module's code and all of ``mini_llm`` that it imports, the model and the texts.

    Comments, docstrings and blank lines do not count.
    """
    digest = hashlib.sha256()
    for path in sorted(_imported(ROOT.joinpath(*module.split(".")).with_suffix(".py"))):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\n{essence(path.read_text(encoding='utf-8'))}\n".encode())
    for text in TEXTS.values():
        digest.update(text.read_bytes())
    provenance = json.loads((find_folder(EMBEDDED) / "provenance.json").read_text(encoding="utf-8"))
    digest.update(provenance["source"].encode())
    return digest.hexdigest()


def essence(source: str) -> str:
    """Python source without comments, docstrings and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for row in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[row] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _imported(path: Path, seen: frozenset[Path] = frozenset()) -> frozenset[Path]:
    """The file, and every file of ``mini_llm`` that importing it brings in."""
    if path in seen:
        return seen
    seen |= {path}
    package = path.parent
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package.parents[node.level - 2] if node.level > 1 else package
            base = base.joinpath(*(node.module or "").split(".")) if node.module else base
            for found in (base.with_suffix(".py"), *((base / f"{alias.name}.py") for alias in node.names)):
                if found.is_file():
                    seen = _imported(found, seen)
    return seen
