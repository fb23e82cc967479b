"""argparse's own words in the learner's language."""

import argparse
from collections.abc import Iterable

from practice.grader.tell.messages import Language, say


class Parser(argparse.ArgumentParser):
    """A parser whose help is in `lang` from its first word on, and keeps the line breaks of its epilog."""

    def __init__(self, lang: Language, prog: str | None = None, description: str = "", epilog: str = "") -> None:
        super().__init__(
            prog,
            description=description,
            epilog=epilog,
            formatter_class=lambda prog: Formatter(lang, prog),
            add_help=False,
        )
        self._positionals.title = say(lang, "usage_positionals")
        self._optionals.title = say(lang, "usage_options")
        self.add_argument("-h", "--help", action="help", help=say(lang, "help_help"))


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Begins a usage with the word for it in `lang`."""

    def __init__(self, lang: Language, prog: str) -> None:
        super().__init__(prog)
        self._word = say(lang, "usage")

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, self._word if prefix is None else prefix)
