"""The check that students can run themselves: one example whose result is known without the reference."""

import re

import torch

from practice.grader.catalogue import Card
from practice.grader.isolate.values import Value
from practice.grader.tell.messages import Language, say
from practice.grader.verify.examples import as_source
from practice.grader.verify.exercise import Case, load_exercise

WHO_WORKED_IT = re.compile(r"by hand")


def public_check(card: Card, lang: Language) -> str:
    """Python source that calls the answer on the exercise's worked example and compares.

    The example is a case with a known result: worked by hand, as in the statement, or from a paper; the source says
    which.  It is no hidden case: what an answer is graded on is drawn anew.  LookupError where there is none.
    """
    case = _example(card)
    assert case.known
    by_hand = WHO_WORKED_IT.match(case.known.source)
    source = say(lang, "check_by_hand") if by_hand else case.known.source
    lines = [
        f"# {say(lang, 'check_head', name=case.name[lang], source=source)}",
        "import torch",
        "",
        *(f"{name} = {as_source(value)}" for name, value in case.arguments.items()),
        f"got = {card.function}({', '.join(case.arguments)})",
        f"expected = {_expected(case.known.value)}",
        "torch.testing.assert_close(got, expected)",
        f"print({say(lang, 'check_passed')!r})",
    ]
    return "\n".join(lines)


def _expected(value: Value) -> str:
    """A tuple, which most often holds tensors, with a line for each of its values."""
    if not isinstance(value, tuple):
        return as_source(value)
    return "\n".join(["(", *(f"    {as_source(each)}," for each in value), ")"])


def _example(card: Card) -> Case:
    """The first case with a known result and one right output only; drawn from a seed that everybody knows."""
    cases = load_exercise(card).make_cases(torch.Generator().manual_seed(0))
    for case in cases:
        if case.known and not case.is_ambiguous:
            return case
    raise LookupError(f"{card.id}: no case has a known result and one right output only")
