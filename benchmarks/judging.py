"""The judge's speed beside Python's own start, torch-judge and nbgrader: part of ``make bench``.

Peers live in environments of their own under ``build/peers``; where one cannot be installed, its rows say so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from machine import describe
from tqdm import tqdm

from practice.grader.catalogue import find_card
from practice.grader.isolate.forking import end_zygote
from practice.grader.report import Verdict
from practice.grader.verify.exercise import load_exercise
from practice.grader.verify.verifier import grade

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS = ROOT / "build" / "peers"
NEEDS = {
    "torch_judge": [f"torch=={torch.__version__.partition('+')[0]}", "torch-judge==0.1.1"],
    "nbgrader": [f"torch=={torch.__version__.partition('+')[0]}", "nbgrader==0.9.6", "ipykernel"],
}
CARD = find_card("evict_sinks")
REFERENCE = CARD.folder / "reference.py"
HEAD = "def evict_sinks(k, v, positions, budget, sinks):\n    "
LOOP = HEAD + "while True: pass\n"
SLEEP = HEAD + "import time; time.sleep(3600)\n"
PATIENCE = 12.0

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds, and no peers")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder to write to")
    options = parser.parse_args()
    rounds = 1 if options.quick else 7
    parts: list[Callable[[], list[Row]]] = [lambda: _cold(rounds), lambda: _warm(5 * rounds), _stopped]
    if not options.quick:
        parts += [_torch_judge, _nbgrader]
    table = [row for part in tqdm(parts, desc="judge", file=sys.stdout) for row in part()]
    write_results(options.out / "judge", "The judge", table, ("what", "who", "found", "goal"))
    print(f"{len(table)} rows, {sum(row['missed'] for row in table)} miss their goal: {options.out}")


def write_results(path: Path, title: str, rows: list[Row], columns: tuple[str, ...]) -> None:
    """Write rows, and what the machine is, as JSON and as a Markdown table: ``path`` with .json and with .md."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = describe(torch.device("cpu"))
    path.with_suffix(".json").write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")
    lines = [f"# {title}", "", *(f"{name}: {value}  " for name, value in about.items())]
    lines += ["", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(str(row[column]) for column in columns)} |" for row in rows]
    path.with_suffix(".md").write_text("\n".join(lines) + "\n")


def _row(what: str, who: str, value: float, unit: str, most: float | None = None) -> Row:
    goal = "" if most is None else f"<= {most:g} {unit}".strip()
    missed = most is not None and value > most
    return {
        "what": what,
        "who": who,
        "value": value,
        "found": f"{value:.3g} {unit}".strip(),
        "goal": goal,
        "missed": missed,
    }


def _said(what: str, who: str, found: str) -> Row:
    return {"what": what, "who": who, "value": None, "found": found, "goal": "", "missed": False}


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    return time.perf_counter() - start


def _cold(rounds: int) -> list[Row]:
    """One grading in a fresh process, in turns with a bare `import torch`."""
    judge = [sys.executable, str(ROOT / "practice" / "judge.py"), "run", CARD.id, str(REFERENCE)]
    pairs = [(_seconds([sys.executable, "-c", "import torch"]), _seconds(judge)) for _ in range(rounds)]
    ratio = statistics.median(cold / bare for bare, cold in pairs)
    return [
        _row("import torch", "Python", statistics.median(bare for bare, _ in pairs), "s"),
        _row("cold grading", "judge", statistics.median(cold for _, cold in pairs), "s"),
        _row("cold grading over import torch", "judge", ratio, "", 1.6),
    ]


def _warm(rounds: int) -> list[Row]:
    """One process that grades again and again, with the sandbox that this machine has."""
    source = REFERENCE.read_bytes()
    grade(CARD, source, "answer.py")
    reports = [grade(CARD, source, "answer.py") for _ in range(rounds)]
    assert {report.verdict for report in reports} == {Verdict.PASS}
    what = f"warm grading, {len(reports[0].results)} cases, {', '.join(reports[0].isolation[-6:])}"
    return [_row(what, "judge", 1e3 * statistics.median(report.seconds for report in reports), "ms", 50)]


