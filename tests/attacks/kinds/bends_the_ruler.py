"""Bends the ruler: patches what a comparison might use, each around a wrong answer."""

from attacks.attack import NOT_PASS, Attack, body, module

YES = "lambda *args, **kwargs: True"
BENT = {
    "allclose": f"torch.allclose = torch.equal = torch.Tensor.allclose = {YES}",
    "assert_close": f"import torch.testing; torch.testing.assert_close = {YES}",
    "== of tensors": f"torch.Tensor.__eq__ = {YES}; torch.Tensor.__ne__ = lambda *_: False",
    "isinstance": f"import builtins; builtins.isinstance = {YES}",
    "len": "import builtins; builtins.len = lambda _: 3",
    "type": "import builtins; builtins.type = lambda *_: torch.Tensor",
    "print": "import builtins; builtins.print = lambda *_, **__: None",
    "time": "import time; time.time = time.monotonic = time.perf_counter = time.process_time = lambda: 0.0",
    "json": 'import json; json.dumps = lambda *_, **__: \'{"verdict": "PASS"}\'',
}


def bent(code: str) -> Attack:
    return body(f"{code}\nreturn wrong(k, v, positions, budget, sinks)", *NOT_PASS)


ATTACKS = {
    **{f"patches {name}": bent(code) for name, code in BENT.items()},
    "rewrites what it finds in sys.modules": bent(
        """
import sys
for name, found in list(sys.modules.items()):
    if name.startswith("practice"):
        for key, value in list(vars(found).items()):
            if callable(value): setattr(found, key, lambda *args, **kwargs: True)
"""
    ),
    "rewrites how its own outputs are packed": bent(
        """
import sys
own = sys.modules["practice.grader.isolate.answer"]
own.pack = lambda values: ([{"kind": "plain", "value": True} for _ in values], b"")
"""
    ),
    "rewrites the reply": bent(
        """
import sys
own = sys.modules["practice.grader.isolate.answer"]
own.Answer._call = lambda *_: ({"kind": "passed", "verdict": "PASS"}, b"")
"""
    ),
    "says at import that all is well": module(
        """
        import sys
        own = sys.modules["practice.grader.isolate.answer"]
        own.Answer.serve = lambda *_: ({"kind": "loaded"}, b"")
        """,
        *NOT_PASS,
    ),
    "changes the compiled tables of torch": bent("torch.Tensor.numpy = torch.Tensor.view = lambda self, *_: self"),
}
