"""Answers graded on this machine, several at a time."""

import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from practice.grader.batch.grading import Request
from practice.grader.batch.judging import Bench
from practice.grader.rows import Row

Graded = tuple[Request, Row]


def grade_here(requests: Sequence[Request], jobs: int, isolated: bool) -> Iterator[Graded]:
    """Each request and its row, as they come, from `jobs` judges.  Raises NotIsolated, JudgeLost.

    Left before its end, it ends the judges and what they are grading.
    """
    benches = [Bench(isolated) for _ in range(min(jobs, len(requests)))]
    free: queue.SimpleQueue[Bench] = queue.SimpleQueue()
    for bench in benches:
        free.put(bench)

    def grade(request: Request) -> Graded:
        bench = free.get()
        try:
            return request, bench.grade(request)
        finally:
            free.put(bench)

    pool = ThreadPoolExecutor(max(1, len(benches)))
    try:
        for graded in as_completed([pool.submit(grade, request) for request in requests]):
            yield graded.result()
    finally:
        for bench in benches:
            bench.leave()
        pool.shutdown(cancel_futures=True)
        for bench in benches:
            bench.close()
