"""The builder's rules: exercises put in and left out of execution, bars wiped, numbers compared and traced."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import chapters
import execution
from practice.grader.catalogue import EXERCISES

SOURCE = """---
jupyter:
  kernelspec: {display_name: Python 3, language: python, name: python3}
---

```python
print("one")
```

```python
%%judge kv_bytes
```

```python
import sys

sys.stdout.write("half\\r")
print("whole")
```

```python
%judge_progress 01
```

```python
from mini_llm.show.sink_map import SinkMap

SinkMap({"story": [[0.25]]})
```
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The toy chapter as parsed and as executed."""
    folder = tmp_path_factory.mktemp("toy")
    source = folder / "09_toy.md"
    source.write_text(SOURCE, encoding="utf-8")
    notebook = chapters.parse(source)
    return notebook, execution.execute(notebook, folder / "ledger.json", folder)


def test_exercises_and_the_map_are_not_run(built: tuple[Any, Any]) -> None:
    cells = built[1].cells
    assert [cell.execution_count for cell in cells] == [1, None, 2, None, 3]
    assert [[output.text for output in cell.outputs] for cell in cells[:3]] == [["one\n"], [], ["whole\n"]]


def test_an_exercise_is_its_statement_and_its_starter(built: tuple[Any, Any]) -> None:
    starter = (EXERCISES / "kv_bytes" / "starter.py").read_text(encoding="utf-8").strip()
    for language in chapters.LANGUAGES:
        statement, cell = chapters.edition(*built, language, {}).cells[1:3]
        text = (EXERCISES / "kv_bytes" / f"statement.{language}.md").read_text(encoding="utf-8").partition("\n")[2]
        assert text.strip() in statement.source
        assert cell.source == f"%%judge kv_bytes --lang {language}\n{starter}"


@pytest.mark.parametrize(("language", "told"), [("en", "0 of 16 exercises passed"), ("zh", "16 道练习，通过 0 道")])
def test_the_map_and_the_widgets_speak_the_edition_s_language(built: tuple[Any, Any], language: str, told: str) -> None:
    made = chapters.edition(*built, language, {})
    *_, shown, widget = made.cells
    assert shown.source == f"%reload_ext judge\n%judge_progress 01 --lang {language}"
    assert told in shown.outputs[0].data["text/html"]
    assert '<a href="02_mini_llm.ipynb">' in shown.outputs[0].data["text/html"]
    view = widget.outputs[0].data["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert made.metadata.widgets[execution.STATES]["state"][view]["state"]["lang"] == language


def test_a_widget_is_named_after_its_cell_whatever_its_random_id(built: tuple[Any, Any]) -> None:
    text, ids = nbformat.writes(built[1]), list(built[1].metadata.widgets[execution.STATES]["state"])
    assert len(ids) == 2  # the widget and its layout
    for number, name in enumerate(ids):
        text = text.replace(name, f"{number + 10:032x}")
    assert execution._stable_widget_ids(nbformat.reads(text, as_version=4)) == built[1]


def test_a_bar_that_is_gone_leaves_nothing() -> None:
    printed = new_output("stream", name="stdout", text="\r 50%\r100%\r      \r")
    assert execution._joined([printed]) == []
    between = new_output(
        "stream", name="stdout", text="\r  0%|    | 0/2 [00:00<?, ?it/s]one\n\r 50%|##  | 1/2 [00:03<00:03,  3.40s/it]"
    )
    assert execution._joined([between])[0].text == "one\n"


@pytest.mark.parametrize(
    ("recorded", "differences"),
    [
        ({"09.a": {"value": 1.001}}, []),
        ({"09.a": {"value": 1.02}}, ["09.a was 1 and now is 1.02"]),
        ({"09.b": {"value": 1.0}}, ["09.a was 1 and now is None"]),
    ],
)
def test_what_is_not_reproduced_is_named(recorded: chapters.Ledger, differences: list[str]) -> None:
    assert chapters.not_reproduced({"09.a": {"value": 1.0, "rel_tol": 0.01}}, recorded) == differences


def test_a_number_is_looked_for_in_the_code_beside_it_alone() -> None:
    cells = [
        new_code_cell("far = 111", id="far"),
        new_code_cell("near = 222", id="near", outputs=[new_output("stream", name="stdout", text="333")]),
        new_markdown_cell("111, 222, 333, 444", id="prose", metadata={"lang": "en"}),
        new_code_cell("after = 444", id="after"),
    ]
    book = new_notebook(cells=cells)
    assert chapters.numbers_from_nowhere(book, book) == ["en prose: 111 in '111, 222, 333, 444'"]
