"""Hostile submissions, through the real command: the verdict fits, the judge lives, and nothing else has changed."""

import pytest
from attacks.conftest import Arena
from attacks.jobs import WAYS, Job, jobs

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
    assert arena.worlds[job.way.user].changes() == []


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_the_judge_lives_and_nothing_is_left(arena: Arena, way) -> None:
    for job, graded in arena.graded.items():
        if job.way is way:
            graded.result()
    right = Job(way, "honest", "type hints")
    assert arena.grade(right, "--json").result().report["verdict"] == "PASS"
    assert arena.worlds[way.user].changes() == []
