"""Words: both languages say the same things, the locale chooses, and the wings of the engine keep their arrows."""

import ast
import re
import string
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from practice.grader.catalogue import find_card
from practice.grader.report import CaseResult, Example, Finding, Misconception, Report, Verdict, Work
from practice.grader.tell import en, zh
from practice.grader.tell.messages import choose_language
from practice.grader.tell.terminal import render_report
from practice.grader.tell.usage import Parser

ROOT = Path(__file__).resolve().parents[2]


def test_both_languages_say_the_same_things() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert list(en.TABLE) == list(zh.TABLE)
    differing = {key for key in en.TABLE if fields(en.TABLE[key]) != fields(zh.TABLE[key])}
    assert differing == {"exercise", "read_poison"}  # the exercise's own words, in the one language or the other


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
        ("isolate", {"verify", "tell", "catalogue", "cli", "commands"}),
        ("tell", {"verify", "isolate", "cli", "commands"}),
        ("verify", {"tell", "cli", "commands"}),
    ],
)
def test_arrows_point_one_way(wing: str, unknown: set[str]) -> None:
    for path in (ROOT / "practice/grader" / wing).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) and node.module else ""
            parts = module.split(".")
            assert not (parts[:2] == ["practice", "grader"] and parts[2] in unknown), f"{path.name}: {module}"
            assert parts[:2] != ["practice", "exercises"]


WRONG = Finding(
    Verdict.WRONG, "values", {"name": "k", "index": "[0]", "wrong": 1, "total": 2}, "k = [1, 20]", "k = [1,  3]"
)
NAMES = ({"en": "first", "zh": "第一个"}, {"en": "second one", "zh": "第二个"}, {"en": "third", "zh": "第三个"})


def report(*findings: Finding | None, **more: Any) -> Report:
    results = [CaseResult(NAMES[i], finding, 1.5, 9, "k float32[2]") for i, finding in enumerate(findings)]
    return Report("evict_sinks", "answer.py", tuple(results), isolation=(), seconds=1.0, seed=7, **more)


def page(graded: Report, lang: Any = "en", *, verbose: bool = False) -> str:
    return render_report(graded, find_card("evict_sinks"), lang, "run --seed 7", verbose=verbose)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Standard output is a terminal of 40 columns that knows colours."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for name, value in {"TERM": "xterm-256color", "COLUMNS": "40"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_differences_are_marked_under_what_differs() -> None:
    lines = page(report(WRONG, None)).splitlines()
    expected = lines.index("  expected  k = [1, 20]")
    assert lines[expected + 1 : expected + 3] == ["  got       k = [1,  3]", "                    ^^"]
    zh_lines = page(report(WRONG, None), "zh").splitlines()
    assert zh_lines[zh_lines.index("  应为  k = [1, 20]") + 2] == "                ^^"


def test_an_example_shows_only_the_outputs_that_differ() -> None:
    example = Example(WRONG, "import torch\n\nk = 1\nf(k)", "k = 1\nv = 2\np = [3]", "k = 1\nv = 5\np = [3, 4]")
    told = page(report(WRONG, None, example=example))
    assert "import torch\n\nk = 1\nf(k)\n" in told
    assert "expected  k = 1" not in told
    assert (
        "  expected  v = 2\n  got       v = 5\n                ^\n  expected  p = [3]\n  got       p = [3, 4]\n" in told
    )


def test_tests_that_did_not_run_say_so_and_took_no_time() -> None:
    late, unseen = Finding(Verdict.TIME, "time", {"limit": "3"}), Finding(Verdict.NOT_RUN, "not_run")
    lines = page(report(None, late, unseen)).splitlines()
    assert "  TIME     second one       1.5 ms" in lines
    assert "  not run  third" in lines
    assert "  未运行   第三个" in page(report(None, late, unseen), "zh").splitlines()


@pytest.mark.parametrize(("lang", "told"), [("en", "  ERROR    all 3 tests"), ("zh", "  ERROR    全部 3 个测试")])
def test_one_finding_for_all_tests_is_told_once(lang: str, told: str) -> None:
    unwritten = Finding(Verdict.ERROR, "unwritten", {"place": "answer.py:3"})
    text = page(report(unwritten, unwritten, unwritten), lang)
    assert told in text.splitlines()
    assert text.count("answer.py:3") == 1
    assert not any(name[lang] in text for name in NAMES)


