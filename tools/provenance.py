"""Where each number of a chapter's prose comes from: the ledger, a cited source, the code beside it, or arithmetic.

A number without such a provenance is one that nobody would notice when it stops being true.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

SMALL = 20
"""Whole numbers up to this are words: counts, layers and list numbers that the text itself shows."""

_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_NOT_PROSE = re.compile(
    r"(?:About|约) \d+ (?:minutes|分钟)|30 (?:seconds|秒)|"  # how long to read, and to speak
    r"```.*?```|`[^`]*`|\{\{[^{}]*\}\}|\]\([^)]*\)|https?://\S+|<[^<>]*>|"
    r"\b\d{4}\.\d{5}\b|\b(?:19[5-9]|20[0-3])\d\b|"  # arXiv, years
    r"(?:v|version |release |vLLM |SGLang |PyTorch |Python |transformers )\d+(?:\.\d+)+\S*|"
    r"(?<![\w.])[A-Za-z][\w.\-]*\d[\w.\-]*",  # names: Qwen3-0.6B, fp16, H0
    re.DOTALL,
)
_TERM = r"[(−-]*\d+(?:,\d{3})*(?:\.\d+)?\)*"
_EXPRESSION = rf"{_TERM}(?: ?[×*/÷+−^-] ?{_TERM})*"
_EQUATION = re.compile(rf"(?<![\w.,]){_EXPRESSION}(?: ?[=≈] ?{_EXPRESSION})+")
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def unexplained(prose: str, beside: Iterable[str]) -> list[str]:
    """Numbers of a passage that come from nowhere. ``beside``: code and printed output next to it."""
    there = {_plain(number) for text in beside for number in re.findall(r"\d+(?:[,_]\d{3})*(?:\.\d+)?", text)}
    text = _NOT_PROSE.sub(" ", prose)
    for equation in _EQUATION.finditer(text):
        if _holds(equation[0]):
            there |= {_plain(number) for number in _NUMBER.findall(equation[0])}
    return [number for number in _NUMBER.findall(text) if not _is_small(number) and _plain(number) not in there]


def _plain(number: str) -> str:
    return number.replace(",", "").replace("_", "")


def _is_small(number: str) -> bool:
    return number.isdigit() and int(number) <= SMALL


def _holds(equation: str) -> bool:
    """Whether every two neighbours agree, within the rounding of the one that has the fewest digits."""
    sides = re.split(r"[=≈]", equation)
    try:
        values = [_value(side) for side in sides]
    except (SyntaxError, ValueError, ZeroDivisionError, KeyError):
        return False
    return all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=max(_rounding(x), _rounding(y)))
        for a, b, x, y in zip(values, values[1:], sides, sides[1:], strict=False)
    )


def _rounding(side: str) -> float:
    """Half of the last digit of a side that is one number with a fraction; nothing else is rounded."""
    number = _plain(side.strip(" ,."))
    return 0.51 * 10.0 ** -len(number.partition(".")[2]) if re.fullmatch(r"\d+\.\d+", number) else 0.0


def _value(side: str) -> float:
    text = _plain(side).strip(" .")
    for sign, python in (("×", "*"), ("÷", "/"), ("−", "-"), ("^", "**")):
        text = text.replace(sign, python)
    return _evaluate(ast.parse(text, mode="eval").body)


def _evaluate(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            result: float = _OPERATORS[type(op)](_evaluate(left), _evaluate(right))
            return result
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
    raise ValueError(ast.dump(node))
