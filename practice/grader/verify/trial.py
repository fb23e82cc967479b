"""One answer through all cases of its exercise: each case is sent once the reply to the last one is in."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from practice.grader.isolate.remote import Failure, Returned
from practice.grader.isolate.values import Value
from practice.grader.isolate.wire import SOURCE_LIMIT
from practice.grader.report import CaseResult, Finding, Verdict
from practice.grader.verify.compare import check_contract, check_inputs, check_poison, describe
from practice.grader.verify.exercise import Case, Exercise

FATAL = (Verdict.TIME, Verdict.CRASH)
NOT_RUN = Finding(Verdict.NOT_RUN, "not_run")


class Answer(Protocol):
    """Whatever runs an answer: it gets copies of the arguments and gives back outputs, never a verdict."""

    def call(self, arguments: Sequence[Value]) -> Returned | Failure: ...


@dataclass(frozen=True)
class Attempt:
    """One case tried: what should have come back, what did, what is wrong with it (None: nothing), round-trip time."""

    case: Case
    expected: Value
    reply: Returned | Failure
    finding: Finding | None
    milliseconds: float

    @property
    def result(self) -> CaseResult:
        """The attempt as a report tells it."""
        return _result(self.case, self.finding, self.milliseconds)


class Trial:
    """An exercise's cases for one seed, ready to be tried on an answer; `file` is what findings call its source."""

    def __init__(self, exercise: Exercise, seed: int, file: str) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.exercise, self.seed, self.file = exercise, seed, file
        self.attempts: list[Attempt] = []
        self._expected: dict[Case, Value] = {}
        self.cases = exercise.make_cases(generator)
        if len({case.name["en"] for case in self.cases}) != len(self.cases):
            raise ValueError(f"{exercise.card.id}: two cases share a name")
        self._order = torch.randperm(len(self.cases), generator=generator).tolist()

    @property
    def parameters(self) -> list[str]:
        """The names of the function's positional parameters."""
        return list(self.cases[0].arguments)

    @property
    def small_cases(self) -> Iterable[Case]:
        """The exercise's small cases for the same seed."""
        return self.exercise.small_cases(torch.Generator().manual_seed(self.seed))

    def run(self, answer: Answer, seen: Callable[[CaseResult], object] = lambda _: None) -> list[CaseResult]:
        """Results in the author's order; ``seen`` is told each as it comes.

        The cases run in a random order, and none runs after a fatal verdict.  `attempts` keeps what came back.
        """
        self.attempts = []
        results: dict[int, CaseResult] = {}
        for index in self._order:
            self.attempts.append(attempt := self.attempt(answer, self.cases[index]))
            results[index] = result = attempt.result
            seen(result)
            if result.verdict in FATAL:
                return [results.get(i) or _result(case, NOT_RUN) for i, case in enumerate(self.cases)]
        return [results[i] for i in range(len(self.cases))]

    def refuse(self, why: Failure | Finding) -> list[CaseResult]:
        """Results where there is no function to call: every case has the same finding."""
        finding = self._finding(why, "_import") if isinstance(why, Failure) else why
        return [_result(case, finding) for case in self.cases]

    def attempt(self, answer: Answer, case: Case) -> Attempt:
        """Try one case."""
        expected = self._expected_of(case)
        started = time.perf_counter()
        reply = answer.call(list(case.arguments.values()))
        milliseconds = 1000 * (time.perf_counter() - started)
        if isinstance(reply, Failure):
            finding: Finding | None = self._finding(reply)
        else:
            finding = (
                check_poison(case, check_contract(expected, reply.outputs, self.exercise.outputs))
                or check_inputs(case.arguments, reply.inputs)
                or self.exercise.check(case, expected, reply.outputs)
            )
        return Attempt(case, expected, reply, finding, milliseconds)

    def _expected_of(self, case: Case) -> Value:
        if case not in self._expected:
            reference = self.exercise.reference
            self._expected[case] = case.known.value if case.known else reference(**case.arguments)
        return self._expected[case]

    def _finding(self, failure: Failure, during: str = "") -> Finding:
        """A failure of the process or of the learner's code as a finding; `during` ends the keys of an import."""
        card = self.exercise.card
        place = f"{self.file}:{failure.line}" if failure.line else self.file
        wanted = f"{card.function}({', '.join(self.parameters)})"
        raised = {"place": place, "type": failure.type, "message": failure.message}
        match failure.kind:
            case "time":
                return Finding(Verdict.TIME, f"time{during}", {"limit": f"{card.time_limit:g}"})
            case "crash":
                return Finding(Verdict.CRASH, f"crash{during}", {"detail": failure.message})
            case "memory":
                return Finding(Verdict.MEMORY, "memory", raised, traceback=failure.traceback)
            case "policy":
                return Finding(Verdict.POLICY, "policy", raised, traceback=failure.traceback)
            case "missing" | "signature":
                fields = {"file": self.file, "place": place, "wanted": wanted, "found": failure.message}
                return Finding(Verdict.CONTRACT, failure.kind, fields)
            case "source_size":
                fields = {"place": place, "size": failure.message, "limit": f"{SOURCE_LIMIT:,}"}
                return Finding(Verdict.ERROR, "source_size", fields)
            case "exception":
                unwritten = failure.type == "NotImplementedError" and not failure.message
                key = "unwritten" if unwritten else "exception"
                return Finding(Verdict.ERROR, key, raised, traceback=failure.traceback)


def _result(case: Case, finding: Finding | None, milliseconds: float = 0.0) -> CaseResult:
    inputs = ", ".join(
        f"{name} {describe(value) if isinstance(value, Tensor) else repr(value)}"
        for name, value in case.arguments.items()
    )
    return CaseResult(case.name, finding, milliseconds, case.size, inputs)
