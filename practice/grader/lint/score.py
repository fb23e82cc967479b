"""The mutation score of a reference: how many of its mutations the cases kill.

A mutated program may loop or ask for all memory, so it runs where answers run, in a process with limits.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence

from practice.grader.isolate.launch import Child, Limits
from practice.grader.isolate.remote import RemoteAnswer
from practice.grader.lint.mutate import Mutation
from practice.grader.report import GRAVITY, Verdict
from practice.grader.verify.exercise import Exercise
from practice.grader.verify.trial import Trial

STOPPED = (Verdict.TIME, Verdict.CRASH, Verdict.MEMORY, Verdict.POLICY)


def surviving(
    exercise: Exercise, seeds: Iterable[int], mutations: Iterable[Mutation], seen: Callable[[], object]
) -> list[Mutation]:
    """The mutations that pass with every seed; `seen` is called after each.

    One process serves many of them.  Where it is stopped, an earlier one may be to blame, so the mutation is tried
    again in a new process.
    """
    trials = [Trial(exercise, seed, "reference.py") for seed in seeds]
    waiting, survivors = deque(mutations), []
    while waiting:
        with Child(Limits(exercise.card.time_limit)) as child:
            child.wait_until_ready()
            is_new, verdict = True, Verdict.PASS
            while waiting and verdict not in STOPPED:
                verdict = _verdict(RemoteAnswer(child), trials, waiting[0])
                if verdict in STOPPED and not is_new:
                    continue
                mutation, is_new = waiting.popleft(), False
                if verdict is Verdict.PASS:
                    survivors.append(mutation)
                seen()
    return survivors


def _verdict(answer: RemoteAnswer, trials: Sequence[Trial], mutation: Mutation) -> Verdict:
    """The gravest verdict of the first trial that the mutation does not pass."""
    for trial in trials:
        function = trial.exercise.card.function
        failure = answer.load(mutation.source.encode(), trial.file, function, trial.parameters)
        results = trial.refuse(failure) if failure else trial.run(answer)
        verdict = max((result.verdict for result in results), key=GRAVITY.__getitem__)
        if verdict is not Verdict.PASS:
            return verdict
    return Verdict.PASS
