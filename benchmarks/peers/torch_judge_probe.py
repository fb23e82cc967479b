"""torch-judge 0.1.1 on the same exercise, in its own environment: `python torch_judge_probe.py TESTS ANSWER`.

Prints seconds for each of a few gradings in one process, the first with the import, and whether all tests passed.
"""

import contextlib
import io
import json
import sys
import time
from pathlib import Path

start = time.perf_counter()
from torch_judge import check  # noqa: E402
from torch_judge.tasks import TASKS  # noqa: E402

tests = [
    {"name": name, "code": code.replace("evict_sinks(", "{fn}(")}
    for name, code in json.loads(Path(sys.argv[1]).read_text()).items()
]
TASKS["evict_sinks"] = {
    "title": "evict_sinks",
    "difficulty": "Easy",
    "function_name": "evict_sinks",
    "tests": tests,
    "hint": "",
}
exec(compile(Path(sys.argv[2]).read_text(), "answer.py", "exec"), globals())
times = []
for _ in range(10):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        check("evict_sinks")
    times.append(time.perf_counter() - start)
    start = time.perf_counter()
print(json.dumps({"seconds": times, "passed": f"All {len(tests)} tests passed" in said.getvalue()}))
