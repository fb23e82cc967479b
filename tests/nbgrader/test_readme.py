"""The instructor's guide: its commands, as they stand there, take a class from nothing to feedback and marks."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from classes.course import ROOT, environment

GUIDES = {"README.md": "PASS: 24 of 24 tests passed", "README.zh.md": "PASS：24 个测试通过 24 个"}
ACTIVATES = "cd classroom && . ../.venv/bin/activate"
ANSWER = Path(__file__).with_name("answer.py")


def commands(guide: str) -> list[str]:
    """The lines of the guide's shell blocks."""
    text = (ROOT / "practice/nbgrader" / guide).read_text(encoding="utf-8")
    return [line for block in re.findall(r"```bash\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def test_both_guides_have_the_same_commands():
    english, chinese = map(commands, GUIDES)
    assert [line.replace(" LANGUAGE=zh", "") for line in chinese] == english
    assert english[1] == ACTIVATES
    assert english.index("nbgrader release_feedback 01_cost") == 9


@pytest.mark.parametrize("guide", GUIDES)
def test_the_commands_lead_from_install_to_feedback(guide, tmp_path):
    course = tmp_path / "classroom"
    lines = [line.replace(ACTIVATES, f"cd {course} && . {ROOT}/.venv/bin/activate") for line in commands(guide)]
    lines.insert(5, f"python {ANSWER} 01_cost/01_cost.ipynb kv_bytes")
    own = {**environment(tmp_path), "PATH": os.environ["PATH"], "COURSE": str(course)}
    script = "\n".join(["set -e", *lines])
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    (page,) = course.glob("01_cost/feedback/*/01_cost.html")
    assert GUIDES[guide] in page.read_text(encoding="utf-8")
    header, row = (line.split(",") for line in (course / "marks.csv").read_text().splitlines()[:2])
    assert dict(zip(header, row, strict=True))["score"] == "10.0"


def test_the_table_of_what_is_released_is_no_promise_alone(graded):
    """Released notebooks, and whatever else lies in the exchange for students, hold nothing of the judge's."""
    outbound = graded.folder / "exchange/long_context/outbound"
    files = [path for path in outbound.rglob("*") if path.is_file()]
    assert [path.name for path in files] == ["03_streaming.ipynb"]
    text = json.dumps(json.loads(files[0].read_text(encoding="utf-8")), ensure_ascii=False)
    for secret in ("HIDDEN TESTS", "RuntimeError", "passkey placed at several depths", "20260105"):
        assert secret not in text
