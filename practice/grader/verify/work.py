"""The work of an answer beside that of the reference, and of a dense version where the exercise has one."""

from torch import Tensor

from practice.grader.isolate.remote import RemoteAnswer
from practice.grader.isolate.work import count_work
from practice.grader.report import Work
from practice.grader.verify.trial import Trial


def compare_work(trial: Trial, answer: RemoteAnswer) -> tuple[Work, ...]:
    """The work of one call on the largest case; an answer that does not get through it has no entry."""
    arguments = list(max(trial.cases, key=lambda case: case.size).arguments.values())
    if not any(isinstance(argument, Tensor) for argument in arguments):
        return ()  # what plain numbers take is not counted
    exercise = trial.exercise
    functions = {"reference": exercise.reference, **({"dense": exercise.dense} if exercise.dense else {})}
    trusted = [Work(who, *count_work(function, arguments)) for who, function in functions.items()]
    counted = answer.count(arguments)
    return (*([Work("answer", *counted)] if counted else []), *trusted)
