"""A judge that fails: tried again, replaced, and told in the end; and what the command refuses to begin."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from batch_class import EXERCISE, make_class

from practice.grader.batch import grading, judging
from practice.grader.batch.examiner import Examiner
from practice.grader.batch.grading import Request, digest_of
from practice.grader.batch.journal import Journal
from practice.grader.batch.judging import TRIES, Bench, JudgeLost
from practice.grader.batch.submissions import Answer
from practice.grader.batch.whole import Grader, grade_answers
from practice.grader.catalogue import find_card
from practice.grader.cli import main
from practice.grader.rows import Row

REQUEST = Request("ann", "kv_bytes", "kv_bytes.py", (EXERCISE / "reference.py").read_bytes(), 5)


@pytest.fixture
def bench(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A seat for a judge from a copy of the course, which tests may break."""
    monkeypatch.setattr(judging, "ROOT", copy)
    bench = Bench(isolated=False)
    yield bench
    bench.close()


def test_a_judge_that_fails(bench: Bench, copy: Path) -> None:
    cases = copy / "practice/exercises/kv_bytes/cases.py"
    right = cases.read_bytes()
    cases.write_text(f"open({str(copy / 'tries')!r}, 'a').write('x')\nraise MemoryError('too little')\n")
    row = bench.grade(REQUEST)
    assert (row.outcome, row.points, row.student) == ("UNGRADED", None, "ann")
    assert row.reason
    assert row.reason.fields == {"error": "MemoryError: too little"}
    assert (copy / "tries").read_text() == "x" * TRIES
    cases.write_bytes(right)
    assert bench.grade(REQUEST).outcome == "PASS"
    bench.sit_down()._process.kill()
    assert bench.grade(REQUEST).outcome == "PASS"  # by another one


def test_a_judge_that_does_not_start(bench: Bench, copy: Path) -> None:
    (copy / "practice/grader/batch/worker.py").write_text("raise SystemExit('no torch')\n")
    with pytest.raises(JudgeLost, match="no torch"):
        bench.grade(REQUEST)


def test_a_layer_that_goes_missing_costs_the_grading_not_the_student() -> None:
    examiner = Examiner(isolated=False)
    assert examiner.grade(REQUEST).outcome == "PASS"
    examiner.layers = ["process", "a wall"]
    row = examiner.grade(REQUEST)
    assert (row.outcome, row.points, row.results) == ("UNGRADED", None, ())
    assert row.reason
    assert (row.reason.key, row.reason.fields) == ("class_degraded", {"layers": "a wall"})


def test_ungraded_rows_are_not_kept(tmp_path: Path) -> None:
    answer = Answer("ann", "kv_bytes", "kv_bytes.py", b"x")
    cards = {"kv_bytes": find_card("kv_bytes")}
    told: list[tuple[int, int]] = []
    outcomes = iter(["UNGRADED", "PASS", "WRONG"])

    def grader(requests: Any, _: object) -> Iterator[tuple[Request, Row]]:
        for request in requests:
            yield request, Row(request.student, request.exercise, next(outcomes), None, 1.0)

    found = []
    for _ in range(3):
        with Journal(tmp_path) as journal:
            rows = grade_answers([answer], cards, journal, None, grader, lambda done, total: told.append((done, total)))
        found += [row.outcome for row in rows]
    assert found == ["UNGRADED", "PASS", "PASS"]
    assert told == [(0, 1), (1, 1), (0, 1), (1, 1), (1, 1)]


def passing(graded: list[Request]) -> Grader:
    """A grader that notes what it is asked and lets everybody pass."""

    def grader(requests: Sequence[Request], versions: Mapping[str, str]) -> Iterator[tuple[Request, Row]]:
        for request in requests:
            graded.append(request)
            yield request, Row(request.student, request.exercise, "PASS", 1.0, 1.0)

    return grader


def test_required_isolation_holds_for_rows_of_before(tmp_path: Path) -> None:
    """A row that was graded without it is graded again; one that was graded with it is good for both."""
    graded: list[Request] = []
    grader = passing(graded)
    for isolated, expected in ((False, 1), (False, 1), (True, 2), (True, 2), (False, 2)):
        with Journal(tmp_path) as journal:
            answers, cards = [Answer("ann", "kv_bytes", "kv_bytes.py", b"x")], {"kv_bytes": find_card("kv_bytes")}
            assert len(grade_answers(answers, cards, journal, None, grader, isolated=isolated)) == 1
        assert len(graded) == expected


def test_another_judge_is_another_version(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "GRADER", copy / "practice/grader")
    before = digest_of(find_card("kv_bytes"))
    for name in ("verify/compare.py", "isolate/values.py", "marks.py", "classroom.py"):
        with (copy / "practice/grader" / name).open("a") as file:
            file.write("# changed\n")
        after = digest_of(find_card("kv_bytes"))
        assert after != before
        before = after
    (copy / "practice/grader/tell/en.py").write_text("")
    assert digest_of(find_card("kv_bytes")) == before


def test_a_secret_seed_that_all_share(tmp_path: Path) -> None:
    graded: list[Request] = []
    cards = {"kv_bytes": find_card("kv_bytes")}
    for out in ("a", "b"):
        for students in ("xy", "xyz"):  # the second time, only z is new
            answers = [Answer(student, "kv_bytes", "kv_bytes.py", b"x") for student in students]
            with Journal(tmp_path / out) as journal:
                grade_answers(answers, cards, journal, None, passing(graded))
    seeds = [request.seed for request in graded]
    assert len(seeds) == 6
    assert len(set(seeds)) == 2


REFUSED = {
    "no folder": (["/nowhere"], "cannot read /nowhere: No such file or directory"),
    "an empty class": (["{empty}"], "holds no folder and no zip of a student"),
    "no exercise": (["{nothing}"], "handed in an exercise; name the exercises"),
    "an unknown exercise": (["{nothing}", "kv_byte"], "did you mean kv_bytes"),
    "results in the class": (["{nothing}", "--out", "{nothing}"], "cannot lie where the class does"),
    "no jobs": (["{nothing}", "--jobs", "0"], "'0' is not a whole number from 1 to 512"),
    "a seed that is none": (["{nothing}", "--seed", "-1"], "'-1' is not a whole number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, told = REFUSED[name]
    (tmp_path / "empty").mkdir()
    (tmp_path / "nothing" / "ann").mkdir(parents=True)
    places = {"empty": tmp_path / "empty", "nothing": tmp_path / "nothing"}
    out = [] if "--out" in words else ["--out", str(tmp_path / "out")]
    assert main(["batch", *(word.format(**places) for word in words), *out, "--lang", "en"]) == 2
    assert told in capsys.readouterr().err


def test_a_row_even_where_nobody_handed_anything_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "class" / "ann").mkdir(parents=True)
    words = ["batch", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "kv_bytes", "rope", "--lang", "zh"]
    assert main(words) == 0
    assert "（1 名学生，共 2 行）" in capsys.readouterr().out
    with (tmp_path / "out" / "marks.csv").open(encoding="utf-8", newline="") as marks:
        assert [row[:3] for row in list(csv.reader(marks))[1:]] == [
            ["ann", "kv_bytes", "MISSING"],
            ["ann", "rope", "MISSING"],
        ]


def test_results_may_lie_in_the_class(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class", 1)
    (folder / "s0000" / "kv_bytes.py").unlink()
    words = ["batch", str(folder), "kv_bytes", "--out", str(folder / "results")]
    assert main(words) == main(words) == 0
    assert len((folder / "results" / "marks.csv").read_text("utf-8").splitlines()) == 2
