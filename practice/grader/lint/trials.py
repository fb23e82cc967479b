"""Every answer that an exercise ships, and fakes of all kinds, through its cases, seed after seed."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path

from practice.grader.catalogue import Card, mistake
from practice.grader.isolate.values import pack
from practice.grader.lint.fakes import fakes
from practice.grader.lint.folder import MASKED, is_otherwise, shown, sources
from practice.grader.report import GRAVITY, CaseResult, Verdict
from practice.grader.soundness import Flaw
from practice.grader.verify.diagnose import diagnose, same_reply
from practice.grader.verify.exercise import load_exercise, load_module
from practice.grader.verify.in_process import AnswerHere
from practice.grader.verify.trial import Answer, Attempt, Trial

PUBLIC_SEED = (1 << 63) - 1
MAY_BE_FIXED = 0.25
KNOWN_AT_LEAST = 3
FAILED = (Verdict.WRONG, Verdict.CONTRACT)


class Trials:
    """The answers of one exercise, all of them trusted and run in this process.

    Raises whatever the files of the exercise raise.
    """

    def __init__(self, card: Card) -> None:
        def answers(*paths: Path) -> Mapping[Path, Answer]:
            return {path: AnswerHere(getattr(load_module(path), card.function)) for path in paths}

        self.exercise = load_exercise(card)
        self._starter = answers(card.folder / "starter.py")
        self._right = answers(card.folder / "reference.py", *sources(card, "variants"))
        self._mutants = answers(*sources(card, "mutants"))
        self._public = self._trial(PUBLIC_SEED)
        self._flaws: dict[tuple[str, object], Flaw] = {}

    def flaws(self, check: str) -> tuple[Flaw, ...]:
        """What speaks against one check: for each subject, what was found first."""
        return tuple(flaw for (about, _), flaw in self._flaws.items() if about == check)

    def try_once(self, seed: int) -> None:
        """What one seed is enough for: the cases themselves, the starter, and what mutants are told."""
        trial = self._trial(seed)
        self._compare_cases(trial)
        self._compare_known(trial)
        for path, starter in self._starter.items():
            for result in trial.run(starter):
                if not result.finding or result.finding.key != "unwritten":
                    self._add("starter", path, Flaw("written", {"file": shown(path)}, result))
        for path, mutant in self._mutants.items():
            trial.run(mutant)
            named = [misconception.id for misconception in diagnose(trial, mutant)[1]]
            if named != [mistake(path)] and any(attempt.finding for attempt in trial.attempts):
                told = {"file": shown(path), "named": ", ".join(named), "seed": seed}
                self._add("named", path, Flaw("misnamed", told))

    def try_seed(self, seed: int) -> None:
        """Right answers pass, mutants and fakes do not, and no two mistakes look the same."""
        trial = self._trial(seed)
        for path, right in self._right.items():
            worst = _worst(trial.run(right))
            if worst.finding:
                self._add("right", path, Flaw("fails", {"file": shown(path), "seed": seed}, worst))
        attempts = {path: self._try_mutant(trial, path, mutant) for path, mutant in self._mutants.items()}
        for path, other in permutations(attempts, 2):
            if mistake(path) != mistake(other) and _is_taken_for(attempts[path], attempts[other]):
                told = {"file": shown(path), "other": shown(other), "seed": seed}
                self._add("apart", (path, other), Flaw("same", told))
        for name, fake in fakes(self.exercise, self._public.cases).items():
            if _passes(trial, AnswerHere(fake)):
                self._add("fakes", name, Flaw("passes", {"fake": name, "seed": seed}))

    def _trial(self, seed: int) -> Trial:
        return Trial(self.exercise, seed, self.exercise.card.id)

    def _compare_cases(self, trial: Trial) -> None:
        """Cases are the same for the same seed, and most of them other ones for another."""
        first, again, public = (
            [pack(list(case.arguments.values())) for case in each.cases]
            for each in (trial, self._trial(trial.seed), self._public)
        )
        if first != again:
            self._add("cases", "again", Flaw("not_repeatable", {"seed": trial.seed}))
        fixed = sum(one == other for one, other in zip(first, public, strict=False))
        if fixed > MAY_BE_FIXED * len(first):
            self._add("cases", "public", Flaw("not_fresh", {"same": fixed, "total": len(first)}))

    def _compare_known(self, trial: Trial) -> None:
        """The reference gives what was worked out without it, in three cases or more."""
        known = [case for case in trial.cases if case.known and case.known.source]
        if len(known) < KNOWN_AT_LEAST:
            self._add("known", "count", Flaw("few_known", {"count": len(known), "wanted": KNOWN_AT_LEAST}))
        reference = AnswerHere(self.exercise.reference)
        for case in known:
            attempt = trial.attempt(reference, case)
            if attempt.finding:
                self._add("known", case.name["en"], Flaw("unlike_known", {}, attempt.result))

    def _try_mutant(self, trial: Trial, path: Path, mutant: Answer) -> list[Attempt]:
        """The attempts of a mutant, which must end in wrong outputs; of the masked fake, in NaN that was read."""
        worst = _worst(trial.run(mutant))
        told = {"file": shown(path), "seed": trial.seed, "verdict": worst.verdict}
        if worst.verdict is Verdict.PASS:
            self._add("mutants", path, Flaw("passes", told))
        elif worst.verdict not in FAILED and not (worst.verdict is Verdict.ERROR and is_otherwise(path)):
            self._add("mutants", path, Flaw("breaks", told, worst))
        elif self.exercise.card.poison and shown(path) == MASKED:
            harmless = (
                attempt for attempt in trial.attempts if attempt.finding and attempt.finding.key != "read_poison"
            )
            for attempt in harmless:
                self._add("mutants", path, Flaw("not_poisoned", told, attempt.result))
        return trial.attempts

    def _add(self, check: str, subject: object, flaw: Flaw) -> None:
        self._flaws.setdefault((check, subject), flaw)


def _is_taken_for(wrong: Sequence[Attempt], other: Sequence[Attempt]) -> bool:
    """Whether nothing speaks against the second mutant where the first has failed: the same replies on every failing
    case, and no failure where the first one passes."""
    pairs = list(zip(wrong, other, strict=True))
    failed = [pair for pair in pairs if pair[0].finding]
    telling = [pair for pair in failed if not pair[0].case.is_ambiguous] or failed
    if not failed or any(not same_reply(one.reply, two.reply) for one, two in telling):
        return False
    return not any(two.finding for one, two in pairs if not one.finding)


def _passes(trial: Trial, answer: Answer) -> bool:
    return not any(trial.attempt(answer, case).finding for case in trial.cases)


def _worst(results: Sequence[CaseResult]) -> CaseResult:
    return max(results, key=lambda result: GRAVITY[result.verdict])
