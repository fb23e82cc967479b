"""Contract, values and places: what an answer returns or raises, judged without a process of its own."""

from collections.abc import Callable

import pytest

from practice.grader.report import CaseResult, Report, Verdict
from practice.grader.tell.messages import sentence

_, PASS, WRONG, CONTRACT, ERROR, *_ = Verdict
Grade = Callable[..., list[CaseResult]]
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n    "


def judged(results: list[CaseResult]) -> tuple[Verdict, str]:
    """The verdict of all results together, and the sentence that is shown first."""
    report = Report("evict_sinks", "answer.py", tuple(results), isolation=(), seconds=0.0, seed=0)
    first = report.smallest_failure
    return report.verdict, sentence("en", first.finding) if first and first.finding else ""


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
        "not computed yet",
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
    "a million numbers": ("return [[0.5] * 1000] * 1000, v, positions", CONTRACT, "k is list; expected a tensor"),
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
    "zeroed inputs, wrong": ("k.zero_(); return k, v, positions", CONTRACT, "input changed: k"),
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
    "an exception": ("x = 1\n    return k[budget, sinks, 10**6]", ERROR, "answer.py:3: IndexError: "),
    "an exception in a helper": (
        "return helper(k)\n\ndef helper(k):\n    return torch.stack(k, 3)",
        ERROR,
        "answer.py:5: TypeError: ",
    ),
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
    "not written": ("raise NotImplementedError", ERROR, "not written yet: answer.py:2"),
}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(("body", "verdict", "told"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs(grade_here: Grade, right_answer: str, body: str, verdict: Verdict, told: str) -> None:
    results = grade_here("evict_sinks", f"{DEF}{body}\n\n{right_answer}")
    found, sentence = judged(results)
    assert found is verdict
    assert told in sentence


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
def test_sources_that_do_not_load(grade_here: Grade, source: bytes, verdict: Verdict, told: str) -> None:
    results = grade_here("evict_sinks", source)
    assert {result.verdict for result in results} == {verdict}
    assert told in judged(results)[1]


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
def test_unusual_but_right(grade_here: Grade, right_answer: str, body: str) -> None:
    results = grade_here("evict_sinks", f"{DEF}{body}\n\n{right_answer}")
    assert judged(results) == (PASS, "")


@pytest.mark.parametrize("form", ["CRLF", "BOM", "non-ASCII", "type comments", "default argument"])
def test_unusual_sources(grade_here: Grade, right_answer: str, form: str) -> None:
    source = right_answer.replace("def right(", "def evict_sinks(")
    forms = {
        "CRLF": source.replace("\n", "\r\n").encode(),
        "BOM": b"\xef\xbb\xbf" + source.encode(),
        "non-ASCII": (source + "\n预算 = 'é, 窗口'  # 汇\n").encode(),
        "type comments": (source + "\nx = []  # type: list[int]\n").encode(),
        "default argument": source.replace("sinks: int)", "sinks: int = 4, *, scale=None)").encode(),
    }
    results = grade_here("evict_sinks", forms[form])
    assert judged(results) == (PASS, "")
