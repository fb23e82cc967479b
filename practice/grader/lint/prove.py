"""The whole proof that one exercise is sound."""

import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from tqdm import tqdm

from practice.grader.catalogue import Card
from practice.grader.isolate.forking import NotStarted
from practice.grader.lint.folder import folder_flaws, shown
from practice.grader.lint.mutate import mutations
from practice.grader.lint.score import surviving
from practice.grader.lint.trials import Trials
from practice.grader.soundness import Check, Flaw, Score, Soundness, Survivor

CHECKS = ("starter", "cases", "known", "right", "mutants", "apart", "named", "fakes")
MUTATION_SEEDS = range(3)
SCORE_WANTED = 0.95


def prove(card: Card, seeds: Sequence[int]) -> Soundness:
    """Check everything that makes an exercise sound; shows a progress bar on a terminal."""
    try:
        return _prove(card, seeds)
    except NotStarted:  # no fault of the exercise's
        raise
    except Exception as error:
        return Soundness(card.id, (Check("runs", (_broken(card, error),)),))


def _prove(card: Card, seeds: Sequence[int]) -> Soundness:
    folder = Check("folder", tuple(folder_flaws(card)))
    if any(flaw.key == "missing" for flaw in folder.flaws):
        return Soundness(card.id, (folder,))
    trials = Trials(card)
    changes = mutations((card.folder / "reference.py").read_text(encoding="utf-8"))
    with tqdm(total=len(seeds) + len(changes), desc=card.id, leave=False, disable=None) as bar:
        trials.try_once(seeds[0])
        for seed in seeds:
            trials.try_seed(seed)
            bar.update()
        left = surviving(trials.exercise, MUTATION_SEEDS, changes, bar.update)
    survivors = (Survivor(each.line, each.before, each.after, card.survivors.get(str(each), "")) for each in left)
    score = Score(len(changes), tuple(survivors))
    checks = [Check(key, trials.flaws(key)) for key in CHECKS]
    return Soundness(card.id, (folder, *checks, Check("score", tuple(_score_flaws(card, score)))), score)


def _broken(card: Card, error: Exception) -> Flaw:
    """An exception, and the last line of the exercise's own that it passed."""
    place = card.id
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).is_relative_to(card.folder):
            place = f"{shown(Path(frame.filename))}:{frame.lineno}"
    return Flaw("broken", {"place": place, "type": type(error).__name__, "message": str(error)})


def _score_flaws(card: Card, score: Score) -> Iterator[Flaw]:
    """Too few killed, survivors that the card does not explain, explanations of what does not survive."""
    if score.killed < SCORE_WANTED * score.total:
        yield Flaw("low_score", {"killed": score.killed, "total": score.total, "wanted": f"{SCORE_WANTED:.0%}"})
    unexplained = sum(not survivor.reason for survivor in score.survivors)
    if unexplained:
        yield Flaw("unexplained", {"count": unexplained})
    for stale in sorted(card.survivors.keys() - {str(survivor) for survivor in score.survivors}):
        yield Flaw("stale", {"mutation": stale})
