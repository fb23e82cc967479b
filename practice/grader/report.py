"""What a grading found, as plain data: `verify` writes it, `tell` turns it into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Text = Mapping[str, str]
"""One wording per language: {"en": ..., "zh": ...}."""


class Verdict(StrEnum):
    """The outcome of a case or of a whole run, in order of gravity; NOT_RUN and UNGRADED say that there is none."""

    NOT_RUN = "NOT_RUN"
    PASS = "PASS"
    WRONG = "WRONG"
    CONTRACT = "CONTRACT"
    ERROR = "ERROR"
    MEMORY = "MEMORY"
    TIME = "TIME"
    POLICY = "POLICY"
    CRASH = "CRASH"
    UNGRADED = "UNGRADED"


GRAVITY = {verdict: rank for rank, verdict in enumerate(Verdict)}


@dataclass(frozen=True)
class Finding:
    """Why something did not pass: a key of the message tables and the facts that its sentence needs.

    The key "exercise" stands for a sentence that the exercise itself wrote, in fields `en` and `zh`.
    """

    verdict: Verdict
    key: str
    fields: Mapping[str, str | int] = field(default_factory=dict)
    expected: str = ""
    got: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class CaseResult:
    """One test: its name, what was found (None when it passed), round-trip time, and its input's size in elements."""

    name: Text
    finding: Finding | None
    milliseconds: float = 0.0
    size: int = 0
    inputs: str = ""

    @property
    def verdict(self) -> Verdict:
        return self.finding.verdict if self.finding else Verdict.PASS


@dataclass(frozen=True)
class Misconception:
    """A shipped mutant that gives what the answer gave on every failing case: its id and its mistake."""

    id: str
    text: Text


@dataclass(frozen=True)
class Example:
    """The smallest failing input, whole: what was found, and input, expected and got as source that can be pasted."""

    finding: Finding
    source: str
    expected: str = ""
    got: str = ""


@dataclass(frozen=True)
class Work:
    """Floating-point operations and bytes read by one call: counted, advisory, never a verdict."""

    who: str
    flops: int
    bytes_read: int


@dataclass(frozen=True)
class Report:
    """One grading: the tests in the author's order, or the `fault` that kept the judge from grading.

    `printed` is the beginning of what the answer printed: `printed_shown` of `printed_bytes` bytes.
    """

    exercise: str
    file: str
    results: tuple[CaseResult, ...]
    isolation: tuple[str, ...]
    seconds: float
    seed: int
    printed: str = ""
    printed_bytes: int = 0
    printed_shown: int = 0
    fault: Finding | None = None
    misconceptions: tuple[Misconception, ...] = ()
    example: Example | None = None
    work: tuple[Work, ...] = ()

    @property
    def verdict(self) -> Verdict:
        if self.fault or not self.results:
            return Verdict.UNGRADED
        return max((result.verdict for result in self.results), key=GRAVITY.__getitem__)

    @property
    def unwritten(self) -> bool:
        """Whether every test met the starter: an answer that leaves only some cases out has been begun."""
        findings = [result.finding for result in self.results]
        return bool(findings) and all(finding is not None and finding.key == "unwritten" for finding in findings)

    @property
    def passed(self) -> int:
        return sum(result.verdict is Verdict.PASS for result in self.results)

    @property
    def smallest_failure(self) -> CaseResult | None:
        """The gravest failure with the smallest input that is not empty: the one worth showing first."""
        failed = [result for result in self.results if result.verdict is self.verdict and result.finding]
        return min(failed, key=lambda result: (result.size == 0, result.size), default=None)
