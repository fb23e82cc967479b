"""What the exercises promise beyond what `judge lint` proves (test_lint.py): mistakes are named, ties are free."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.catalogue import Card, all_cards, find_card
from practice.grader.report import GRAVITY, CaseResult, Report, Verdict
from practice.grader.verify.diagnose import SMALL_CALLS, same_reply
from practice.grader.verify.examples import as_source
from practice.grader.verify.exercise import load_exercise, load_mutants
from practice.grader.verify.in_process import AnswerHere
from practice.grader.verify.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[..., list[CaseResult]]
GradeReport = Callable[..., Report]
CARDS = all_cards()


def sources(kind: str) -> list[object]:
    found = [(card, path) for card in CARDS for path in sorted(card.folder.glob(kind))]
    return [pytest.param(card.id, path, id=f"{card.id}-{path.stem}") for card, path in found]


def worst(results: list[CaseResult]) -> Verdict:
    return max((result.verdict for result in results), key=GRAVITY.__getitem__)


def reasons(results: list[CaseResult]) -> str:
    return "\n".join(f"{result.name['en']}: {result.finding}" for result in results if result.finding)


@pytest.mark.parametrize(("exercise", "path"), sources("mutants/*.py"))
def test_mutants_are_named_and_nothing_else_is(report_here: GradeReport, exercise: str, path: Path) -> None:
    report = report_here(exercise, path.read_bytes())
    assert [each.id for each in report.misconceptions] == [path.stem.partition("__")[0]]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_mutants_are_told_apart_by_the_cases_alone(card: Card) -> None:
    for seed in (0, 1, 2):
        trial = Trial(load_exercise(card), seed, "")
        replies = [
            (mutant.misconception.id, [trial.attempt(AnswerHere(mutant.function), case).reply for case in trial.cases])
            for mutant in load_mutants(card)
        ]
        for (one, first), (other, second) in itertools.combinations(replies, 2):
            assert one == other or not all(map(same_reply, first, second)), (one, other)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_implementations_of_one_mistake_share_its_words(card: Card) -> None:
    told = {(mutant.misconception.id, *mutant.misconception.text.values()) for mutant in load_mutants(card)}
    assert len(told) == len({mutant.misconception.id for mutant in load_mutants(card)})
    for mutant in load_mutants(card):
        assert set(mutant.misconception.text) == {"en", "zh"}


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_small_cases_are_few_and_small_and_begin_with_what_is_readable(card: Card) -> None:
    trial = Trial(load_exercise(card), 0, "")
    cases = list(trial.small_cases)
    assert 30 <= len(cases) <= SMALL_CALLS
    assert 0 < cases[0].size <= 12
    assert max(case.size for case in cases[:10]) <= 30
    for case in cases:
        expected = trial.exercise.reference(**case.arguments)
        assert trial.exercise.check(case, expected, expected) is None
        assert sum(len(as_source(value)) for value in case.arguments.values()) < 400


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("exercise", "digits", "keys"),
    [
        ("evict_sinks", 1, ("03.ppl.full", "03.ppl.window", "03.ppl.sinks4")),
        ("topk_mask", 3, ("04.mean.topk.256", "04.mean.sinks.256")),
    ],
)
def test_measured_numbers_in_a_statement_are_the_ledgers(
    exercise: str, digits: int, keys: tuple[str, ...], lang: str
) -> None:
    ledger = json.loads((ROOT / "assets/ledger.json").read_text(encoding="utf-8"))
    told = find_card(exercise).folder.joinpath(f"statement.{lang}.md").read_text(encoding="utf-8")
    measured = [f"{ledger[key]['value']:.{digits}f}" for key in keys]
    assert re.findall(rf"\d+\.\d{{{digits}}}(?!\d)", told) == measured


@pytest.mark.parametrize(
    ("exercise", "body"),
    [
        ("evict_sinks", "return k[:, :, :6], v[:, :, :6], torch.tensor([0, 1, 8, 9, 10, 11])"),
        ("evict_sinks", "return k[:, :, :budget] * 0, v[:, :, :budget] * 0, positions[:budget] * 0"),
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
        "bounds.topk(max(1, budget // page)).indices",
        "pages - 1 - bounds.flip(-1).sort(dim=-1, descending=True, stable=True).indices[:, : max(1, budget // page)]",
    )
    assert last_of_equals != plain
    results = grade_here("quest_select", last_of_equals)
    assert worst(results) is Verdict.PASS, reasons(results)
