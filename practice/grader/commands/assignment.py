"""The command of who teaches with nbgrader: assignment."""

import argparse
import shutil
from pathlib import Path

from practice.grader.commands.common import DOOR, UsageError, show, shown
from practice.grader.tell.messages import Language, say

COURSE = DOOR.parents[1] / "classroom"
GUIDES = DOOR.parent / "nbgrader"
SETTINGS = GUIDES / "nbgrader_config.py"
OWNERS_ALONE = 0o700


def take_assignment(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `assignment`."""
    parser.add_argument("what", choices=["build"], help=say(lang, "help_assignment_build"))
    told = say(lang, "help_course", default=shown(COURSE))
    parser.add_argument("course", metavar="COURSE", nargs="?", type=Path, help=told)


def assignment(options: argparse.Namespace, lang: Language) -> int:
    """Write the course folder: source notebooks, and settings where there are none."""
    from practice.grader.assignments.build import build

    course: Path = options.course or COURSE
    try:
        course.mkdir(mode=OWNERS_ALONE, parents=True, exist_ok=True)
        (course / ".gitignore").write_text("*\n", encoding="ascii")  # nothing of a class belongs into the repository
        settings = course / SETTINGS.name
        if not settings.exists():
            shutil.copyfile(SETTINGS, settings)
        elif settings.read_bytes() != SETTINGS.read_bytes():
            show(say(lang, "assignment_kept", file=shown(settings)))
        written, aside = build(course, lang)
    except OSError as error:
        raise UsageError(say(lang, "no_folder", folder=shown(course), reason=error.strerror or error)) from error
    for path in aside:
        show(say(lang, "assignment_kept", file=shown(path)))
    names = ", ".join(path.stem for path in written)
    show(say(lang, "assignment_built", count=len(written), folder=shown(course), names=names))
    show(say(lang, "assignment_next", guide=shown(GUIDES / ("README.zh.md" if lang == "zh" else "README.md"))))
    return 0
