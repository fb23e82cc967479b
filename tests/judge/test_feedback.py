"""What is behind a failure: the smallest input that fails, and the mistake that the answer makes."""

import ast
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from practice.grader.catalogue import find_card
from practice.grader.report import Report, Verdict
from practice.grader.verify.diagnose import name_mistakes
from practice.grader.verify.examples import LONGEST, as_source
from practice.grader.verify.exercise import load_exercise, load_mutants
from practice.grader.verify.in_process import AnswerHere
from practice.grader.verify.trial import Trial
from practice.grader.verify.verifier import grade

GradeReport = Callable[..., Report]
DEF = "import torch\n\ndef evict_sinks(k, v, positions, budget, sinks):\n    "
GUARD = "S = k.shape[2]\n    if S <= budget: return k, v, positions\n    "
EVICT = Path(__file__).resolve().parents[2] / "practice/exercises/evict_sinks"


def ranges(first: str, last: str, positions: str = "positions[index]") -> str:
    """An answer that indexes two ranges."""
    index = f"index = torch.cat([torch.arange({first}), torch.arange({last})])\n    "
    return f"{GUARD}{index}return k[:, :, index], v[:, :, index], {positions}"


def pieces(head: str, tail: str, guard: str = GUARD) -> str:
    """An answer that joins two slices."""
    join = f"f = lambda t, d: torch.cat([t.transpose(0, d)[{head}], t.transpose(0, d)[{tail}]]).transpose(0, d)\n    "
    return f"{guard}{join}return f(k, 2), f(v, 2), f(positions, 0)"


def masks(keep: str, guard: str = GUARD) -> str:
    """An answer that chooses slots by a condition on their numbers."""
    return f"{guard}S = k.shape[2]; i = torch.arange(S); m = {keep}\n    return k[:, :, m], v[:, :, m], positions[m]"


def lists(keep: str) -> str:
    """An answer that builds a list of slots in plain Python."""
    return f"{GUARD}kept = {keep}\n    index = torch.tensor(kept, dtype=torch.int64)\n" + (
        "    return k.index_select(2, index), v.index_select(2, index), positions.index_select(0, index)"
    )


