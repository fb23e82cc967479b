"""The assignments: what they hold of the exercises, and what they must not hold."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from classes.course import Course
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from practice.grader.assignments.build import build, read_questions
from practice.grader.assignments.public_check import public_check
from practice.grader.catalogue import all_cards
from practice.grader.tell.messages import LANGUAGES
from practice.nbgrader.settings import grade_with_judge

CARDS = all_cards()
SHORT = 30
CODE = re.compile(r"generator|some\(|return|torch\.(?!tensor\()")  # the worked example itself is public


@pytest.fixture(scope="module", params=LANGUAGES)
def sources(request, tmp_path_factory):
    """The source notebooks of one language, by chapter."""
    built, _ = build(tmp_path_factory.mktemp(request.param), request.param)
    return {path.stem.partition("_")[0]: nbformat.read(path, as_version=4) for path in built}


def cells_by_name(notebook):
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells}


def test_every_exercise_is_in_its_chapter(sources):
    found = {
        (chapter, name.removesuffix("-test"))
        for chapter, notebook in sources.items()
        for name, cell in cells_by_name(notebook).items()
        if name.endswith("-test")
    }
    assert found == {(card.chapter, card.id) for card in CARDS}
    assert set(sources) == set(read_questions())


def test_the_stub_is_the_starter(sources):
    config = Config()
    grade_with_judge(config)
    for card in CARDS:
        released, _ = ClearSolutions(config=config).preprocess(nbformat.from_dict(sources[card.chapter]), {})
        starter = (card.folder / "starter.py").read_text(encoding="utf-8").strip()
        assert cells_by_name(released)[card.id].source == starter


def test_neither_answers_nor_cases_are_in_a_source(sources):
    for card in CARDS:
        text = "\n".join(cell.source for cell in sources[card.chapter].cells)
        given = (card.folder / "starter.py").read_text(encoding="utf-8")
        files = [card.folder / "reference.py", *card.folder.glob("variants/*.py"), *card.folder.glob("mutants/*.py")]
        for path in [*files, card.folder / "cases.py"]:
            lines = {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}
            code = [line for line in lines if len(line) > SHORT and CODE.search(line) and line not in given]
            assert [line for line in code if line in text] == [], path


def test_without_the_judge_a_test_cell_raises(sources):
    for notebook in sources.values():
        for name, cell in cells_by_name(notebook).items():
            if name.endswith("-test"):
                hidden = cell.source.partition("### BEGIN HIDDEN TESTS\n")[2].partition("### END HIDDEN TESTS")[0]
                with pytest.raises(RuntimeError, match=r"c\.Autograde"):
                    exec(hidden)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_the_public_check_lets_right_answers_pass_and_some_mistake_not(card):
    check = public_check(card, "en")
    for path in [card.folder / "reference.py", *card.folder.glob("variants/*.py")]:
        assert fails(path, check) is None, path
    assert isinstance(fails(card.folder / "starter.py", check), NotImplementedError)
    assert any(fails(path, check) for path in card.folder.glob("mutants/*.py"))


def fails(path: Path, check: str) -> Exception | None:
    """What comes of running a check below an answer."""
    namespace = {}
    try:
        exec(path.read_text(encoding="utf-8"), namespace)
        exec(check, namespace)
    except Exception as error:
        return error
    return None


def test_both_languages_check_the_same():
    def code(source):
        return [node for node in ast.parse(source).body if not isinstance(node, ast.Expr)]

    for card in CARDS:
        en, zh = (code(public_check(card, lang)) for lang in LANGUAGES)
        assert list(map(ast.dump, en)) == list(map(ast.dump, zh))


def test_building_again(tmp_path):
    course = Course(tmp_path, "en")
    settings = course.folder / "nbgrader_config.py"
    settings.write_text(mine := settings.read_text() + "\n# mine\n")
    told = course.build("zh")
    assert settings.read_text() == mine
    assert "nbgrader_config.py" in told
    assert "请" in "".join(course.notebook("source", "01_cost")["cells"][0]["source"])
    (course.folder / "source/04_sparse/04_sparse.ipynb").unlink()
    (course.folder / "source/04_sparse").rmdir()
    (course.folder / "source/04_sparse").write_text("in the way")
    assert "cannot write into" in course.build("en", status=2)


def test_what_a_teacher_changed_is_put_aside(tmp_path):
    (first, *_), aside = build(tmp_path, "en")
    assert aside == []
    assert build(tmp_path, "en")[1] == []
    for number in (1, 2):
        first.write_text(mine := f"mine {number}")
        _, (kept,) = build(tmp_path, "en")
        assert (kept.relative_to(tmp_path).as_posix(), kept.read_text()) == (f"replaced/01_cost-{number}.ipynb", mine)
        assert nbformat.read(first, as_version=4).cells


def test_a_chapter_without_a_question_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("practice.grader.assignments.build.read_questions", lambda: {"01": None, "03": None})
    with pytest.raises(LookupError, match=r"questions\.toml has no question for 02, 04"):
        build(tmp_path, "en")
