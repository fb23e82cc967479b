"""Sentences in the learner's language: one table per language, the same keys and fields in each."""

import os
from collections.abc import Mapping
from typing import Literal, get_args

from practice.grader.report import Finding
from practice.grader.tell import en, zh

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
TABLES: Mapping[Language, Mapping[str, str]] = {"en": en.TABLE, "zh": zh.TABLE}


def choose_language(environment: Mapping[str, str] = os.environ) -> Language:
    """Chinese where the locale says so, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"


def say(lang: Language, key: str, **fields: object) -> str:
    """One sentence of the table, with its fields filled in."""
    return TABLES[lang][key].format(**fields)


def sentence(lang: Language, finding: Finding) -> str:
    """What a finding says, in one line; text that came from an answer is made harmless."""
    fields = {name: plain(value) if isinstance(value, str) else value for name, value in finding.fields.items()}
    if finding.key == "missing" and not fields["found"]:
        fields["found"] = say(lang, "missing_none")
    return " ".join(say(lang, finding.key, **fields).split())


def plain(text: str) -> str:
    """`text` without control characters, so that an answer cannot drive the reader's terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)