RIGHT_INDEX = (
    f"{GUARD}index = [*range(sinks), *range(S - budget + sinks, S)]\n    k, v = k[:, :, index], v[:, :, index]\n    "
)
SAME_MISTAKE = {
    "plain_window": [
        masks("i >= S - budget"),
        pieces(":0", "S - budget :"),
        lists("[s for s in range(S) if S - s <= budget]"),
        f"{GUARD}return k[:, :, -budget:], v[:, :, -budget:], positions[-budget:]",
        "n = min(budget, len(positions)); s = len(positions) - n\n"
        "    return k.narrow(2, s, n), v.narrow(2, s, n), positions.narrow(0, s, n)",
    ],
    "sinks_dropped": [
        masks("i >= S - (budget - sinks)"),
        lists("list(range(S))[S - budget + sinks :]"),
        f"{GUARD}w = budget - sinks\n    return k[:, :, -w:], v[:, :, -w:], positions[-w:]",
    ],
    "window_one_short": [
        ranges("sinks", "S - (budget - sinks) + 1, S"),
        pieces(":sinks", "S - budget + sinks + 1 :"),
        masks("(i < sinks) | (i > S - (budget - sinks))"),
        pieces(":sinks", "-(budget - sinks - 1) :"),
        lists("[s for s in range(S) if s < sinks or s > S - budget + sinks]"),
    ],
    "window_one_long": [
        ranges("sinks", "S - (budget - sinks) - 1, S"),
        pieces(":sinks", "-(budget - sinks + 1) :"),
        masks("(i < sinks) | (S - 1 - i <= budget - sinks)"),
        lists("[s for s in range(S) if s < sinks or s >= S - 1 - budget + sinks]"),
    ],
    "window_shifted": [
        ranges("sinks", "S - 1 - (budget - sinks), S - 1"),
        pieces(":sinks", "-(budget - sinks) - 1 : -1"),
        masks("(i < sinks) | ((i < S - 1) & (i >= S - 1 - (budget - sinks)))"),
        lists("[*range(sinks), *(s - 1 for s in range(S - budget + sinks, S))]"),
    ],
    "newest_lost": [
        ranges("sinks", "S - (budget - sinks), S - 1"),
        pieces(":sinks", "S - budget + sinks : -1"),
        masks("(i < sinks) | ((i >= S - (budget - sinks)) & (i < S - 1))"),
    ],
    "renumbered": [
        f"{RIGHT_INDEX}return k, v, torch.arange(k.shape[2])",
        f"{RIGHT_INDEX}return k, v, torch.cumsum(torch.ones(budget, dtype=torch.int64), 0) - 1",
        "S = k.shape[2]; i = torch.arange(S); m = (i < sinks) | (i >= S - (budget - sinks)) | (S <= budget)\n"
        "    return k[:, :, m], v[:, :, m], torch.arange(int(m.sum()))",
    ],
    "sinks_renumbered": [
        f"{RIGHT_INDEX}p = positions[index]; p[:sinks] = torch.arange(sinks); return k, v, p",
        f"{RIGHT_INDEX}return k, v, torch.tensor([*range(sinks), *positions.tolist()[S - budget + sinks :]]).long()",
        "p = positions.clone(); p[:sinks] = torch.arange(len(p[:sinks])); S = len(p); i = torch.arange(S)\n"
        "    m = (i < sinks) | (i >= S - (budget - sinks)) | (S <= budget)\n    return k[:, :, m], v[:, :, m], p[m]",
    ],
    "slot_numbers": [
        f"{RIGHT_INDEX}return k, v, torch.tensor(index, dtype=torch.int64)",
        "S = k.shape[2]; i = torch.arange(S); m = (i < sinks) | (i >= S - (budget - sinks)) | (S <= budget)\n"
        "    return k[:, :, m], v[:, :, m], m.nonzero()[:, 0]",
    ],
    "evicts_early": [
        masks("(i < sinks) | (i > S - (budget - sinks))", "if len(positions) < budget: return k, v, positions\n    "),
        masks(
            "(i < sinks) | (S - i <= budget - sinks - (S == budget))",
            "if len(positions) < budget: return k, v, positions\n    ",
        ),
        "while k.shape[2] >= max(budget, 1) and k.shape[2] > sinks:\n"
        "        gone = [s for s in range(k.shape[2]) if s != sinks]\n"
        "        k, v, positions = k[:, :, gone], v[:, :, gone], positions[gone]\n"
        "    return k, v, positions",
    ],
    "overlap": [
        pieces(":sinks", "max(0, S - budget + sinks) :", "S = k.shape[2]\n    "),
        pieces(":sinks", "S - budget + sinks :", "S = k.shape[2]\n    "),
        "S = k.shape[2]; index = [*range(sinks), *range(S - budget + sinks, S)]\n"
        "    return k[:, :, index], v[:, :, index], positions[index]",
    ],
    "overlap_and_minus_zero": [pieces(":sinks", "-(budget - sinks) :", "")],
    "budget_slots_of_window": [
        "if len(positions) <= budget: return k, v, positions\n"
        "    tail = lambda x, d: torch.cat([x.narrow(d, 0, sinks), x.transpose(0, d)[-budget:].transpose(0, d)], d)\n"
        "    return tail(k, 2), tail(v, 2), tail(positions, 0)",
    ],
}
ANSWERS = [
    pytest.param(mistake, body, id=f"{mistake}-{number}")
    for mistake, bodies in SAME_MISTAKE.items()
    for number, body in enumerate(bodies)
]


