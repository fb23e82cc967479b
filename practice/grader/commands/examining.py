"""The command doctor: is this machine fit to grade, and what can an answer do on it?"""

import argparse
import os
import platform

from practice.grader.commands.common import show
from practice.grader.tell.examination import render_examination
from practice.grader.tell.messages import Language, say


def take_doctor(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `doctor`."""
    parser.add_argument("--portable", action="store_true", help=say(lang, "help_portable"))


def doctor(options: argparse.Namespace, lang: Language) -> int:
    """Try, in a process like an answer's, what an answer must not do; 1 where something of it gets through."""
    import torch

    from practice.grader.isolate.doctor import OPEN, examine

    layers, outcomes = examine(options.portable)
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPU"
    versions = f"Python {platform.python_version()}, torch {torch.__version__}"
    show(render_examination(f"{machine}, {versions}", layers, outcomes, lang))
    return int(OPEN in outcomes.values())
