"""The doctor tries for real: nothing gets through where all layers hold, and most does where they are left out."""

import ast
import os
from collections.abc import Callable

import pytest

from practice.grader.isolate import doctor, landlock, seccomp
from practice.grader.tell import en

Judge = Callable[..., tuple[int, str, str]]


def test_nothing_goes_through(judge: Judge) -> None:
    status, out, _ = judge("doctor")
    assert status == 0, out
    assert en.TABLE["doctor_open"] not in out
    assert f"0 of {len(doctor.ATTEMPTS)} attempts" in out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_missing_is_said(judge: Judge, lang: str) -> None:
    status, out, _ = judge("doctor", "--portable", "--lang", lang)
    assert status == 1
    for name in ("zygote", "Landlock", "seccomp", "bubblewrap"):
        assert name in out


def test_every_attempt_can_go_through() -> None:
    """Where nothing but limits holds, only those stop an attempt: no probe is refused for a reason of its own."""
    layers, outcomes = doctor.examine(portable=True)
    stopped = {attempt for attempt, outcome in outcomes.items() if outcome != doctor.OPEN}
    by_limits = {"writes_a_file", "raises_its_limits", "takes_more_memory"}
    assert by_limits - {"raises_its_limits"} <= stopped <= by_limits | {"changes_its_priority", "maps_new_namespaces"}
    assert not {"seccomp", "zygote", "bubblewrap"} & set(layers)


def test_probes_are_the_attempts() -> None:
    functions = [node.name for node in ast.parse(doctor.PROBES.read_text()).body if isinstance(node, ast.FunctionDef)]
    assert functions == [*doctor.ATTEMPTS, doctor.HARMLESS, "attempt"]
    assert {f"attempt_{name}" for name in doctor.ATTEMPTS} == {key for key in en.TABLE if key.startswith("attempt_")}


def test_each_layer_holds_alone() -> None:
    """Landlock without the filter, and the filter without Landlock, each in a forked process of its own."""
    for restrict, path, flags in (
        (lambda: landlock.restrict(["/usr/lib"]), __file__, os.O_RDONLY),
        (seccomp.install, os.devnull, os.O_WRONLY),
    ):
        pid = os.fork()
        if pid == 0:
            held = restrict()
            try:
                os.open(path, flags)
            except PermissionError:
                os._exit(0 if held else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