@pytest.mark.parametrize(("mistake", "body"), ANSWERS)
def test_a_mistake_is_named_however_it_is_written(report_here: GradeReport, mistake: str, body: str) -> None:
    for seed in (0, 1):
        report = report_here("evict_sinks", DEF + body, seed)
        assert report.verdict in (Verdict.WRONG, Verdict.CONTRACT, Verdict.ERROR)
        assert [each.id for each in report.misconceptions] == [mistake]


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise ValueError",
        "return k.flip(2), v.flip(2), positions.flip(0)",
        "return k * 0, v * 0, positions * 0",
        "return (k, v, positions) if len(positions) <= budget else None",
        "k.zero_(); return k, v, positions",
        masks("i % 2 == 0"),
    ],
)
def test_no_mistake_is_named_that_is_not_the_answers(report_here: GradeReport, body: str) -> None:
    assert report_here("evict_sinks", DEF + body).misconceptions == ()


def test_a_right_answer_and_one_that_does_not_load_have_nothing_behind_them(report_here: GradeReport) -> None:
    for source in (
        (EVICT / "reference.py").read_bytes(),
        b"def evict_sinks(:",
        b"",
        (EVICT / "starter.py").read_bytes(),
    ):
        report = report_here("evict_sinks", source)
        assert (report.example, report.misconceptions) == (None, ())


def test_mistakes_that_look_alike_are_all_named() -> None:
    """One test cannot tell who renumbers always from who renumbers only what fits; all tests together can."""
    card = find_card("evict_sinks")
    (mutant,) = [mutant for mutant in load_mutants(card) if mutant.misconception.id == "renumbers_what_fits"]
    trial = Trial(load_exercise(card), 0, "")
    trial.run(AnswerHere(mutant.function))
    alone = [attempt for attempt in trial.attempts if attempt.finding]
    assert [attempt.case.name["en"] for attempt in alone] == ["positions that start late, all fit"]
    named = {each.id for each in name_mistakes(trial, alone)}
    assert named == {"renumbered", "renumbers_what_fits", "slot_numbers"}
    assert [each.id for each in name_mistakes(trial, trial.attempts)] == ["renumbers_what_fits"]


def test_a_mistake_is_named_where_edges_were_handled(report_here: GradeReport) -> None:
    """The plain window, but for one edge that is right: no mutant fits every test, and this one every failure."""
    body = "return (k[:, :, :sinks], v[:, :, :sinks], positions[:sinks]) if sinks == budget < len(positions) else "
    right_at_one_edge = f"{body}window(k, v, positions, budget)\n\n\n"
    window = "def window(k, v, p, b):\n    s = max(0, len(p) - b)\n    return k[:, :, s:], v[:, :, s:], p[s:]\n"
    report = report_here("evict_sinks", DEF + right_at_one_edge + window)
    assert [each.id for each in report.misconceptions] == ["plain_window"]


WRONG = {
    "values": ("evict_sinks", DEF + RIGHT_INDEX + "return k, v, torch.arange(budget)"),
    "shapes": ("evict_sinks", DEF + masks("(i < sinks) | (i > S - (budget - sinks))")),
    "all": ("evict_sinks", DEF + "return k, v, positions"),
    "dtypes": ("evict_sinks", DEF + "return k.double(), v.bfloat16(), positions.int()"),
    "not finite": ("evict_sinks", DEF + "return k / 0, v * torch.nan, positions"),
    "mask": ("quest_select", "def quest_select(q, k, budget, page):\n    return q.new_ones(len(q), k.shape[1]).bool()"),
}


@pytest.mark.parametrize(("exercise", "source"), WRONG.values(), ids=WRONG)
def test_an_example_that_is_pasted_gives_what_the_judge_saw(
    report_here: GradeReport, exercise: str, source: str
) -> None:
    report = report_here(exercise, source, seed=3)
    assert report.example
    assert all(len(text) <= LONGEST for text in (report.example.source, report.example.expected, report.example.got))
    reference = (EVICT.parent / exercise / "reference.py").read_text(encoding="utf-8")
    for answer, told in ((source, report.example.got), (reference, report.example.expected)):
        seen = paste(answer, report.example.source)
        names: dict[str, Any] = {"torch": torch}
        exec(told, names)
        outputs = seen if isinstance(seen, tuple) else (seen,)
        for value, shown in zip(outputs, list(names.values())[2:], strict=True):
            assert value.dtype == shown.dtype
            torch.testing.assert_close(value, shown, rtol=0, atol=0, equal_nan=True)


