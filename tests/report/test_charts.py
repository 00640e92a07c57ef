from xml.etree import ElementTree

import pytest

from stages.report.charts import charts
from stages.report.charts.points import code_points, cost_points, names_of
from tests.report.records import card, config, digest, invalid, sub_score, unanswered

SUBS = {"param_quality": (sub_score("strength_diversity", 0.75),)}


def test_the_frontier_holds_the_models_that_no_other_beats_in_score_and_cost() -> None:
    found = digest(
        card("cheap", score=0.3, est_cost_usd=0.01),
        card("worse", score=0.2, est_cost_usd=0.02),
        card("dear", score=0.9, est_cost_usd=0.05),
    )
    assert [(point.name, point.frontier) for point in cost_points(found)] == [
        ("CHEAP", True),
        ("WORSE", False),
        ("DEAR", True),
    ]


def test_a_model_without_a_known_cost_is_no_point() -> None:
    assert cost_points(digest(card("a", est_cost_usd=None))) == ()


def test_codes_are_counted_over_models_the_most_frequent_first() -> None:
    found = digest(invalid("a", "b1", "X"), invalid("b", "b1", "X", "Y"), unanswered("rate_limited", "c"))
    assert [(point.code, point.cells) for point in code_points(found)] == [("X", 2), ("Y", 1), ("rate_limited", 1)]


def test_models_that_share_a_name_are_told_apart_by_their_ids() -> None:
    configs = (config("a", display_name="Same"), config("b", display_name="Same"), config("c", display_name="Other"))
    names = names_of(digest(card("a"), card("b"), card("c"), configs=configs))
    assert names == {"a": "a", "b": "b", "c": "Other"}


@pytest.fixture(name="drawn", scope="module")
def _drawn() -> dict[str, str]:
    cards = [
        card(model, brief, 0.2 + 0.1 * n, sub_scores=SUBS) for n, model in enumerate("ab") for brief in ("b1", "b2")
    ]
    hostile = config("b", display_name="<script>alert(1)</script>")
    return {
        chart.title: str(chart.svg)
        for chart in charts(digest(*cards, invalid("a", "b3", "X"), configs=(config("a"), hostile)))
    }


def test_there_are_charts_of_cost_latency_profile_and_failures(drawn: dict[str, str]) -> None:
    assert list(drawn) == ["Quality against cost", "Latency", "Failures by code", "Where models are strong and weak"]


def test_every_chart_is_a_named_picture_in_colours_of_the_style_sheet(drawn: dict[str, str]) -> None:
    for svg in drawn.values():
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert "#00f0" not in svg
        assert ' id="' not in svg
        assert "var(--ink)" in svg


@pytest.mark.parametrize("name", ["a\x00b", "a\ud800b", "\u202ea"], ids=ascii)
def test_a_name_that_no_chart_can_write_is_mended(name: str) -> None:
    cards = (card("a", sub_scores={"completeness": (sub_score(name, 0.5),)}), invalid("a", "b2", name))
    configs = (config("a").model_copy(update={"display_name": name}),)
    assert len(charts(digest(*cards, configs=configs))) == 4


def test_a_hostile_name_stays_text(drawn: dict[str, str]) -> None:
    for svg in drawn.values():
        root = ElementTree.fromstring(svg)
        assert not [element for element in root.iter() if element.tag.endswith("script")]
        assert not [key for element in root.iter() for key in element.attrib if key.startswith("on") or "href" in key]


@pytest.mark.parametrize("costs", [(0.0, 0.0), (0.0, 1.0), (0.5, 0.5), (1e-7, 40.0), (0.9, 1.1)], ids=str)
def test_any_costs_can_be_drawn(costs: tuple[float, float]) -> None:
    found = digest(*(card(model, est_cost_usd=cost) for model, cost in zip("ab", costs, strict=True)))
    assert charts(found)[0].title == "Quality against cost"


def test_nothing_measured_draws_nothing() -> None:
    assert [chart.title for chart in charts(digest(unanswered()))] == ["Failures by code"]
