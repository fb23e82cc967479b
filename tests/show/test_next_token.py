"""The next token: guesses, probabilities and ranks told are torch's, at every position."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import expect

from bare_page import show
from mini_llm.show.next_token import NextToken

WORDS = [" the", "cat", " sat", "\n", "on", " a", " mat", "."]
IDS = torch.tensor([0, 1, 2, 3, 4, 2])
SHARES = (
    torch.randn(len(IDS), len(WORDS), generator=torch.manual_seed(4))
    .mul(2)
    .index_put((torch.tensor([2]), torch.tensor([3])), torch.tensor(-12.0))  # what then comes: as good as impossible
    .softmax(-1)
)


def widget(token: int = 1) -> NextToken:
    return NextToken(IDS, SHARES, WORDS.__getitem__, token)


def percent(share: float) -> str:
    return "< 0.1 %" if share < 0.0005 else f"{share:.1%}".replace("%", " %")


def visible(word: str) -> str:
    return word.replace(" ", "␣").replace("\n", "↵")


@pytest.mark.browser
def test_at_every_position_the_guesses_and_what_came_are_torchs() -> None:
    ranks = set()
    with show(widget()) as page:
        for token in range(1, len(IDS)):
            row = SHARES[token - 1]
            order = row.argsort(descending=True).tolist()
            came = int(IDS[token])
            rank = order.index(came) + 1
            name = visible(WORDS[came])
            stands = f"In the box really stands “{name}”"
            told = f"✓ {stands}" if rank <= 5 else f"{stands}, none of the five"
            expect(page.locator("div[role=status]")).to_have_text(f"{told}: {percent(row[came].item())}, rank {rank}.")
            expect(page.locator(".next-name")).to_have_text([visible(WORDS[one]) for one in order[:5]])
            expect(page.locator(".next-share")).to_have_text([percent(row[one].item()) for one in order[:5]])
            expect(page.locator(".next-sign")).to_have_text(["✓" if one == came else "" for one in order[:5]])
            page.get_by_role("slider").press("ArrowRight")
            ranks.add(rank)
    assert min(ranks) <= 5 < max(ranks)


@pytest.mark.browser
def test_a_click_chooses_and_the_arrow_keys_go_on_from_there() -> None:
    with show(widget(), dark=True, width=640) as page:
        text = page.locator(".next-strip")
        expect(text.locator("[aria-current]")).to_have_text("cat")
        text.get_by_text("on", exact=True).click()
        expect(text.locator("[aria-current]")).to_have_text("on")
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 of 5")
        expect(page.get_by_text("In the box really stands “↵”, none of the five: < 0.1 %, rank 8.")).to_be_visible()
        text.get_by_text("the").click()  # nothing stands before it
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "3 of 5")


@pytest.mark.browser
def test_chinese_says_the_same() -> None:
    one = widget(3)
    one.lang = "zh"
    with show(one) as page:
        expect(page.get_by_text("框里真正的是“↵”，不在这五个里：概率 < 0.1 %，排第 8")).to_be_visible()


def test_the_picture_shows_the_position_in_view() -> None:
    one = widget()
    one.token = 5
    axis = one.figure().axes[0]
    best = SHARES[4].topk(5)
    assert [bar.get_width() for bar in axis.patches] == pytest.approx((100 * best.values).tolist(), abs=0.051)
    names = [("✓ " if i == IDS[5] else "") + repr(WORDS[i]) for i in best.indices.tolist()]
    assert [label.get_text() for label in axis.get_yticklabels()] == names
    assert axis.get_title().startswith(" thecat sat↵on  →  ' sat' comes next: ")
    assert one._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")


def test_the_picture_says_what_is_cut_and_what_is_too_small_to_tell() -> None:
    wide = NextToken(IDS, SHARES, lambda one: 30 * WORDS[one][-1], token=3)
    told = f"...{60 * 't'}  →  {30 * chr(10)!r} comes next: < 0.1 %, rank 8"
    assert wide.figure().axes[0].get_title() == told


@pytest.mark.parametrize("token", [0, len(IDS), -1])
def test_a_position_that_is_not_predicted_is_named(token: int) -> None:
    with pytest.raises(ValueError, match=f"token={token}"):
        widget(token)


def test_rows_that_do_not_fit_are_counted() -> None:
    with pytest.raises(ValueError, match="5 rows of probabilities for 6 ids"):
        NextToken(IDS, SHARES[1:], WORDS.__getitem__, 1)
