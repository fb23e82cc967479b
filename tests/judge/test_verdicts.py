"""What a submission gets: contract and values in this process, hostile ones in the process that the judge gives them."""

import dataclasses
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from practice.grader.catalogue import find_card
from practice.grader.isolate import launch
from practice.grader.report import GRAVITY, CaseResult, Report, Verdict
from practice.grader.tell.messages import sentence
from practice.grader.verify.verifier import grade

PASS, WRONG, CONTRACT, ERROR, MEMORY, TIME, CRASH, UNGRADED = Verdict
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n    "
LIMIT = 0.6


def worst(results: list[CaseResult] | tuple[CaseResult, ...]) -> Verdict:
    return max((result.verdict for result in results), key=GRAVITY.__getitem__)


def first_sentence(results: list[CaseResult] | tuple[CaseResult, ...]) -> str:
    graded = Report("evict_sinks", "answer.py", tuple(results), (), 0.0, 0)
    assert graded.smallest_failure
    assert graded.smallest_failure.finding
    return sentence("en", graded.smallest_failure.finding)


OUTPUTS = {
    "nothing": ("return None", CONTRACT, "returned NoneType; expected tuple[3]: k, v, positions"),
    "one too few": ("return right(k, v, positions, budget, sinks)[:2]", CONTRACT, "tuple[2]; expected tuple[3]"),
    "a list": ("return list(right(k, v, positions, budget, sinks))", CONTRACT, "returned list[3]"),
    "an extra dimension": ("k, v, p = right(k, v, positions, budget, sinks); return k[None], v, p", CONTRACT, "shape"),
    "float64": ("k, v, p = right(k, v, positions, budget, sinks); return k, v.double(), p", CONTRACT, "dtype: float64"),
    "int32 positions": ("k, v, p = right(k, v, positions, budget, sinks); return k, v, p.int()", CONTRACT, "int32"),
    "a list of positions": (
        "k, v, p = right(k, v, positions, budget, sinks); return k, v, p.tolist()",
        CONTRACT,
        "list",
    ),
    "NumPy": ("k, v, p = right(k, v, positions, budget, sinks); return k, v, p.numpy()", CONTRACT, "numpy.ndarray"),
    "meta": ("k, v, p = right(k, v, positions, budget, sinks); return k.to('meta'), v, p", CONTRACT, "device meta"),
    "sparse": ("k, v, p = right(k, v, positions, budget, sinks); return k, v, p.to_sparse()", CONTRACT, "sparse"),
    "nested": (
        "k, v, p = right(k, v, positions, budget, sinks); return torch.nested.nested_tensor([k, v]), v, p",
        CONTRACT,
        "nested",
    ),
    "functional": (
        "k, v, p = right(k, v, positions, budget, sinks); return torch._to_functional_tensor(k), v, p",
        CONTRACT,
        "without memory",
    ),
    "a subclass": (
        "class Loud(torch.Tensor):\n        def __eq__(self, _): return True\n"
        "    k, v, p = right(k, v, positions, budget, sinks); return k.as_subclass(Loud), v, p",
        CONTRACT,
        "a subclass of torch.Tensor",
    ),
    "equal to everything": (
        "class Equal:\n        __eq__ = lambda self, _: True\n    return Equal(), Equal(), Equal()",
        CONTRACT,
        "Equal",
    ),
    "a huge view": ("return k.new_zeros(1).expand(1 << 40), v, positions", CONTRACT, "too large to send"),
    "NaN": ("k, v, p = right(k, v, positions, budget, sinks); return k * float('nan'), v, p", CONTRACT, "is nan"),
    "infinity": ("k, v, p = right(k, v, positions, budget, sinks); return k, v / 0, p", CONTRACT, "where a finite"),
    "off by one bit": (
        "k, v, p = right(k, v, positions, budget, sinks); return k, v * (1 + 2e-7), p",
        WRONG,
        "v differs",
    ),
    "a bfloat16 round trip": (
        "k, v, p = right(k, v, positions, budget, sinks); return k.bfloat16().to(k.dtype), v, p",
        WRONG,
        "k differs",
    ),
    "zeroed inputs, wrong": ("k.zero_(); return k, v, positions", CONTRACT, "k has the wrong shape"),
    "changed input, right": (
        "out = [t.clone() for t in right(k, v, positions, budget, sinks)]; v += 1e-3; return tuple(out)",
        CONTRACT,
        "input changed: v",
    ),
    "grown input, right": (
        "out = right(k.clone(), v, positions, budget, sinks); k.resize_(1); return out",
        CONTRACT,
        "input changed: k",
    ),
    "an exception": ("x = 1\n    return k[budget, sinks, 10**6]", ERROR, "answer.py:17: IndexError: "),
    "an exception with no text": (
        "class Odd(Exception):\n        def __str__(self): 1 / 0\n    raise Odd",
        ERROR,
        "Odd",
    ),
    "a wrong assert": (
        "assert not len(k), 'never mind\\x1b[2J'",
        ERROR,
        "AssertionError: never mind\N{REPLACEMENT CHARACTER}[",
    ),
    "sys.exit": ("import sys; sys.exit(0)", ERROR, "SystemExit: 0"),
    "an interrupt": ("raise KeyboardInterrupt", ERROR, "KeyboardInterrupt"),
    "not written": ("raise NotImplementedError", ERROR, "not written yet: answer.py:16"),
}