def _stopped() -> list[Row]:
    """Answers that never end, under the limit of 3 s of CPU time and 6 s by the clock."""
    found = []
    for what, source, most in (("an endless loop, limit 3 s", LOOP, 3.3), ("a sleeper, backstop 6 s", SLEEP, 6.3)):
        report = grade(CARD, source.encode(), "answer.py")
        assert report.verdict is Verdict.TIME
        found.append(_row(what, "judge", report.seconds, "s", most))
    end_zygote()
    return found


def _same_tests(folder: Path) -> Path:
    """The judge's own cases of one seed, eight of them, as plain assertions, for graders that want such."""
    exercise = load_exercise(CARD)
    cases = exercise.make_cases(torch.Generator().manual_seed(0))[:8]
    tests = {}
    for case in cases:
        arguments = ", ".join(_source(value) for value in case.arguments.values())
        expected = exercise.reference(**case.arguments)
        assert isinstance(expected, tuple)
        lines = ["import torch", f"got = evict_sinks({arguments})"]
        lines += [f"assert torch.equal(got[{i}], {_source(value)})" for i, value in enumerate(expected)]
        tests[case.name["en"]] = "\n".join(lines)
    path = folder / "tests.json"
    path.write_text(json.dumps(tests))
    return path


def _source(value: object) -> str:
    if not isinstance(value, torch.Tensor):
        return repr(value)
    return f"torch.tensor({value.flatten().tolist()}, dtype={value.dtype}).reshape({list(value.shape)})"


def _python(peer: str) -> Path | None:
    """The Python of a peer's own environment, made where there is none; None where it cannot be installed."""
    python = PEERS / peer / "bin" / "python"
    if python.exists():
        return python
    venv.create(PEERS / peer, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", *NEEDS[peer]]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        python.unlink()
        return None
    return python


def _probe(peer: str, *words: str, patience: float = 120) -> dict[str, Any] | None:
    """What a peer's probe prints; None where it does not end within `patience` seconds."""
    python = _python(peer)
    assert python
    command = [str(python), str(HERE / "peers" / f"{peer}_probe.py"), str(_same_tests(PEERS)), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience, check=True, cwd=PEERS)
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _loop_file() -> str:
    path = PEERS / "loop.py"
    path.write_text(LOOP)
    return str(path)


def _torch_judge() -> list[Row]:
    who = "torch-judge 0.1.1"
    if _python("torch_judge") is None:
        return [_said("grading", who, "not to be installed here")]
    start = time.perf_counter()
    right = _probe("torch_judge", str(REFERENCE))
    took = time.perf_counter() - start
    assert right
    assert right["passed"]
    ended = _probe("torch_judge", _loop_file(), patience=PATIENCE)
    loop = "ended" if ended else f"still running after {PATIENCE:g} s"
    return [
        _row("cold grading, and nine more", who, took, "s"),
        _row("warm grading, 8 cases, no isolation", who, 1e3 * statistics.median(right["seconds"][1:]), "ms"),
        _said("an endless loop", who, loop),
    ]


def _nbgrader() -> list[Row]:
    who = "nbgrader 0.9.6"
    if _python("nbgrader") is None:
        return [_said("grading", who, "not to be installed here")]
    one, three = (_probe("nbgrader", str(REFERENCE), students, "30") for students in ("1", "3"))
    loop = _probe("nbgrader", _loop_file(), "1", "3")
    assert one
    assert three
    assert one["marks"] == [one["of"]], one
    ended = _row("an endless loop, limit 3 s a cell", who, loop["seconds"], "s") if loop else None
    return [
        _row("cold grading", who, one["seconds"], "s"),
        _row("each further grading", who, 1e3 * (three["seconds"] - one["seconds"]) / 2, "ms"),
        ended or _said("an endless loop, limit 3 s a cell", who, "still running after 120 s"),
    ]


if __name__ == "__main__":
    main()
