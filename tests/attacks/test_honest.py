"""Honest styles stay PASS, whatever the cases: 20 seeds, or 200 where SOAK=1."""

import pytest
from attacks.conftest import Arena
from attacks.jobs import SOAK, STAYING, Job
from attacks.kinds.honest import ATTACKS, SLOW

SEEDS = range(200 if SOAK else 20)


@pytest.mark.parametrize("name", ATTACKS)
def test_it_passes(arena: Arena, name: str) -> None:
    seeds = SEEDS[:3] if name == SLOW else SEEDS
    asked = [arena.grade(Job(STAYING, "honest", name), "--json", "--seed", str(seed)) for seed in seeds]
    reports = [each.result().report for each in asked]
    assert [report for report in reports if report["verdict"] != "PASS"] == []
