"""Lint: a sound exercise with a defect planted in it is not sound, for that reason and no other."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from practice.grader.catalogue import find_card, read_card
from practice.grader.cli import main
from practice.grader.lint.mutate import Mutation
from practice.grader.lint.prove import prove
from practice.grader.lint.score import surviving
from practice.grader.report import CaseResult, Finding, Verdict
from practice.grader.soundness import Check, Flaw, Score, Soundness, Survivor
from practice.grader.tell.messages import LANGUAGES, TABLES, Language
from practice.grader.tell.soundness import render_soundness, soundness_as_json
from practice.grader.verify.exercise import load_exercise
from practice.grader.verify.trial import Trial

SEEDS = range(2)
KEPT = ("plain_window", "oldest_kept", "sinks_on_top", "renumbered", "values_from_keys")
Judge = Callable[..., tuple[int, str, str]]
Plant = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound exercise to spoil: evict_sinks with five mutants, so that it is proved sooner."""
    spoilt = tmp_path / "evict_sinks"
    shutil.copytree(find_card("evict_sinks").folder, spoilt, ignore=shutil.ignore_patterns("__pycache__"))
    for mutant in spoilt.glob("mutants/*.py"):
        if mutant.stem not in KEPT:
            mutant.unlink()
    return spoilt


def proved(folder: Path) -> Soundness:
    return prove(read_card(folder), SEEDS)


def flaws(found: Soundness) -> set[tuple[str, str]]:
    return {(check.key, flaw.key) for check in found.checks for flaw in check.flaws}


def add(folder: Path, file: str, text: str) -> None:
    with (folder / file).open("a", encoding="utf-8") as opened:
        opened.write(text)


def copy_answer(folder: Path, source: str, target: str) -> None:
    """A right or wrong answer under another name, with a mistake to tell where it becomes a mutant."""
    told = '"""en: A mistake.\nzh: 一个错误。\n"""\n' if target.startswith("mutants") else ""
    code = (folder / source).read_text(encoding="utf-8").split('"""', 2)[2]
    (folder / target).write_text(told + code, encoding="utf-8")


def rewrite(folder: Path, file: str, before: str, after: str) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert before in text
    (folder / file).write_text(text.replace(before, after), encoding="utf-8")


def keep_one_variant(folder: Path) -> None:
    for variant in sorted(folder.glob("variants/*.py"))[1:]:
        variant.unlink()


def fail_with_seed_1(folder: Path) -> None:
    """A variant that is wrong for what one seed draws."""
    case = next(case for case in Trial(load_exercise(read_card(folder)), 1, "").cases if not case.known)
    add(folder, "variants/mask.py", WRONG_ONCE.format(first=case.arguments["k"].flatten()[0].item()))


def explain_nothing(folder: Path) -> None:
    card = folder / "card.toml"
    card.write_text(card.read_text(encoding="utf-8").partition("[survivors]")[0], encoding="utf-8")


def draw(folder: Path, cases: str, imports: str = "") -> None:
    """Other cases: an expression of `draw`, which makes those of the exercise, and `generator`."""
    add(folder, "cases.py", f"\n\n{imports}\n\ndraw = make_cases\n\n\ndef make_cases(generator):\n    return {cases}\n")


