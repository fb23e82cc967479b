"""What holds on this machine: a child that tries what an answer must not do, and reports what came of it."""

import os
from pathlib import Path

from practice.grader.isolate.launch import Child, Limits
from practice.grader.isolate.remote import Failure, RemoteAnswer

PROBES = Path(__file__).with_name("probes.py")
EXERCISES = Path(__file__).resolve().parents[2] / "exercises"
ATTEMPTS = (
    "reads_the_exercises",
    "reads_a_home",
    "writes_a_file",
    "makes_a_folder",
    "removes_a_file",
    "opens_a_socket",
    "opens_a_unix_socket",
    "starts_a_process",
    "runs_a_program",
    "signals_the_judge",
    "signals_its_parent",
    "reads_the_judges_memory",
    "raises_its_limits",
    "takes_more_memory",
    "changes_its_priority",
    "maps_new_namespaces",
)
HARMLESS = "starts_a_thread"
OPEN = "open"


def examine(portable: bool = False) -> tuple[list[str], dict[str, str]]:
    """The layers of a grading here; and for each attempt the exception that stopped it, or "open".

    Raises NotStarted where no answer can be graded, RuntimeError where the probes themselves fail.
    """
    with Child(Limits(cpu_seconds=10), portable) as child:
        child.wait_until_ready()
        answer = RemoteAnswer(child)
        failure = answer.load(PROBES.read_bytes(), PROBES.name, "attempt", ("names", "exercises", "judge"))
        reply = failure or answer.call([(*ATTEMPTS, HARMLESS), str(EXERCISES), os.getpid()])
        if isinstance(reply, Failure) or not isinstance(reply.outputs, tuple):
            raise RuntimeError(f"the probes did not run: {reply}")
        outcomes = dict(zip((*ATTEMPTS, HARMLESS), map(str, reply.outputs), strict=True))
    if outcomes.pop(HARMLESS) != OPEN:
        raise RuntimeError("an answer cannot start a thread here")
    return child.layers, outcomes
