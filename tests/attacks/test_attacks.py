"""Hostile submissions, through the real command: the verdict fits, the judge lives, and nothing else has changed."""

import pytest
from attacks.conftest import Arena
from attacks.jobs import COMMAND, HAVE_BUBBLEWRAP, STAYING, SYSTEM_KINDS, WAYS, Job, jobs
from attacks.nobody import can_become_nobody
from attacks.runner import Way

LINUX = {"zygote", "no-capabilities", "seccomp"}
EVERYWHERE = {"process", "data-only-wire", "wall-clock", "rlimit-cpu", "rlimit-file-size", "rlimit-data"}
JOBS = list(jobs())


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_attack(arena: Arena, job: Job) -> None:
    outcome = arena.graded[job].result()
    report = outcome.report
    assert report["verdict"] in job.attack.verdicts, report
    assert outcome.status == (0 if report["verdict"] == "PASS" else 1)
    assert outcome.err == ""
    if report["verdict"] == job.attack.verdicts[0]:
        assert job.attack.told in "\n".join(test["message"] for test in report["tests"])
    layers = set(report["isolation"])
    assert layers >= EVERYWHERE
    assert layers & LINUX == (set() if job.way.portable else LINUX)
    assert any(layer.startswith("landlock") for layer in layers) != job.way.portable
    assert ("bubblewrap" in layers) == job.way.bubblewrap
    if job.kind in SYSTEM_KINDS:  # for the others, the arena looks in the end
        assert arena.worlds[job.way.user].changes() == []


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_judge_lives(arena: Arena, way: Way) -> None:
    for job, graded in arena.graded.items():
        if job.way is way:
            graded.result()
    again = arena.grade(Job(way, "honest", "type hints"), "--json").result()
    assert (again.status, again.report["verdict"]) == (0, "PASS")


def test_judges_at_once(arena: Arena) -> None:
    wanted = {
        ("honest", "numpy inside"): "PASS",
        ("never_ends", "an endless loop"): "TIME",
        ("leaves", "os._exit"): "CRASH",
        ("disguise", "a bfloat16 round trip"): "WRONG",
    }
    outcomes = arena.grade_together(*(Job(COMMAND, *attack) for attack in wanted))
    assert [outcome.report["verdict"] for outcome in outcomes] == list(wanted.values())


def test_printed_output_is_cut(arena: Arena) -> None:
    page = arena.grade(Job(STAYING, "eats_the_machine", "20 MB on stdout"), "--verbose").result().out
    assert "the first 65,536 are:" in page
    assert len(page) < 80_000


def test_an_ordinary_user_has_been_tried() -> None:
    if not can_become_nobody():
        pytest.skip("needs root, setpriv and unshare: the attacks ran only as the user that runs the tests")


def test_bubblewrap_has_been_tried() -> None:
    if not HAVE_BUBBLEWRAP:
        pytest.skip("needs bwrap: the attacks ran only without it")
