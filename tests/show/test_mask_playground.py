"""The mask playground: its answers are the model's under that mask, recorded or asked for; the view refuses what has
no answer."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect
from torch import Tensor

from bare_page import show
from mini_llm import Transformer
from mini_llm.show.mask_playground import MaskPlayground, as_bits

pytestmark = [pytest.mark.browser, pytest.mark.model]

SENTENCE = "My father dropped the first one in his second week."
CACHED, NEW = 4, 6


def named_masks(cached: int, new: int) -> dict[str, Tensor]:
    whole = torch.ones(new, cached + new, dtype=torch.bool)
    in_chunk = whole.tril(cached)
    in_chunk[:, :cached] = False
    return {"within the chunk": in_chunk, "bottom right": whole.tril(cached), "no triangle": whole}


@pytest.fixture(scope="module")
def recorded(model: Transformer, tokenizer: Any) -> MaskPlayground:
    return MaskPlayground(model, tokenizer, SENTENCE, CACHED, named_masks)


@pytest.fixture
def playground(recorded: MaskPlayground) -> MaskPlayground:
    recorded.lang, recorded.bits = "en", recorded.presets["within the chunk"]
    return recorded


def without_a_cache(model: Transformer, ids: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities [T, vocab] of the new tokens, from one pass over the whole text."""
    square = torch.ones(CACHED + NEW, CACHED + NEW, dtype=torch.bool).tril()
    square[CACHED:] = mask
    return model(ids[None, :-1], mask=square)[0, CACHED:].log_softmax(-1)


def toggled(bits: str, *cells: int) -> str:
    return "".join("10"[int(bit)] if at in cells else bit for at, bit in enumerate(bits))


def test_every_answer_is_the_models(playground: MaskPlayground, model: Transformer, tokenizer: Any) -> None:
    ids = torch.tensor(tokenizer(SENTENCE).input_ids)
    causal = without_a_cache(model, ids, named_masks(CACHED, NEW)["bottom right"])
    playground.bits = toggled(playground.right, 2 * 10 + 8)  # the third query sees the token after the next one
    assert set(playground.answers) == {*playground.presets.values(), playground.bits}
    for bits, rows in playground.answers.items():
        log_probs = without_a_cache(model, ids, playground.mask(bits))
        for row, (answer, true) in enumerate(zip(rows, ids[CACHED + 1 :], strict=True)):
            assert answer["nll"] == pytest.approx(-log_probs[row, true].item(), abs=2e-3)
            moved = torch.nn.functional.kl_div(log_probs[row], causal[row], reduction="sum", log_target=True)
            assert answer["kl"] == pytest.approx(moved.item(), abs=2e-3)
            assert answer["says"] == tokenizer.decode([int(log_probs[row].argmax())])
            assert answer["hit"] == (answer["says"] == playground.tokens[CACHED + row + 1])


def test_rows_above_a_toggled_cell_stay_and_rows_below_may_move(playground: MaskPlayground) -> None:
    assert [row["kl"] for row in playground.answers[playground.right]] == [0] * NEW
    playground.bits = toggled(playground.right, 2 * 10 + 0)  # the third query no longer sees token 0
    moved = [row["kl"] > 0 for row in playground.answers[playground.bits]]
    assert moved == [False, False, True, True, True, True]


@pytest.mark.parametrize(
    ("bits", "message"),
    [("1" * 59, "60 of 0 and 1"), ("2" * 60, "60 of 0 and 1"), ("1" * 40 + "0" * 10 + "1" * 10, "query 4")],
)
def test_a_mask_without_an_answer_is_refused(playground: MaskPlayground, bits: str, message: str) -> None:
    before = playground.bits
    with pytest.raises(ValueError, match=message):
        playground.bits = bits
    assert playground.bits == before


@pytest.mark.parametrize(
    ("text", "cached", "message"),
    [(SENTENCE, 0, "cached=0"), (SENTENCE, 10, "cached=10 of 11"), ("one " * 30, 4, "has room for 25")],
)
def test_a_text_that_does_not_fit_is_refused(
    model: Transformer, tokenizer: Any, text: str, cached: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        MaskPlayground(model, tokenizer, text, cached, named_masks)


def cell(page: Page, row: int, column: int) -> Any:
    return page.locator("tbody tr").nth(row).locator("button").nth(column)


def test_recorded_masks_act_without_a_kernel(playground: MaskPlayground) -> None:
    with show(playground) as page:
        first = page.locator("tbody tr").first
        expect(
            page.get_by_text("cells of the past that are hidden (×): 24; queries whose logits moved (≠): 6 of 6")
        ).to_be_visible()
        page.get_by_role("button", name="no triangle").press("Enter")
        expect(first).to_contain_text("one ✓")
        expect(page.get_by_text("cells that see the future (!): 15;")).to_be_visible()
        expect(page.get_by_text("Better than right is no merit here")).to_be_visible()
        page.get_by_role("button", name="bottom right").press("Enter")
        expect(page.get_by_text("This is the right mask")).to_be_visible()
        expect(first).to_contain_text("=")


def test_keys_toggle_a_cell_and_the_view_says_when_nobody_answers(playground: MaskPlayground) -> None:
    playground.bits = playground.right
    with show(playground) as page:
        cell(page, 0, 0).focus()
        for key in ("ArrowRight",) * 5 + ("Enter",):
            page.keyboard.press(key)
        expect(page.get_by_text("key “one” at 5: may attend, though it lies in the future")).to_be_visible()
        expect(cell(page, 0, 5)).to_have_text("!")
        assert page.evaluate("model.get('bits')") == toggled(playground.right, 5)
        expect(page.get_by_text("No answer yet. Single cells need a running kernel")).to_be_visible()
        page.keyboard.press("Space")
        expect(page.get_by_text("This is the right mask")).to_be_visible()


def test_the_last_key_of_a_query_stays(playground: MaskPlayground) -> None:
    with show(playground) as page:
        cell(page, 0, CACHED).press("Enter")
        expect(page.get_by_text("Refused: query “first” would see nothing")).to_be_visible()
        assert page.evaluate("model.get('bits')") == as_bits(named_masks(CACHED, NEW)["within the chunk"])


def test_a_narrow_page_scrolls_the_table_alone(playground: MaskPlayground) -> None:
    with show(playground, width=420) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        page.get_by_text("≠").last.scroll_into_view_if_needed()
        expect(page.get_by_text("≠").last).to_be_in_viewport()


def test_chinese_says_the_same(playground: MaskPlayground) -> None:
    playground.lang = "zh"
    with show(playground) as page:
        page.get_by_role("button", name="没有三角").click()
        expect(page.get_by_text("15 格看见了未来（!）")).to_be_visible()


def test_the_picture_for_where_no_script_runs(playground: MaskPlayground) -> None:
    titles = [axis.get_title() for axis in playground.figure().axes]
    assert titles == ["within the chunk\nmean NLL 5.27", "bottom right\nmean NLL 4.15", "no triangle\nmean NLL 1.40"]