@pytest.mark.parametrize(("body", "verdict", "told"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs(grade_here, right_answer: str, body: str, verdict: Verdict, told: str) -> None:
    results = grade_here("evict_sinks", f"{right_answer}{DEF}{body}\n")
    assert worst(results) is verdict
    assert told in first_sentence(results)


LOADING = {
    "a syntax error": (b"import torch\n\ndef evict_sinks(k:\n    pass\n", ERROR, "answer.py:3: SyntaxError"),
    "an indentation error": (b"def evict_sinks():\nreturn 1\n", ERROR, "answer.py:2: IndentationError"),
    "not text": (b"x = '\xff\xfe'\n", ERROR, "answer.py:1: SyntaxError"),
    "a zero byte": (b"x = 1\0\n", ERROR, "null bytes"),
    "nothing": (
        b"",
        CONTRACT,
        "answer.py defines no function evict_sinks(k, v, positions, budget, sinks); it defines: nothing",
    ),
    "another name": (b"import os\n\ndef evict(k):\n    pass\n", CONTRACT, "it defines: evict (line 3)"),
    "not a function": (b"evict_sinks = 3\n", CONTRACT, "defines no function"),
    "too few parameters": (
        b"\ndef evict_sinks(k, v):\n    pass\n",
        CONTRACT,
        "answer.py:2: evict_sinks(k, v) cannot be",
    ),
    "an error at import": (b"import torch\n1 / 0\n", ERROR, "answer.py:2: ZeroDivisionError"),
    "an exit at import": (b"raise SystemExit\n", ERROR, "answer.py:1: SystemExit"),
    "ten megabytes": (b"#" * 10_000_000, ERROR, "answer.py: the source has 10,000,000 bytes"),
    "deep parentheses": (b"(" * 5000, ERROR, "answer.py:1: SyntaxError"),
}


@pytest.mark.parametrize(("source", "verdict", "told"), LOADING.values(), ids=LOADING)
def test_sources_that_do_not_load(grade_here, source: bytes, verdict: Verdict, told: str) -> None:
    results = grade_here("evict_sinks", source)
    assert {result.verdict for result in results} == {verdict}
    assert told in first_sentence(results)


STILL_RIGHT = {
    "other strides": "k, v, p = right(k, v, positions, budget, sinks)\n"
    "    return k.transpose(1, 3).contiguous().transpose(1, 3), v, p",
    "requires grad": "k, v, p = right(k, v, positions, budget, sinks); return k.requires_grad_(), v, p",
    "in place on clones": "k = k.clone(); k += 0; return right(k, v, positions, budget, sinks)",
    "prints": "print('k', k.shape); return right(k, v, positions, budget, sinks)",
    "NumPy inside": "return right(k, v, torch.from_numpy(positions.numpy().copy()), budget, sinks)",
    "a dataclass": "from dataclasses import dataclass\n    @dataclass\n    class Kept:\n        n: 'int'\n"
    "    return right(k, v, positions, Kept(budget).n, sinks)",
    "a named tuple": "from collections import namedtuple\n"
    "    return namedtuple('Cache', 'k v p')(*right(k, v, positions, budget, sinks))",
    "a buffer that later calls overwrite": "global kept; out = right(k, v, positions, budget, sinks)\n"
    "    kept = globals().get('kept', torch.zeros(10**6)); kept[: out[0].numel()] = out[0].flatten()\n"
    "    return kept[: out[0].numel()].reshape(out[0].shape).to(k.dtype), *out[1:]",
}


@pytest.mark.parametrize("body", STILL_RIGHT.values(), ids=STILL_RIGHT)
def test_unusual_but_right(grade_here, right_answer: str, body: str) -> None:
    results = grade_here("evict_sinks", f"{right_answer}{DEF}{body}\n")
    assert worst(results) is PASS, first_sentence(results)


@pytest.mark.parametrize("form", ["CRLF", "BOM", "non-ASCII", "type comments", "default argument"])
def test_unusual_sources(grade_here, right_answer: str, form: str) -> None:
    source = right_answer.replace("def right(", "def evict_sinks(")
    forms = {
        "CRLF": source.replace("\n", "\r\n").encode(),
        "BOM": b"\xef\xbb\xbf" + source.encode(),
        "non-ASCII": (source + "\n预算 = 'é, 窗口'  # 汇\n").encode(),
        "type comments": (source + "\nx = []  # type: list[int]\n").encode(),
        "default argument": source.replace("sinks: int)", "sinks: int = 4, *, scale=None)").encode(),
    }
    results = grade_here("evict_sinks", forms[form])
    assert worst(results) is PASS, first_sentence(results)


TO_EVERY_DESCRIPTOR = (
    "import os, struct\n    for fd in range(3, 64):\n        try: os.write(fd, {junk})\n        except OSError: pass\n"
)
HOSTILE = {
    "right": ("return right(k, v, positions, budget, sinks)", {PASS}, ""),
    "an endless loop": ("while True: pass", {TIME}, "0.6 s of CPU time"),
    "a loop that swallows everything": (
        "while True:\n        try: 1 / 0\n        except BaseException: pass",
        {TIME},
        "",
    ),
    "ignores signals": (
        "import signal\n    for s in set(signal.Signals) - {9, 19}: signal.signal(s, signal.SIG_IGN)\n    while True: pass",
        {TIME},
        "",
    ),
    "sleeps": ("import time; time.sleep(3600)", {TIME}, "still running"),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", {TIME}, ""),
    "ever more tensors": (
        "hoard = []\n    while True: hoard.append(torch.ones(1 << 22))",
        {MEMORY},
        "answer.py:18: more memory than an answer may use (RuntimeError",
    ),
    "ever more bytes": ("return bytearray(1 << 31)", {MEMORY}, "MemoryError"),
    "a terabyte": ("return torch.empty(1 << 40, dtype=torch.uint8)", {MEMORY}, "answer.py:17"),
    "bottomless recursion": (
        "import sys; sys.setrecursionlimit(10**9)\n    def deeper(n): return deeper(n + 1) + [n]\n    return deeper(0)",
        {ERROR, CRASH, MEMORY, TIME},
        "",
    ),
    "threads for ever": (
        "import threading, time\n    while True: threading.Thread(target=time.sleep, args=(60,)).start()",
        {ERROR, CRASH, TIME, MEMORY},
        "",
    ),
    "os._exit": ("import os; os._exit(0)", {CRASH}, "exit status 0"),
    "right once, then os._exit": (
        "import os\n    if globals().get('seen'): os._exit(0)\n    globals()['seen'] = 1\n"
        "    return right(k, v, positions, budget, sinks)",
        {CRASH},
        "exit status 0",
    ),
    "a segmentation fault": ("import ctypes; ctypes.string_at(0)", {CRASH}, "SIGSEGV"),
    "a real-time signal": ("import os; os.kill(os.getpid(), 40)", {CRASH}, "signal 40"),
    "kills its group": ("import os; os.killpg(0, 9)", {CRASH}, "SIGKILL"),
    "closes every descriptor": ("import os; os.closerange(0, 256); return k, v, positions", {CRASH}, ""),
    "junk on every descriptor": (TO_EVERY_DESCRIPTOR.format(junk="b'x' * 99"), {CRASH}, ""),
    "a huge claim": (TO_EVERY_DESCRIPTOR.format(junk="struct.pack('<IQ', 2**31, 2**62)"), {CRASH}, "claims 2147483648"),
    "a forged frame": (
        TO_EVERY_DESCRIPTOR.format(junk="struct.pack('<IQ', 19, 0) + b'{\"kind\":\"returned\"}'")
        + "    return right(k, v, positions, budget, sinks)",
        {CRASH},
        "nobody asked",
    ),
    "a pickle": (
        "import pickle, os\n    class Bomb:\n        __reduce__ = lambda self: (os._exit, (0,))\n"
        "    for fd in range(3, 64):\n        try: os.write(fd, pickle.dumps(Bomb()))\n        except OSError: pass\n",
        {CRASH},
        "",
    ),
    "a flood": (
        "import os\n    while True:\n        for fd in range(3, 16):\n"
        "            try: os.write(fd, bytes(1 << 20))\n            except OSError: pass",
        {CRASH},
        "",
    ),
    "forks and both return": ("import os; os.fork(); return right(k, v, positions, budget, sinks)", {CRASH}, ""),
    "prints 20 MB": (
        "print('x' * (20 << 20 if k.shape[2] == 12 else 1)); return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "a child that holds the pipes": (
        "import subprocess, sys\n    child = subprocess.Popen(['sleep', '600'], close_fds=False)\n"
        "    open({pids!r}, 'a').write(f'{{child.pid}} '); return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "a daemon": (
        "import os, time\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
        "            open({pids!r}, 'a').write(f'{{os.getpid()}} ')\n            time.sleep(600)\n        os._exit(0)\n"
        "    time.sleep(0.05)\n    return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "leaves a reply to atexit": (
        "import atexit, os\n    atexit.register(lambda: [os.write(fd, b'x') for fd in range(3, 9)]); raise SystemExit",
        {ERROR},
        "SystemExit",
    ),
}
AT_IMPORT = {
    "an endless import": ("while True: pass", {TIME}, "while importing"),
    "leaves at import": (
        "import os; os._exit(3)",
        {CRASH},
        "while importing: the process that ran the answer ended or",
    ),
}


@pytest.fixture(scope="module")
def graded(
    right_answer: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, tuple[Future[Report], Path]]]:
    """All hostile answers, graded by two threads while the tests look at one after another."""
    card = dataclasses.replace(find_card("evict_sinks"), time_limit=LIMIT)
    folder = tmp_path_factory.mktemp("pids")
    pool = ThreadPoolExecutor(2)
    futures = {}
    for number, (name, (body, _, _)) in enumerate({**HOSTILE, **AT_IMPORT}.items()):
        pids = folder / str(number)
        code = f"{DEF}{body.format(pids=str(pids)) if '{pids' in body else body}" if name in HOSTILE else body
        futures[name] = pool.submit(grade, card, f"{right_answer}{code}\n".encode(), "answer.py"), pids
    yield futures
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", [*HOSTILE, *AT_IMPORT])
def test_hostile(graded: Graded, name: str) -> None:
    _, verdicts, told = {**HOSTILE, **AT_IMPORT}[name]
    report = graded[name][0].result(timeout=60)
    assert report.verdict in verdicts, report
    if told:
        assert told in first_sentence(report.results)
    if TIME in verdicts:
        assert report.seconds < 30
    if report.verdict in (TIME, CRASH):
        assert all(result.finding for result in report.results[1:]) or name.startswith("right once")


@pytest.mark.parametrize("name", ["a child that holds the pipes", "a daemon"])
def test_nothing_is_left_running(graded, name: str) -> None:
    future, pids = graded[name]
    assert future.result(timeout=60).verdict is PASS
    started = pids.read_text().split()
    assert started
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


def test_printed_output_is_kept_in_part(graded) -> None:
    report = graded["prints 20 MB"][0].result(timeout=60)
    assert report.printed_bytes > 20 << 20
    assert len(report.printed) == launch.PRINTED_LIMIT


def test_isolation_is_named(graded) -> None:
    layers = graded["right"][0].result(timeout=60).isolation
    assert {"process", "data-only-wire", "wall-clock", "process-group-kill", "clean-environment"} <= set(layers)
    assert len(set(layers)) == len(layers)


def test_a_grading_leaves_no_descriptor_thread_or_folder(right_answer: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = f"{right_answer}\nevict_sinks = right\nopen('litter', 'w').write('x')\n".encode()
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    assert grade(find_card("evict_sinks"), source, "answer.py").verdict is PASS
    end = time.monotonic() + 5
    while threading.active_count() > before[1] and time.monotonic() < end:
        time.sleep(0.01)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert os.listdir(tmp_path) == []


def test_the_answer_sees_a_clean_place(right_answer: str, monkeypatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_JUDGE", "42")
    looks = (
        "import os, sys\nassert 'SECRET_OF_THE_JUDGE' not in os.environ\nassert os.listdir() == []\n"
        "assert os.environ['HOME'] == os.getcwd()\nassert sys.stdin.read() == ''\n"
        "assert os.getpid() == os.getpgid(0) == os.getsid(0)\nevict_sinks = right\n"
    )
    report = grade(find_card("evict_sinks"), f"{right_answer}\n{looks}".encode(), "answer.py")
    assert report.verdict is PASS, report


def test_a_child_that_cannot_start_is_the_judges_fault(monkeypatch, tmp_path: Path) -> None:
    broken = tmp_path / "child.py"
    broken.write_text("raise SystemExit('no torch here')")
    monkeypatch.setattr(launch, "CHILD", broken)
    report = grade(find_card("evict_sinks"), b"", "answer.py")
    assert report.verdict is UNGRADED
    assert report.fault
    assert "no torch here" in sentence("en", report.fault)