def paste(answer: str, source: str) -> Any:
    """The value that the last line prints, of a source that is run below an answer."""
    names: dict[str, Any] = {}
    exec(answer, names)
    *lines, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    exec(ast.unparse(ast.Module(lines, [])), names)
    return eval(ast.unparse(last.value.args[0]), names)


def test_the_example_fails_as_the_report_does_and_is_not_empty(report_here: GradeReport) -> None:
    body = "S = k.shape[2]\n    if S in (0, 5): return None\n    return k[:, :, :1], v[:, :, :1], positions[:1]"
    report = report_here("evict_sinks", DEF + body)
    assert report.verdict is Verdict.CONTRACT
    assert report.example
    assert report.example.finding.verdict is Verdict.CONTRACT
    assert report.smallest_failure
    assert report.smallest_failure.size > 0
    assert report.example.finding.key == report.smallest_failure.finding.key  # type: ignore[union-attr]


def test_an_exception_is_shown_as_a_comment_that_stays_one(report_here: GradeReport) -> None:
    body = "raise type('Odd\\nprint(1)', (Exception,), {})('a\\n\\x1b[2Jimport os\\u2028b\\rc')"
    report = report_here("evict_sinks", DEF + body)
    assert report.example
    assert report.example.got == "# Odd print(1): a \x1b[2Jimport os b c"
    assert ast.parse(report.example.got).body == []


@pytest.mark.parametrize(
    ("returned", "got"),
    [
        ("[k], v, positions", "k = [torch.tensor([[[[0.0], [1.0], [2.0]]]])]  # list[1]"),
        ("k, 'x\\ny', None", "v = 'x\\ny'  # str\npositions = None  # NoneType"),
        ("k, object(), torch.zeros(3000)", "v = ...  # object\npositions = ...  # float32[3000]"),
        ("k[..., 0, 0], None", "k, v, positions = (torch.tensor([[0.0]]), None)  # tuple[2]"),
        ("positions.numpy()", "k, v, positions = ...  # numpy.ndarray"),
    ],
)
def test_odd_outputs_are_shown_as_source_too(report_here: GradeReport, returned: str, got: str) -> None:
    report = report_here("evict_sinks", f"{DEF}return {returned}")
    assert report.example
    assert got in report.example.got
    ast.parse(report.example.got)


def test_without_a_small_input_that_fails_the_smallest_test_is_the_example(report_here: GradeReport) -> None:
    right = (EVICT / "reference.py").read_text(encoding="utf-8").replace("def evict_sinks(", "def right(")
    fails = "if {}: return None\n    return right(k, v, positions, budget, sinks)"
    report = report_here("evict_sinks", f"{right}\n{DEF}{fails.format('k.numel() == 0')}")
    assert report.example
    assert "k = torch.zeros((1, 2, 0, " in report.example.source
    assert report_here("evict_sinks", f"{right}\n{DEF}{fails.format('len(positions) > 300')}").example is None


@pytest.mark.parametrize(("returned", "got"), [("2 * params", "tokens = 480"), ("[1.0]", "tokens = [1.0]  # list[1]")])
def test_numbers_are_shown_bare(report_here: GradeReport, returned: str, got: str) -> None:
    source = f"def crossover(params, num_layers, num_heads, head_dim):\n    return {returned}\n"
    report = report_here("crossover", source)
    assert report.example
    assert (report.example.expected, report.example.got) == ("tokens = 4.0", got)
    call = "print(crossover(params, num_layers, num_heads, head_dim))"
    assert report.example.source == f"params = 240\nnum_layers = 2\nnum_heads = 3\nhead_dim = 5\n{call}"


