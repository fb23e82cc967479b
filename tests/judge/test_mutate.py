"""Mutations: which changes of a program are made, and where they say that they are."""

import ast

import pytest

from practice.grader.catalogue import all_cards
from practice.grader.lint.mutate import Mutation, mutations


def changes(source: str) -> set[str]:
    return {str(mutation) for mutation in mutations(source)}


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("y = a + b", {"y = a - b"}),
        ("y = a * b - c", {"y = a / b - c", "y = a * b + c"}),
        ("y = (a + b) * c", {"y = (a - b) * c", "y = (a + b) / c"}),
        ("y = a // b", {"y = a * b", "y = a % b"}),
        ("y = a < b", {"y = a <= b", "y = a >= b"}),
        ("y = a < b <= c", {"y = a <= b <= c", "y = a >= b <= c", "y = a < b < c", "y = a < b > c"}),
        ("y = a == b", {"y = a != b"}),
        ("y = a and b", {"y = a or b"}),
        ("y = not a", {"y = a"}),
        ("y = -a", {"y = a"}),
        ("y = ~a | b", {"y = a | b", "y = ~a & b"}),
        ("y = 7", {"y = 8", "y = 6"}),
        ("y = 0", {"y = 1", "y = -1"}),
        ("y = a ** 0", {"y = a * 0", "y = a ** 1", "y = a ** (-1)"}),
        ("y = True", {"y = False"}),
        ("y = a[b:c]", {"y = a[:c]", "y = a[b:]"}),
        ("y = a[:, b:]", {"y = a[:, :]", "y = a[b:, :]"}),
        ("y = f(a, b)", {"y = f(b, a)"}),
        ("y = f(a, k=b)", {"y = f(a)"}),
        ("y = max(a, b)", {"y = min(a, b)"}),
        ("y = a.amin(b)", {"y = a.amax(b)"}),
        ("y = a.float()", {"y = a"}),
        ("y = (a, b)", {"y = (b, a)"}),
        ("y = [a, b]", {"y = [b, a]"}),
        ("y = a if b else c", {"y = a", "y = c"}),
        ("y = y + a", {"pass", "y = y - a"}),
        ("y[a] = b", {"pass"}),
        ("y += a", {"pass", "y -= a"}),
        ("f(a)", {"pass"}),
        ("y: int = a", set()),
        ("y = a", set()),
        ("y = 'text'", set()),
    ],
)
def test_a_line_has_these_mutants(line: str, mutants: set[str]) -> None:
    before = ast.unparse(ast.parse(line))
    assert changes(line) == {f"{before} -> {mutant}" for mutant in mutants}


def test_statements_inside_a_function_and_its_defaults_but_not_its_words() -> None:
    source = '''
def f(a: Literal[1] = 2) -> Literal[3]:
    """Docstring, no code."""
    if a > 4:
        a -= b
    return a
'''
    assert [(mutation.line, str(mutation)) for mutation in mutations(source)] == [
        (2, "def f(a: Literal[1]=2) -> Literal[3]: -> def f(a: Literal[1]=3) -> Literal[3]:"),
        (2, "def f(a: Literal[1]=2) -> Literal[3]: -> def f(a: Literal[1]=1) -> Literal[3]:"),
        (4, "if a > 4: -> pass"),
        (4, "if a > 4: -> if a >= 4:"),
        (4, "if a > 4: -> if a <= 4:"),
        (4, "if a > 4: -> if a > 5:"),
        (4, "if a > 4: -> if a > 3:"),
        (5, "a -= b -> pass"),
        (5, "a -= b -> a += b"),
    ]


def test_no_mutation_of_a_reference_is_the_reference_or_another_one() -> None:
    for card in all_cards():
        source = (card.folder / "reference.py").read_text(encoding="utf-8")
        found = mutations(source)
        programs = {ast.dump(ast.parse(mutation.source)) for mutation in found}
        assert len(programs) == len(found) > 0
        assert ast.dump(ast.parse(source)) not in programs
        assert all(_is_on_its_line(mutation, source) for mutation in found)


def _is_on_its_line(mutation: Mutation, source: str) -> bool:
    """Whether a statement of the original begins there and reads as the mutation says."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    return any(
        node.lineno == mutation.line and ast.unparse(node).splitlines()[0] == mutation.before for node in statements
    )
