"""The RoPE clock: its hands stand where the model turns q and k, and its diamonds where training never was."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect

from bare_page import show
from mini_llm.config import ModelConfig
from mini_llm.rope import RopeScaling, rope_cos_sin, rope_frequencies
from mini_llm.show.rope_clock import RopeClock

pytestmark = [pytest.mark.browser, pytest.mark.model]

HANDS = """(kind) => [...document.querySelectorAll(`.hand.${kind}`)]
    .map((one) => [Number(one.dataset.angle), one.classList.contains("unseen")])"""
PLACE = """([position, distance]) => millisecondsToDraw(() => {
    model.set("position", position);
    model.set("distance", distance);
})"""


@pytest.fixture(scope="module")
def cfg(model_folder: Path) -> ModelConfig:
    return ModelConfig.from_folder(model_folder)


def placed(page: Page, position: int, distance: int) -> None:
    page.evaluate(PLACE, [position, distance])


def test_the_hands_stand_where_the_model_turns_to(cfg: ModelConfig) -> None:
    widget = RopeClock(cfg)
    frequencies, _ = rope_frequencies(cfg.head_dim, cfg.rope_theta)
    with show(widget) as page:
        for query, distance in ((0, 0), (1, 1), (100, 7), (8191, 8191), (20_000, 300), (32_768, 32_768)):
            placed(page, query, distance)
            for kind, place in (("query", query), ("key", query - distance)):
                angles = torch.tensor([angle for angle, _ in page.evaluate(HANDS, kind)])
                cos, sin = rope_cos_sin(torch.tensor([place]), frequencies[widget.dials], torch.float32)
                assert torch.allclose(angles.cos(), cos.flatten(), atol=5e-3), (kind, place)
                assert torch.allclose(angles.sin(), sin.flatten(), atol=5e-3), (kind, place)


def test_a_diamond_stands_where_no_trained_position_comes_near(cfg: ModelConfig) -> None:
    widget = RopeClock(cfg)
    frequencies = rope_frequencies(cfg.head_dim, cfg.rope_theta)[0][widget.dials].double()
    trained = torch.arange(cfg.max_position_embeddings)[:, None] * frequencies  # [positions, dials]
    marked = set()
    with show(widget) as page:
        for query in (50, 8191, 9000, 12_288, 20_000, 32_000):
            placed(page, query, 0)
            apart = (query * frequencies - trained + math.pi) % (2 * math.pi) - math.pi
            expected = (apart.abs().amin(dim=0) > frequencies).tolist()
            assert [unseen for _, unseen in page.evaluate(HANDS, "query")] == expected, query
            marked |= set(expected)
    assert marked == {True, False}


def test_only_the_distance_moves_the_cosines(cfg: ModelConfig) -> None:
    with show(RopeClock(cfg)) as page:
        cosines = page.locator(".rope-dials").get_by_text("cos =")
        placed(page, 5000, 100)
        near = cosines.all_inner_texts()
        placed(page, 30_000, 100)
        expect(cosines).to_have_text(near)
        placed(page, 30_000, 30_000)
        expect(cosines).not_to_have_text(near)
        expect(cosines).to_have_text([re.compile("[^◆]$")] * 5 + [re.compile("◆$")] * 3)


def test_keys_and_player_turn_it(cfg: ModelConfig) -> None:
    with show(RopeClock(cfg), reduced_motion=True) as page:
        expect(page.get_by_text("12 of 32 pairs never completed a turn in the 8,192 positions")).to_be_visible()
        told = page.locator("div[role=status]")
        page.get_by_role("combobox", name="a step is").select_option("256")
        page.get_by_role("button", name="on one step").press("Enter")
        expect(told).to_contain_text("Query at 12,544, 1.53 × the trained length; key at 12,444")
        page.get_by_role("button", name="turn", exact=True).press("Enter")
        expect(told).not_to_contain_text("12,544")
        page.get_by_role("button", name="pause").press("Enter")
        page.get_by_role("slider", name="query at").press("Home")
        expect(told).to_contain_text("Query at 0, 0.00 × the trained length; key at 0.")
        page.get_by_role("slider", name="query at").press("ArrowRight")
        expect(told).to_contain_text("Query at 1,")


def test_chinese_says_the_same(cfg: ModelConfig) -> None:
    widget = RopeClock(cfg)
    widget.lang = "zh"
    with show(widget) as page:
        expect(page.get_by_text("32 对里有 12 对，在训练用到的 8,192 个位置里一圈也没转完")).to_be_visible()


def test_the_picture_for_where_no_script_runs(cfg: ModelConfig) -> None:
    figure = RopeClock(cfg).figure()
    assert len(figure.axes) == 8
    assert "12 of 32 pairs never came round" in figure.get_suptitle()


def test_wrong_arguments_are_named(cfg: ModelConfig) -> None:
    with pytest.raises(ValueError, match="rope_type is 'yarn'"):
        RopeClock(replace(cfg, rope_scaling=RopeScaling("yarn", factor=4.0, original_max_position_embeddings=2048)))
    with pytest.raises(ValueError, match=r"position=32769 is not within 0\.\.32768"):
        RopeClock(cfg).position = 32_769
