"""The glossary: the same terms in both editions, in order, and the Chinese texts keep to its words."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import chapters

GLOSSARY = chapters.SOURCES / "glossary.md"
STATEMENTS = sorted(path for name in ("statement", "hints") for path in chapters.EXERCISES.glob(f"*/{name}.zh.md"))
TABLES = sorted(path for kind in ("quiz", "comics") for path in (chapters.ROOT / "notebooks" / kind).glob("*.toml"))

# Words of the Chinese texts: the glossary's, and what is sometimes said in its place, as regular expressions.
FORBIDDEN = {
    "评测器": r"判题[器机]|评判器|评分器",
    "练习": r"(?<!练)习题|作业题",
    "sink（注意力汇）": r"汇聚点|汇点|沉没点|水槽|锚点 ?token",
    "淘汰": r"驱逐|逐出|剔除",
    "打平点": r"交叉点",
    "困惑度": r"混淆度|迷惑度",
    "KV Cache": r"KV [cC]aches|KV cache|KV-[cC]ache|KV 缓存|键值缓存",
    "KV 头": r"键值头",
    "掩码": r"遮罩|蒙版|掩膜",
    "prefill": r"预填充|预填阶段",
    "decode": r"译码|(?<!投机)解码",
    "投机解码": r"推测解码|猜测解码|投机采样",
    "token": r"词元|令牌|记号",
    "滑动窗口": r"滑窗|滑动视窗",
    "完整注意力": r"全注意力|全量注意力|满注意力",
    "缓存内位置": r"缓存位置",
    "重新旋转": r"再旋转",
    "槽位": r"格子",
    "passkey": r"口令",
    "query（查询）": r"查询",
    "提示词（prompt）": r"(?<!（)\bprompt\b",
    "嵌入表": r"嵌入矩阵",
    "吞吐": r"吞吐率",
    "heavy hitter": r"重击者|重磅 ?token",
    "闪电索引器": r"雷电索引器|闪电 indexer",
    "账本": r"总账|台账",
    "TTFT（首 token 延迟）": r"首字延迟|首词延迟",
}


def rows(language: str) -> list[tuple[str, str, str]]:
    """The table of an edition: (English, Chinese, meaning)."""
    prose = next(cell.source for cell in chapters.parse(GLOSSARY).cells if cell.metadata.get("lang") == language)
    lines = [[part.strip() for part in line.strip("|").split("|")] for line in prose.splitlines() if line[:1] == "|"]
    assert [len(line) for line in lines] == [3] * len(lines)
    order = (0, 1, 2) if language == "en" else (1, 0, 2)
    return [(line[order[0]], line[order[1]], line[2]) for line in lines[2:]]


@cache
def chinese_prose() -> tuple[tuple[Path, str], ...]:
    """Chinese text of all chapters, statements, hints, quizzes and comics, without code and addresses; the glossary has
    English in it."""
    passages = [
        (source, cell.source)
        for source in chapters.sources()
        if source != GLOSSARY
        for cell in chapters.parse(source).cells
        if cell.metadata.get("lang") == "zh"
    ]
    passages += [(statement, statement.read_text(encoding="utf-8")) for statement in STATEMENTS]
    chinese = re.compile(r'zh = "([^"]*)"')
    passages += [(table, "\n".join(chinese.findall(table.read_text(encoding="utf-8")))) for table in TABLES]
    code = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|https?://\S+", re.DOTALL)
    return tuple((path, code.sub(" ", prose)) for path, prose in passages)


def test_both_editions_have_the_same_terms() -> None:
    english, chinese = rows("en"), rows("zh")
    assert len(english) >= 60
    assert [row[:2] for row in english] == [row[:2] for row in chinese]
    assert all(meaning for row in (*english, *chinese) for meaning in row)


def test_terms_are_sorted_and_each_comes_once() -> None:
    terms = [english.casefold() for english, _, _ in rows("en")]
    assert terms == sorted(set(terms))
    chinese = [word for _, word, _ in rows("zh")]
    assert len(set(chinese)) == len(chinese)


def test_a_meaning_is_one_line_and_names_its_chapter() -> None:
    numbers: dict[str, set[tuple[str, ...]]] = {}
    for language in chapters.LANGUAGES:
        for english, _, meaning in rows(language):
            assert len(meaning) <= 120, meaning
            where = re.search(r"[(（]([^()（）]*\d\d[^()（）]*)[)）]$", meaning)
            assert where, meaning
            numbers.setdefault(english, set()).add(tuple(re.findall(r"\d\d", where[1])))
    assert {english: found for english, found in numbers.items() if len(found) > 1} == {}


def test_forbidden_words_stand_for_terms_of_the_glossary() -> None:
    assert FORBIDDEN.keys() <= {chinese for _, chinese, _ in rows("zh")}


@pytest.mark.parametrize("term", FORBIDDEN)
def test_chinese_texts_keep_to_the_glossary(term: str) -> None:
    found = [
        f"{path.relative_to(chapters.ROOT)}: {match[0]!r} in {text[max(0, match.start() - 15) : match.end() + 15]!r}"
        for path, text in chinese_prose()
        for match in re.finditer(FORBIDDEN[term], text)
    ]
    assert found == [], f"the glossary says {term}"
