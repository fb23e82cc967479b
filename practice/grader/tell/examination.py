"""What `doctor` found, as plain text for a terminal."""

from collections.abc import Mapping, Sequence

from practice.grader.tell.messages import Language, say
from practice.grader.tell.terminal import render_table

OPEN = "open"
WANTED = ("zygote", "landlock", "seccomp", "bubblewrap")


def render_examination(machine: str, layers: Sequence[str], outcomes: Mapping[str, str], lang: Language) -> str:
    """The machine, the layers that hold, what came of each attempt, and what is missing and would help."""
    rows = []
    for attempt, outcome in outcomes.items():
        through = outcome == OPEN
        shown = say(lang, "doctor_open") if through else say(lang, "doctor_refused", outcome=outcome)
        rows.append(["!" if through else "ok", say(lang, f"attempt_{attempt}"), shown])
    missing = [name for name in WANTED if not any(layer.startswith(name) for layer in layers)]
    lines = [machine, "", say(lang, "doctor_layers", layers=", ".join(layers)), "", say(lang, "doctor_attempts")]
    lines += [f"  {line}" for line in render_table(rows).splitlines()]
    lines += ["", *(say(lang, f"without_{name}") for name in missing)] if missing else []
    count = sum(outcome == OPEN for outcome in outcomes.values())
    return "\n".join([*lines, "", say(lang, "doctor_sum", open=count, total=len(outcomes))])