@pytest.mark.parametrize(
    ("lang", "told"),
    [("en", "PASS: 2 of 2 tests passed in 1.0 s"), ("zh", "PASS：2 个测试全部通过，用时 1.0 秒")],
)
def test_a_pass_is_told_plainly(lang: str, told: str) -> None:
    assert page(report(None, None), lang).splitlines()[-1] == told


@pytest.mark.parametrize(
    ("lang", "one", "several"),
    [
        ("en", "what this mistake does", "what each of these mistakes does"),
        ("zh", "下面这个典型错误", "下面这几个典型错误"),
    ],
)
def test_mistakes_are_named_in_their_language(lang: str, one: str, several: str) -> None:
    mistakes = [Misconception(name, {"en": f"{name} in English", "zh": f"中文的 {name}"}) for name in ("a", "b")]
    words = {"en": "  {} in English", "zh": "  中文的 {}"}[lang]
    for count, head in ((1, one), (2, several)):
        lines = page(report(WRONG, misconceptions=tuple(mistakes[:count])), lang).splitlines()
        assert any(head in line for line in lines)
        assert [words.format(name) in lines for name in ("a", "b")] == [True, count == 2]


def test_work_is_a_table() -> None:
    lines = page(report(None, work=(Work("answer", 12345, 7), Work("dense", 1, 2)))).splitlines()
    rows = [line.split() for line in lines[-6:-2]]
    assert rows[1:] == [["operations", "bytes", "read"], ["your", "answer", "12,345", "7"], ["dense", "1", "2"]]


@pytest.mark.parametrize("printed", ["é" * 5, "\N{REPLACEMENT CHARACTER}" * 5, "plain"])
def test_what_was_printed_is_called_cut_only_where_it_is(printed: str) -> None:
    for size, cut in ((10, False), (11, True)):
        told = page(report(None, printed=printed, printed_bytes=size, printed_shown=10), verbose=True)
        assert (f"the first 10 are:\n{printed}" in told, f"printed {size} bytes" in told) == (cut, True)


HOSTILE = "[red]x[/red] [/] [link=file:///etc]y[/link] :smile: \x1b[2J\x1b]0;t\x07"


def hostile_pages() -> Sequence[Report]:
    raised = {"place": "answer.py:1", "type": "Odd", "message": HOSTILE}
    finding = Finding(Verdict.ERROR, "exception", raised, HOSTILE, f"{HOSTILE} too", traceback=HOSTILE)
    more = {"printed": HOSTILE, "printed_bytes": 99, "printed_shown": 99}
    return report(finding, None, **more), report(
        finding, example=Example(finding, "k = 1", "k = 2", f"# {HOSTILE}"), **more
    )


def test_an_answers_text_is_shown_as_it_is_and_does_nothing(terminal: pytest.MonkeyPatch) -> None:
    harmless = HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}").replace("\x07", "\N{REPLACEMENT CHARACTER}")
    for graded in hostile_pages():
        told = page(graded, verbose=True)
        assert "\x1b[2J" not in told
        assert "\x1b]" not in told
        assert bare(told).count(harmless) >= 4


def test_colours_and_rules_are_for_terminals(terminal: pytest.MonkeyPatch) -> None:
    source = "k = torch.tensor([" + ", ".join(map(str, range(60))) + "])"
    graded = report(WRONG, None, example=Example(WRONG, source, "k = 1", "k = 2"))
    coloured = page(graded)
    assert "\x1b[" in coloured
    assert "─" * 40 in coloured
    assert source in bare(coloured)  # in one line, however narrow the terminal
    terminal.setenv("NO_COLOR", "1")
    plain = page(graded)
    assert "\x1b" not in plain
    assert "─" not in plain
    lines = [line.rstrip() for line in bare(coloured).splitlines()]
    assert [line for line in lines if line and "─" not in line] == [line for line in plain.splitlines() if line]
    terminal.delenv("NO_COLOR")
    terminal.setattr(sys.stdout, "isatty", lambda: False)
    assert page(graded) == plain


def test_help_is_chinese_from_its_first_word_on() -> None:
    parser = Parser("zh", "judge.py", "评测器。", "示例：judge.py list")
    text = parser.format_help()
    assert text.startswith("用法：judge.py [-h]")
    assert re.findall(r"[A-Za-z.]{3,}", text) == ["judge.py", "help", "judge.py", "list"]
