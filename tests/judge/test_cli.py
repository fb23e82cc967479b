"""The real command: what it prints, what it leaves, and its exit status."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.cli import COMMANDS
from practice.grader.report import CaseResult

ROOT = Path(__file__).resolve().parents[2]
Judge = Callable[..., tuple[int, str, str]]
EVICT = ROOT / "practice/exercises/evict_sinks"


def wait_until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_reference_passes(judge: Judge) -> None:
    status, out, err = judge("run", "evict_sinks", EVICT / "reference.py", "--json")
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert list(result) == [
        *("exercise", "verdict", "passed", "total", "tests", "misconception", "isolation", "seconds"),
        *("seed", "misconceptions", "example", "work"),
    ]
    assert '"verdict": "PASS"' in out
    assert (result["exercise"], result["verdict"], result["misconception"]) == ("evict_sinks", "PASS", None)
    assert result["passed"] == result["total"] == len(result["tests"]) >= 15
    assert {tuple(test) for test in result["tests"]} == {("name", "verdict", "message", "milliseconds")}
    assert len({test["name"] for test in result["tests"]}) == result["total"]
    assert "data-only-wire" in result["isolation"]


def test_starter_does_not_pass(judge: Judge) -> None:
    status, out, _ = judge("run", "evict_sinks", EVICT / "starter.py", door=ROOT / "judge.py", LANG="zh_CN.UTF-8")
    assert status == 1
    assert re.search(r"ERROR：\d+ 个测试通过 0 个", out)
    assert "还没有写" in out
    assert "--seed" in out


def test_wrong_answer_is_explained(judge: Judge) -> None:
    status, out, _ = judge("run", "evict_sinks", EVICT / "mutants/renumbered.py", "--seed", 5)
    assert status == 1
    assert "reason    positions differs in 1 of 2 values, first at positions[1]" in out
    assert "expected  positions = torch.tensor([0, 2])" in out
    assert "got       positions = torch.tensor([0, 1])" in out
    assert "The kept positions are renumbered" in out
    assert "WRONG" in out.splitlines()[-1]


def test_endless_loop_is_stopped(judge: Judge, tmp_path: Path) -> None:
    answer = tmp_path / "loop.py"
    answer.write_text("print('before')\nwhile True:\n    pass\n")
    started = time.monotonic()
    status, out, _ = judge("run", "evict_sinks", answer, "--json", "--lang", "en")
    assert time.monotonic() - started < 30
    result = json.loads(out)
    assert (status, result["verdict"], result["passed"]) == (1, "TIME", 0)
    assert result["tests"][0]["message"].startswith("while importing")


def test_verbose_shows_traceback_and_harmless_output(judge: Judge, tmp_path: Path) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text("print('seen \\x1b[31m')\ndef evict_sinks(k, v, positions, budget, sinks):\n    return k[k]\n")
    status, out, _ = judge("run", "evict_sinks", answer, "--verbose")
    assert status == 1
    assert "line 3, in evict_sinks" in out
    assert "isolate" not in out
    assert "seen \N{REPLACEMENT CHARACTER}[31m" in out
    assert "\x1b" not in out


def test_a_fault_of_the_judge_is_not_the_answers(judge: Judge, copy: Path) -> None:
    (copy / "practice/exercises/evict_sinks/reference.py").write_text("evict_sinks = None\n")
    status, out, err = judge("run", "evict_sinks", EVICT / "reference.py", "--json", door=copy / "judge.py")
    assert status == 3
    assert (json.loads(out)["verdict"], json.loads(out)["tests"]) == ("UNGRADED", [])
    assert "the judge failed, not your answer: TypeError" in err


def test_seed_repeats_the_cases(judge: Judge, grade_here: Callable[..., list[CaseResult]]) -> None:
    mutant = ROOT / "practice/exercises/quest_select/mutants/mean_key.py"
    told = [
        test["message"] for test in json.loads(judge("run", "quest_select", mutant, "--json", "--seed", 7)[1])["tests"]
    ]
    found = [result.finding for result in grade_here("quest_select", mutant.read_bytes(), seed=7)]
    assert told == [
        f"{finding.fields['en']}; expected {finding.expected}; got {finding.got}" if finding else ""
        for finding in found
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="has no such file")
def test_a_file_without_end_is_read_to_the_limit(judge: Judge) -> None:
    status, out, _ = judge("run", "evict_sinks", "/dev/zero")
    assert status == 1
    assert "67,108,864 bytes" in out


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that they started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    children = {int(child) for found in lists for child in found.read_text().split()}
    return children.union(*map(descendants, children))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the CPU limit ends an orphan")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_answer_dies_with_its_judge(tmp_path: Path, number: int, status: int) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text("import time\ntime.sleep(60)\n")
    process = subprocess.Popen([sys.executable, ROOT / "judge.py", "run", "evict_sinks", answer])
    wait_until(lambda: len(descendants(process.pid)) >= 2)  # the zygote, and what it forked
    started = descendants(process.pid)
    process.send_signal(number)
    assert process.wait(timeout=20) == status
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))


def test_start_run_and_never_overwrite(judge: Judge, copy: Path) -> None:
    door = copy / "judge.py"
    status, _, err = judge("run", "quest_select", door=door)
    assert status == 2
    assert f"python {copy}/practice/judge.py start quest_select" in err
    status, out, _ = judge("start", "quest_select", door=door)
    answer = copy / "practice/answers/quest_select.py"
    assert status == 0
    assert str(answer) in out
    assert "statement.en.md" in out
    assert answer.read_bytes() == (ROOT / "practice/exercises/quest_select/starter.py").read_bytes()
    answer.write_text("mine")
    status, out, _ = judge("start", "quest_select", door=door)
    assert (status, answer.read_text()) == (0, "mine")
    assert "left as it is" in out
    assert "statement.en.md" in out
    shutil.copy(ROOT / "practice/exercises/quest_select/variants/sign_split.py", answer)
    status, out, _ = judge("run", "quest_select", door=door)
    assert status == 0
    assert re.match(r"PASS: (\d+) of \1 tests", out.splitlines()[-1])


def test_list_marks_what_was_begun_and_what_is_passed(judge: Judge, copy: Path) -> None:
    door, own = copy / "judge.py", {"XDG_STATE_HOME": str(copy / "state")}
    judge("start", "evict_sinks", door=door, **own)
    judge("run", "quest_attention", copy / "practice/exercises/quest_attention/reference.py", door=door, **own)
    status, out, _ = judge("list", door=door, **own)
    lines = [line.split()[:2] for line in out.splitlines()]
    assert status == 0
    assert ["*", "evict_sinks"] in lines
    assert ["✓", "quest_attention"] in lines
    assert ["quest_select", "04"] in lines


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "evict_sink"], "did you mean evict_sinks"),
        (["start", "quest_selection"], "quest_select"),
        (["run", "../exercises/evict_sinks"], "there is no exercise"),
        (["run", "evict_sinks", "nowhere.py"], "cannot read nowhere.py"),
        (["run", "evict_sinks", str(ROOT)], "Is a directory"),
        (["run", "evict_sinks", "--seed", "x"], "--seed"),
        (["run", "evict_sinks", "--seed", "-1"], "--seed"),
        (["run"], "ID"),
        (["frobnicate"], "frobnicate"),
        ([], "COMMAND"),
        (["list", "--lang", "fr"], "fr"),
    ],
)
def test_wrong_usage(judge: Judge, arguments: list[str], told: str) -> None:
    status, out, err = judge(*arguments)
    assert (status, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["", *(command.name for command in COMMANDS)])
def test_help_shows_an_example(judge: Judge, command: str) -> None:
    status, out, _ = judge(*command.split(), "--help", "--lang", "zh")
    assert status == 0
    assert f"python practice/judge.py {command}" in out
    assert "示例" in out


@pytest.mark.parametrize(
    "shell",
    [
        "{run} >&-",
        "{run} 2>&-",
        "PYTHONUNBUFFERED=1 {run} | true; exit ${{PIPESTATUS[0]}}",
    ],
)
def test_a_pass_is_a_pass_to_whoever_reads_or_not(shell: str) -> None:
    command = f"{sys.executable} {ROOT / 'practice/judge.py'} run evict_sinks {EVICT / 'reference.py'}"
    done = subprocess.run(["bash", "-c", shell.format(run=command)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


def test_start_says_why_it_cannot(judge: Judge, copy: Path) -> None:
    (copy / "practice/answers").write_text("a file where the folder should be")
    status, _, err = judge("start", "evict_sinks", door=copy / "practice/judge.py")
    assert status == 2
    assert "cannot read" in err
    assert "Traceback" not in err


def test_an_answer_that_cannot_be_read_is_not_called_missing(judge: Judge, copy: Path) -> None:
    (copy / "practice/answers/evict_sinks.py").mkdir(parents=True)
    status, _, err = judge("run", "evict_sinks", door=copy / "practice/judge.py")
    assert status == 2
    assert "directory" in err
    assert "yet" not in err
