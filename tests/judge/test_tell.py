"""Words: both languages say the same things, the locale chooses, and the wings of the engine keep their arrows."""

import ast
import string
from pathlib import Path

import pytest

from practice.grader.tell import en, zh
from practice.grader.tell.messages import choose_language

ROOT = Path(__file__).resolve().parents[2]


def test_both_languages_say_the_same_things() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert list(en.TABLE) == list(zh.TABLE)
    differing = {key for key in en.TABLE if fields(en.TABLE[key]) != fields(zh.TABLE[key])}
    assert differing == {"exercise"}


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW", "LANG": "de_DE"}, "zh"),
        ({}, "en"),
    ],
)
def test_language_follows_the_locale(environment: dict[str, str], lang: str) -> None:
    assert choose_language(environment) == lang


@pytest.mark.parametrize(
    ("wing", "unknown"),
    [
        ("isolate", {"verify", "tell", "catalogue", "cli"}),
        ("tell", {"verify", "isolate", "cli"}),
        ("verify", {"tell", "cli"}),
    ],
)
def test_arrows_point_one_way(wing: str, unknown: set[str]) -> None:
    for path in (ROOT / "practice/grader" / wing).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
            parts = module.split(".")
            assert not (parts[:2] == ["practice", "grader"] and parts[2] in unknown), f"{path.name}: {module}"
            assert parts[:2] != ["practice", "exercises"]
