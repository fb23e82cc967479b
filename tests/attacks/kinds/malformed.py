"""Malformed: what does not load, with the place; and unusual files that are right."""

import json

from attacks.attack import CONTRACT, ERROR, PASS, WRONG, Attack, module

RIGHT = "def evict_sinks(k, v, positions, budget, sinks):\n    return right(k, v, positions, budget, sinks)\n"
WHOLE = '''import torch


def evict_sinks(k, v, positions, budget, sinks):
    """Keep sinks and newest."""
    S = k.shape[2]
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
'''


def notebook(*cells: str, verdicts: tuple[str, ...], told: str = "") -> Attack:
    """A notebook of code cells, with a Markdown cell before them."""
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    whole = {"cells": [{"cell_type": "markdown", "source": ["# %%judge\n"]}, *made], "nbformat": 4}
    return Attack(json.dumps(whole, indent=1).encode(), verdicts, told, file="answer.ipynb")


def broken(raw: bytes, told: str) -> Attack:
    return Attack(raw, (ERROR,), told, file="answer.ipynb")


MAGICS = "%%judge evict_sinks\n%matplotlib inline\n%load_ext judge\n\n"
ATTACKS = {
    "a syntax error": module("import torch\n\ndef evict_sinks(k:\n    pass\n", ERROR, told="answer.py:3: SyntaxError"),
    "an empty file": Attack(b"", (CONTRACT,), "answer.py defines no function evict_sinks"),
    "the name missing": Attack(b"import os\n\ndef evict(k):\n    pass\n", (CONTRACT,), "it defines: evict (line 3)"),
    "a wrong signature": module(
        "\ndef evict_sinks(k, v): pass", CONTRACT, told="answer.py:1: evict_sinks(k, v) cannot"
    ),
    "10 MB of source": Attack(b"#" * 10_000_000, (ERROR,), "10,000,000 bytes"),
    "deep parentheses": Attack(b"(" * 5000, (ERROR,), "answer.py:1: SyntaxError"),
    "a zero byte": Attack(b"x = 1\0\n", (ERROR,), "null bytes"),
    "not text": Attack(b"x = '\xff\xfe'\n", (ERROR,), "answer.py:1: SyntaxError"),
    "CRLF": Attack(WHOLE.replace("\n", "\r\n").encode(), (PASS,)),
    "a byte order mark": Attack(b"\xef\xbb\xbf" + WHOLE.encode(), (PASS,)),
    "non-ASCII": Attack((WHOLE + "\n预算 = 'é, 窗口'  # 汇\n").encode(), (PASS,)),
    "a magic in a file": module("%matplotlib inline\n" + RIGHT, ERROR, told="answer.py:1: SyntaxError"),
    "a notebook": notebook("import torch", "%%judge evict_sinks\n" + WHOLE, "print(1)", verdicts=(PASS,)),
    "a notebook without %%judge": notebook("x = 1", WHOLE, verdicts=(PASS,)),
    "a notebook that is wrong": notebook(WHOLE.replace("S - (", "S - 1 - ("), verdicts=(CONTRACT, WRONG)),
    "a notebook with an error": notebook(
        "x = 1", WHOLE.replace("return k,", "return K,"), verdicts=(ERROR,), told="answer.ipynb[cell 2]:8: NameError"
    ),
    "a notebook, the cell deleted": notebook("import torch", verdicts=(ERROR,), told="no cell begins with"),
    "a notebook, the cell duplicated": notebook(WHOLE, "", WHOLE, verdicts=(ERROR,), told="cells 1, 3"),
    "a notebook, the cell duplicated with its %%judge": notebook(
        MAGICS + WHOLE, MAGICS + WHOLE, verdicts=(ERROR,), told="cells 1, 2"
    ),
    "a notebook, the cell renamed": notebook(
        WHOLE.replace("evict_sinks", "evict"), verdicts=(ERROR,), told="no cell begins with %%judge evict_sinks"
    ),
    "a notebook, the function renamed below its %%judge": notebook(
        MAGICS + WHOLE.replace("evict_sinks", "evict"), verdicts=(CONTRACT,), told="it defines: evict (line 8)"
    ),
    "a notebook, another exercise's cell": notebook(
        WHOLE.replace("def", "%%judge quest_select\ndef"), WHOLE, verdicts=(ERROR,), told="cells 1, 2"
    ),
    "harmless magics": notebook(MAGICS + WHOLE + "%time evict_sinks\n?torch\n", verdicts=(PASS,)),
    "harmless magics keep line numbers": notebook(
        MAGICS + WHOLE.replace("return k,", "return K,"), verdicts=(ERROR,), told="[cell 1]:12: NameError"
    ),
    "no magics in strings and brackets": notebook(
        WHOLE + "s = '''\n%bash\n!ls\n'''\nassert s.count('!') == 1\nx = (7\n     % 4)\nassert x == 3\n",
        verdicts=(PASS,),
    ),
    "a shell line": notebook(WHOLE + "!ls\n", verdicts=(ERROR,), told="answer.ipynb[cell 1]:11: `!ls`"),
    "an unknown cell magic": notebook("%%bash\n" + WHOLE, verdicts=(ERROR,), told="[cell 1]:1: `%%bash`"),
    "an unknown magic inside": notebook(
        WHOLE.replace("    S =", "    %cd ..\n    S ="), verdicts=(ERROR,), told="[cell 1]:6: `%cd ..`"
    ),
    "a notebook of magics": notebook(WHOLE + "?torch\n" * 90_000, verdicts=(PASS,)),
    "a notebook of strings that never end": notebook(
        WHOLE + '\\"""\n' * 90_000 + "\\", verdicts=(ERROR,), told="SyntaxError"
    ),
    "a magic with a bracket": notebook(WHOLE + "%config x = (\n!ls\n", verdicts=(ERROR,), told="12: `!ls`"),
    "a form feed before a magic": notebook(WHOLE + "x = '\x0c'\n!ls\n", verdicts=(ERROR,), told="12: `!ls`"),
    "a notebook cut short": broken(b'{\n "cells": [\n', "answer.ipynb:3: not a notebook"),
    "a notebook of nothing": broken(b"", "answer.ipynb:1: not a notebook"),
    "a notebook without cells": broken(b"[]", "not a notebook"),
    "cells that are none": broken(b'{"cells": [{"cell_type": "code", "source": 7}, 3]}', "not a notebook"),
    "a deep notebook": broken(b"[" * 100_000, "not a notebook"),
    "a notebook that is not text": broken(b"\xff\xfe\x00\xd8", "not a notebook"),
}
