"""The proof of an exercise as text for a terminal, or as JSON."""

from collections.abc import Iterator, Sequence

from practice.grader.soundness import Check, Flaw, Score, Soundness, Survivor
from practice.grader.tell.messages import Language, say, sentence


def render_soundness(found: Soundness, lang: Language) -> str:
    """A line for each check, what speaks against it, and the mutations that survived."""
    lines = [say(lang, "lint_sound" if found.is_sound else "lint_unsound", exercise=found.exercise)]
    for check in found.checks:
        lines.append(f"  {'FAIL' if check.flaws else 'ok':6}{say(lang, f'check_{check.key}')}")
        lines += [f"          {_told(flaw, lang)}" for flaw in check.flaws]
    return "\n".join([*lines, *(_score(found.score, lang) if found.score else [])])


def soundness_as_json(all_found: Sequence[Soundness], seeds: int, lang: Language) -> dict[str, object]:
    """The object of `lint --json`."""
    return {
        "sound": all(found.is_sound for found in all_found),
        "seeds": seeds,
        "exercises": [
            {
                "exercise": found.exercise,
                "sound": found.is_sound,
                "checks": [_check(check, lang) for check in found.checks],
                "mutations": {"killed": found.score.killed, "total": found.score.total} if found.score else None,
                "survivors": [_survivor(each) for each in found.score.survivors] if found.score else [],
            }
            for found in all_found
        ],
    }


def _check(check: Check, lang: Language) -> dict[str, object]:
    flaws = [{"key": flaw.key, "message": _told(flaw, lang)} for flaw in check.flaws]
    return {"name": check.key, "passed": not check.flaws, "flaws": flaws}


def _survivor(survivor: Survivor) -> dict[str, object]:
    return {"line": survivor.line, "mutation": str(survivor), "reason": survivor.reason}


def _told(flaw: Flaw, lang: Language) -> str:
    """What is wrong, and the test that showed it."""
    fields = dict(flaw.fields)
    if "fake" in fields:
        fields["file"] = say(lang, f"fake_{fields['fake']}")
    told = say(lang, f"flaw_{flaw.key}", **fields)
    if flaw.shown_by and flaw.shown_by.finding:
        told += f" · {flaw.shown_by.name[lang]} · {sentence(lang, flaw.shown_by.finding)}"
    return told


def _score(score: Score, lang: Language) -> Iterator[str]:
    yield f"  {say(lang, 'lint_score', killed=score.killed, total=score.total)}"
    for survivor in score.survivors:
        reason = survivor.reason or say(lang, "lint_unexplained")
        yield from (
            f"    reference.py:{survivor.line}  {reason}",
            f"    - {survivor.before}",
            f"    + {survivor.after}",
        )
