"""The builder's rules: exercises put in and left out of execution, bars wiped, numbers compared and traced."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import chapters
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
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "09_toy.md"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_an_exercise_is_its_starter_and_is_not_run(source: Path, tmp_path: Path) -> None:
    notebook = chapters.parse(source)
    starter = (EXERCISES / "kv_bytes" / "starter.py").read_text(encoding="utf-8").strip()
    executed = chapters.execute(notebook, tmp_path / "ledger.json")
    assert [cell.execution_count for cell in executed.cells] == [1, None, 2]
    assert [[output.text for output in cell.outputs] for cell in executed.cells] == [["one\n"], [], ["whole\n"]]
    for language in chapters.LANGUAGES:
        statement, cell = chapters.edition(notebook, executed, language, {}).cells[1:3]
        text = (EXERCISES / "kv_bytes" / f"statement.{language}.md").read_text(encoding="utf-8").partition("\n")[2]
        assert text.strip() in statement.source
        assert cell.source == f"%%judge kv_bytes --lang {language}\n{starter}"


def test_a_bar_that_is_gone_leaves_nothing() -> None:
    printed = new_output("stream", name="stdout", text="\r 50%\r100%\r      \r")
    assert chapters._joined([printed]) == []
    between = new_output(
        "stream", name="stdout", text="\r  0%|    | 0/2 [00:00<?, ?it/s]one\n\r 50%|##  | 1/2 [00:03<00:03,  3.40s/it]"
    )
    assert chapters._joined([between])[0].text == "one\n"


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
