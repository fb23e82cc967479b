"""Every exercise proves itself: right answers pass, wrong ones fail, whatever the seed."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.catalogue import Card, all_cards, find_card
from practice.grader.isolate.values import pack
from practice.grader.report import GRAVITY, CaseResult, Verdict
from practice.grader.verify.exercise import load_exercise
from practice.grader.verify.trial import Trial

Grade = Callable[..., list[CaseResult]]
CARDS = all_cards()
SEEDS = range(12)
FEW_SEEDS = range(6)


def sources(kind: str) -> list[object]:
    found = [(card, path) for card in CARDS for path in sorted(card.folder.glob(kind))]
    return [pytest.param(card.id, path, id=f"{card.id}-{path.stem}") for card, path in found]


def worst(results: list[CaseResult]) -> Verdict:
    return max((result.verdict for result in results), key=GRAVITY.__getitem__)


def reasons(results: list[CaseResult]) -> str:
    return "\n".join(f"{result.name['en']}: {result.finding}" for result in results if result.finding)


@pytest.mark.parametrize(("exercise", "path"), sources("reference.py") + sources("variants/*.py"))
def test_right_answers_pass_whatever_the_seed(grade_here: Grade, exercise: str, path: Path) -> None:
    for seed in SEEDS:
        results = grade_here(exercise, path.read_bytes(), seed)
        assert worst(results) is Verdict.PASS, f"seed {seed}\n{reasons(results)}"


@pytest.mark.parametrize(("exercise", "path"), sources("mutants/*.py"))
def test_mutants_fail_whatever_the_seed(grade_here: Grade, exercise: str, path: Path) -> None:
    for seed in FEW_SEEDS:
        results = grade_here(exercise, path.read_bytes(), seed)
        assert worst(results) in (Verdict.WRONG, Verdict.CONTRACT), f"seed {seed}\n{reasons(results)}"


@pytest.mark.parametrize(("exercise", "path"), sources("mutants/*.py"))
def test_mutants_name_their_mistake_in_both_languages(exercise: str, path: Path) -> None:
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert told is not None
    assert re.fullmatch(r"en: .+\.\nzh: .*[\u4e00-\u9fff].*。", told)


@pytest.mark.parametrize(("exercise", "path"), sources("starter.py"))
def test_starter_is_not_written_yet(grade_here: Grade, exercise: str, path: Path) -> None:
    results = grade_here(exercise, path.read_bytes())
    assert {result.verdict for result in results} == {Verdict.ERROR}
    assert {result.finding.key for result in results} == {"unwritten"}


@pytest.mark.parametrize(
    ("exercise", "body"),
    [
        ("evict_sinks", "return torch.zeros_like(k), torch.zeros_like(v), torch.zeros_like(positions)"),
        ("evict_sinks", "return k, v, positions"),
        ("evict_sinks", "return k[:, :, :6], v[:, :, :6], torch.tensor([0, 1, 8, 9, 10, 11])"),
        ("evict_sinks", "return k[:, :, :budget] * 0, v[:, :, :budget] * 0, positions[:budget] * 0"),
        ("quest_select", "return torch.zeros(len(q), k.shape[1], dtype=torch.bool)"),
        ("quest_select", "return torch.ones(len(q), k.shape[1], dtype=torch.bool)"),
        ("quest_select", "return (torch.arange(k.shape[1]) >= k.shape[1] - budget).expand(len(q), -1)"),
    ],
)
def test_lazy_answers_fail(grade_here: Grade, exercise: str, body: str) -> None:
    parameters = {"evict_sinks": "k, v, positions, budget, sinks", "quest_select": "q, k, budget, page"}[exercise]
    results = grade_here(exercise, f"import torch\ndef {exercise}({parameters}):\n    {body}\n")
    assert worst(results) in (Verdict.WRONG, Verdict.CONTRACT)


def test_quest_wants_whole_pages(grade_here: Grade) -> None:
    right = find_card("quest_select").folder.joinpath("reference.py").read_text(encoding="utf-8")
    cut = "\n\nrest = quest_select\ndef quest_select(q, k, budget, page):\n    mask = rest(q, k, budget, page)\n"
    results = grade_here("quest_select", f"{right}{cut}    mask[:, 1:2] = False\n    return mask\n")
    assert "page 0 is read in part" in reasons(results)
    assert {result.verdict for result in results if result.finding} == {Verdict.WRONG}


def test_quest_takes_any_tied_page(grade_here: Grade) -> None:
    plain = find_card("quest_select").folder.joinpath("reference.py").read_text(encoding="utf-8")
    last_of_equals = plain.replace(
        "bounds.topk(max(1, budget // page), dim=-1).indices",
        "pages - 1 - bounds.flip(-1).sort(dim=-1, descending=True, stable=True).indices[:, : max(1, budget // page)]",
    )
    assert last_of_equals != plain
    results = grade_here("quest_select", last_of_equals)
    assert worst(results) is Verdict.PASS, reasons(results)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_folder_is_complete(card: Card) -> None:
    assert len(list(card.folder.glob("variants/*.py"))) >= 2
    assert len(list(card.folder.glob("mutants/*.py"))) >= 5
    assert set(card.title) == {"en", "zh"}
    assert re.fullmatch(r"\d\d", card.chapter)
    assert all(re.fullmatch(r"\d\d", chapter) and chapter < card.chapter for chapter in card.needs)
    assert 1 <= card.difficulty <= 5
    assert 1 <= card.importance <= 5
    starter = ast.parse((card.folder / "starter.py").read_text(encoding="utf-8"))
    (function,) = [node for node in starter.body if isinstance(node, ast.FunctionDef)]
    signature = f"{function.name}({', '.join(argument.arg for argument in function.args.args)})"
    assert function.name == card.function
    for lang in ("en", "zh"):
        statement = (card.folder / f"statement.{lang}.md").read_text(encoding="utf-8")
        assert signature in statement
        assert len(statement.splitlines()) <= 60


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_cases_are_fresh_and_repeatable(card: Card) -> None:
    exercise = load_exercise(card)
    first, same, other = (
        [pack(list(case.arguments.values())) for case in Trial(exercise, seed, "").cases] for seed in (1, 1, 2)
    )
    assert first == same
    assert sum(a == b for a, b in zip(first, other, strict=True)) <= 2  # the worked example, and no keys at all