WRONG_ONCE = """

right = evict_sinks


def evict_sinks(k, *rest):
    return right(k * (k.flatten()[:1].sum() != {first}), *rest)
"""
WEAK = "[each for each in draw(generator) if len(each.arguments['positions']) > each.arguments['budget']]"
UNCHECKED = """

def check(case, expected, got):
    return None
"""
RAISES = '''"""en: A mistake.
zh: 一个错误。
"""


def evict_sinks(k, v, positions, budget, sinks):
    return k[budget + 99]
'''
DEFECTS: dict[str, tuple[Plant, set[tuple[str, str]]]] = {
    "none": (lambda folder: None, set()),
    "a variant is missing": (keep_one_variant, {("folder", "too_few")}),
    "a mutant is missing": (lambda folder: (folder / "mutants/renumbered.py").unlink(), {("folder", "too_few")}),
    "hints are missing": (lambda folder: (folder / "hints.zh.md").unlink(), {("folder", "missing")}),
    "a hint is missing": (lambda folder: rewrite(folder, "hints.en.md", "## The plan", ""), {("folder", "hints")}),
    "a mutant that does not tell its mistake": (
        lambda folder: rewrite(folder, "mutants/renumbered.py", "zh: ", "Chinese: "),
        {("folder", "mistake_untold")},
    ),
    "another signature": (
        lambda folder: rewrite(folder, "starter.py", "budget: int, sinks: int", "sinks: int, budget: int"),
        {("folder", "no_signature")},
    ),
    "a chapter after this one": (
        lambda folder: rewrite(folder, "card.toml", 'needs = ["02"]', 'needs = ["07"]'),
        {("folder", "card")},
    ),
    "a starter that is written": (
        lambda folder: copy_answer(folder, "reference.py", "starter.py"),
        {("starter", "written")},
    ),
    "a mutant that passes": (
        lambda folder: copy_answer(folder, "reference.py", "mutants/right.py"),
        {("mutants", "passes")},
    ),
    "a mutant that raises": (
        lambda folder: (folder / "mutants/raises.py").write_text(RAISES, encoding="utf-8"),
        {("mutants", "breaks")},
    ),
    "two mutants alike": (
        lambda folder: copy_answer(folder, "mutants/plain_window.py", "mutants/window_again.py"),
        {("apart", "same"), ("named", "misnamed")},
    ),
    "two implementations of one mistake": (
        lambda folder: copy_answer(folder, "mutants/plain_window.py", "mutants/plain_window__again.py"),
        set(),
    ),
    "a variant that fails with one seed": (fail_with_seed_1, {("right", "fails")}),
    "a reference that raises": (lambda folder: add(folder, "reference.py", "\n1 / 0\n"), {("runs", "broken")}),
    "cases that never change": (
        lambda folder: draw(folder, "draw(torch.Generator().manual_seed(0))"),
        {("cases", "not_fresh"), ("fakes", "passes")},
    ),
    "cases that do not repeat": (
        lambda folder: draw(folder, "draw(torch.Generator().manual_seed(torch.seed() % 1000))"),
        {("cases", "not_repeatable")},
    ),
    "known values are missing": (
        lambda folder: draw(
            folder, "[replace(case, known=None) for case in draw(generator)]", "from dataclasses import replace"
        ),
        {("known", "few_known")},
    ),
    "a known value that is not so": (
        lambda folder: rewrite(folder, "cases.py", "1, 0, [4]", "1, 0, [3]"),
        {("known", "unlike_known"), ("right", "fails"), ("score", "stale")},
    ),
    "a comparison that does not compare": (
        lambda folder: add(folder, "cases.py", UNCHECKED),
        {("mutants", "passes"), ("fakes", "passes"), ("score", "low_score"), ("score", "unexplained")},
    ),
    "cases that let a mutation survive": (
        lambda folder: draw(folder, WEAK),
        {("score", "low_score"), ("score", "unexplained")},
    ),
    "a survivor without a reason": (
        explain_nothing,
        {("score", "low_score"), ("score", "unexplained")},
    ),
    "a reason that is no excuse": (
        lambda folder: rewrite(folder, "card.toml", '"equivalent:', '"too rare:'),
        {("score", "low_score")},
    ),
    "a stale explanation": (
        lambda folder: add(folder, "card.toml", '"S = 1 -> S = 2" = "equivalent: no such line"\n'),
        {("score", "stale")},
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_and_nothing_else(folder: Path, defect: str) -> None:
    plant, wanted = DEFECTS[defect]
    plant(folder)
    found = proved(folder)
    assert flaws(found) == wanted
    assert found.is_sound == (not wanted)


def test_a_flaw_says_where_it_is(folder: Path) -> None:
    fail_with_seed_1(folder)
    page = render_soundness(proved(folder), "en")
    assert re.search(
        r"FAIL +the reference and every variant pass\n +variants/mask\.py fails with seed 1 · one head · k ", page
    )


def test_code_that_raises_is_shown_with_its_line(folder: Path) -> None:
    rewrite(folder, "cases.py", "gap = ", "gap = 1 / 0 or ")
    line = (folder / "cases.py").read_text(encoding="utf-8").split("1 / 0")[0].count("\n") + 1
    assert f"cases.py:{line}: ZeroDivisionError" in render_soundness(proved(folder), "en")


POISONED = """

draw_clean = make_cases


def make_cases(generator):
    return [poison(case) for case in draw_clean(generator) if case.arguments["k"].dtype == torch.float32]


def poison(case):
    k, v, positions, budget, sinks = case.arguments.values()
    slot = torch.arange(k.shape[2])
    unread = (slot >= sinks) & (slot < k.shape[2] - (budget - sinks)) & (len(slot) > budget)
    k = k.masked_fill(unread[:, None], torch.nan)
    told = {"en": "an evicted slot", "zh": "被淘汰的槽位"}
    return Case(case.name, {**case.arguments, "k": k}, case.known, poison=told)
"""
MASKED = '''"""en: Reads every slot and multiplies those that go by zero.
zh: 读取了每个槽位，再把要淘汰的乘以零。
"""

import torch
from torch.nn.functional import one_hot


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S)])
    chosen = one_hot(kept, S).to(k.dtype)
    return chosen @ k, v[:, :, kept], positions[kept]
'''


def test_where_it_is_about_not_reading_the_masked_fake_must_read_nan(folder: Path) -> None:
    rewrite(folder, "card.toml", "[survivors]", "poison = true\n\n[survivors]")
    assert flaws(proved(folder)) == {("folder", "missing")}
    (folder / "mutants/masked.py").write_text(MASKED, encoding="utf-8")
    assert flaws(proved(folder)) == {("mutants", "passes")}  # no case is poisoned yet
    add(folder, "cases.py", POISONED)
    assert flaws(proved(folder)) == set()
    rewrite(folder, "mutants/masked.py", "return k, v, positions\n", "return k, v, positions + 1\n")
    assert ("mutants", "not_poisoned") in flaws(proved(folder))


def as_mutations(*bodies: str) -> list[Mutation]:
    right = (find_card("evict_sinks").folder / "reference.py").read_text(encoding="utf-8")
    return [Mutation(1, body, "", f"{body}\n{right}") for body in bodies]


def survivors(*bodies: str) -> list[str]:
    """Which of the bodies survive, with half a second for each."""
    exercise = load_exercise(replace(find_card("evict_sinks"), time_limit=0.5))
    told: list[int] = []
    left = surviving(exercise, SEEDS, as_mutations(*bodies), lambda: told.append(1))
    assert len(told) == len(bodies)
    return [mutation.before for mutation in left]


def test_a_mutation_that_loops_or_ends_the_process_harms_no_other() -> None:
    deadly = ["while True: pass", "import os; os.abort()", "x = bytearray(1 << 40)"]
    assert survivors("x = 1", deadly[0], "x = 2", deadly[1], deadly[2], "x = 3") == ["x = 1", "x = 2", "x = 3"]


def test_time_that_earlier_mutations_took_is_not_counted() -> None:
    slow = "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass"
    bodies = [f"{slow}\nx = {number}" for number in range(6)]
    assert survivors(*bodies) == bodies


def soundness(*all_flaws: Flaw) -> Soundness:
    survivors = (Survivor(3, "a < b", "a <= b", ""), Survivor(4, "a", "b", "equivalent: so"))
    return Soundness("evict_sinks", (Check("score", all_flaws), Check("cases", ())), Score(9, survivors))


def test_score_leaves_out_equivalent_mutations() -> None:
    score = soundness().score
    assert score
    assert (score.killed, score.total) == (7, 8)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_page_shows_flaws_and_survivors(lang: Language) -> None:
    case = CaseResult({"en": "one head", "zh": "单个头"}, Finding(Verdict.ERROR, "not_run"))
    page = render_soundness(
        soundness(Flaw("fails", {"file": "a.py", "seed": 7}, case), Flaw("passes", {"fake": "zeros", "seed": 8})), lang
    )
    assert "FAIL" in page
    assert case.name[lang] in page
    assert TABLES[lang]["fake_zeros"] in page
    assert "    - a < b\n    + a <= b\n" in page
    assert "7/8" in page.replace(" of ", "/")


def test_json_is_one_object() -> None:
    told = soundness_as_json([soundness(Flaw("stale", {"mutation": "a -> b"})), soundness()], 5, "en")
    assert json.loads(json.dumps(told)) == told
    assert (told["sound"], told["seeds"]) == (False, 5)
    first, second = told["exercises"]
    assert (first["sound"], second["sound"]) == (False, True)
    assert [(check["name"], check["passed"]) for check in first["checks"]] == [("score", False), ("cases", True)]
    assert first["checks"][0]["flaws"] == [
        {"key": "stale", "message": "card.toml explains a mutation that does not survive: a -> b"}
    ]
    assert first["mutations"] == {"killed": 7, "total": 8}
    assert first["survivors"][0] == {"line": 3, "mutation": "a < b -> a <= b", "reason": ""}


def test_the_command_tells_by_its_exit_status(judge: Judge, copy: Path) -> None:
    status, out, err = judge("lint", "evict_sinks", "--seeds", "1", "--lang", "zh")
    assert (status, err) == (0, "")
    assert "evict_sinks 可靠" in out
    (copy / "practice/exercises/evict_sinks/variants/mask.py").write_text("evict_sinks = max\n", encoding="utf-8")
    status, out, err = judge("lint", "evict_sinks", "--seeds", "1", "--json", door=copy / "judge.py")
    assert (status, err) == (1, "")
    assert [check["name"] for check in json.loads(out)["exercises"][0]["checks"] if not check["passed"]] == ["right"]


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1.5"])
def test_seeds_are_counted_from_one(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", f"--seeds={wrong}"]) == 2
    assert f"'{wrong}' is not a whole number from 1 on" in capsys.readouterr().err