TENSORS = [
    torch.tensor([0.1, 1e-30, -3.4e38, torch.nan, torch.inf, -torch.inf, 16777216.0]),
    torch.tensor([0.1, 1e-300, 2.0**53 + 2], dtype=torch.float64),
    torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0)),
    torch.randn(5, generator=torch.Generator().manual_seed(0)).bfloat16(),
    torch.randn(5, generator=torch.Generator().manual_seed(0)).half(),
    torch.tensor([[1, -2], [3, 2**62]]),
    torch.tensor([1, 2], dtype=torch.int32),
    torch.tensor([[True], [False]]),
    torch.tensor(7.5),
    torch.tensor(3),
    torch.zeros(2, 0, 3),
    torch.zeros(0, dtype=torch.int64),
    torch.zeros(1, 0, dtype=torch.bool),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda tensor: f"{tensor.dtype}-{tuple(tensor.shape)}")
def test_source_gives_a_tensor_back(tensor: torch.Tensor) -> None:
    back = eval(as_source(tensor), {"torch": torch})
    assert back.dtype == tensor.dtype
    torch.testing.assert_close(back, tensor, rtol=0, atol=0, equal_nan=True)


def test_source_is_short() -> None:
    assert as_source(torch.tensor([0.1, 100.0, 1e-5])) == "torch.tensor([0.1, 100.0, 1e-05])"
    assert as_source(torch.arange(3)) == "torch.tensor([0, 1, 2])"
    assert as_source((1, [2.5, True], "x", None, float("nan"))) == "(1, [2.5, True], 'x', None, torch.nan)"
    assert as_source(([torch.zeros(LONGEST)] * 64,) * 64) == "..."


COUNTING = "calls = 0\n{}global calls; calls += 1\n    if calls > {}:\n        {}\n    return k, v, positions"


@pytest.mark.parametrize("end", ["__import__('os')._exit(0)", "while True: pass", "raise NotImplementedError"])
def test_what_happens_after_the_tests_changes_no_verdict(end: str) -> None:
    """The answer is asked again, for small inputs, once all tests are in: nothing then counts against it."""
    card = find_card("evict_sinks")
    tests = len(grade(card, b"", "answer.py").results)
    report = grade(card, COUNTING.format(DEF, tests, end).encode(), "answer.py", seed=1)
    assert report.verdict is Verdict.CONTRACT
    assert {result.verdict for result in report.results} == {Verdict.PASS, Verdict.CONTRACT}
    assert report.example
    assert "positions = torch.tensor([0, 1, 2, 3, 4])\n" in report.example.source


def test_the_real_judge_tells_example_and_mistake() -> None:
    report = grade(find_card("evict_sinks"), (DEF + masks("i >= S - budget")).encode(), "answer.py")
    assert report.verdict is Verdict.WRONG
    assert [each.id for each in report.misconceptions] == ["plain_window"]
    assert report.example
    assert "positions = torch.tensor([0, 2])" in report.example.expected


@pytest.mark.parametrize("body", ["while True: pass", "import os; os._exit(1)", "return bytearray(1 << 31)"])
def test_nothing_is_behind_a_process_that_was_stopped(body: str) -> None:
    hurried = dataclasses.replace(find_card("evict_sinks"), time_limit=0.4)
    report = grade(hurried, (DEF + body).encode(), "answer.py")
    assert report.verdict in (Verdict.TIME, Verdict.CRASH, Verdict.MEMORY)
    assert (report.example, report.misconceptions) == (None, ())


def test_an_answer_that_is_begun_is_not_unwritten(report_here: GradeReport) -> None:
    starter = (EVICT / "starter.py").read_text(encoding="utf-8")
    assert report_here("evict_sinks", starter).unwritten
    assert not report_here(
        "evict_sinks", f"{DEF}if not budget: raise NotImplementedError\n    return k, v, positions"
    ).unwritten
