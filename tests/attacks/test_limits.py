"""Limits of time: an answer is stopped when its limit is over, and not much later."""

import time

import pytest

from practice.grader.isolate.launch import Child, Limits
from practice.grader.isolate.remote import Failure, RemoteAnswer

SPIN = b"""
import time
def f():
    while True:
        print(time.process_time(), flush=True)
        end = time.monotonic() + 0.01
        while time.monotonic() < end: pass
"""


def stop(source: bytes, limit: float, portable: bool) -> tuple[Failure, str, float]:
    """The failure of `f` of the source, what it printed, and seconds by the clock."""
    with Child(Limits(limit), portable) as child:
        child.wait_until_ready()
        answer = RemoteAnswer(child)
        assert answer.load(source, "a.py", "f", ()) is None
        started = time.monotonic()
        failure = answer.call([])
        seconds = time.monotonic() - started
    assert isinstance(failure, Failure)
    return failure, child.printed, seconds


@pytest.mark.parametrize("portable", [False, True])
def test_a_loop_ends_soon_after_its_limit(portable: bool) -> None:
    failure, printed, _ = stop(SPIN, 3.0, portable)
    used = [float(line) for line in printed.splitlines()]
    assert failure.kind == "time"
    assert 2.8 < used[-1] - used[0] < 3.3


@pytest.mark.parametrize("portable", [False, True])
def test_a_sleeper_is_stopped_by_the_clock(portable: bool) -> None:
    source = b"import time\ndef f(): time.sleep(60)"
    outcomes = [stop(source, 0.5, portable)]
    while outcomes[-1][2] > 1.5 and len(outcomes) < 3:  # a busy machine
        outcomes.append(stop(source, 0.5, portable))
    failure, _, seconds = outcomes[-1]
    assert failure.kind == "time"
    assert 0.9 < seconds < 1.5


def test_answers_draw_different_random_numbers() -> None:
    source = b"import random, torch, numpy\ndef f(): return random.random(), torch.rand(()), float(numpy.random.rand())"
    drawn = []
    for _ in range(2):
        with Child(Limits(3)) as child:
            child.wait_until_ready()
            answer = RemoteAnswer(child)
            answer.load(source, "a.py", "f", ())
            drawn.append(answer.call([]).outputs)
    assert all(first != second for first, second in zip(*drawn, strict=True))
