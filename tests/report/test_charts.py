import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import pytest

from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.report.drawing.charts import charts, cost_chart, interval_chart, svg
from graph_evaluator.shell import numbers
from tests.builders.scorecards import card, config, findings


def drawn_charts(*cards: Scorecard, configs: Sequence[ModelConfig] | None = None) -> dict[str, str]:
    """The drawing of each chart by its title."""
    found = findings(*cards, configs=configs)
    return {title: str(drawing) for title, _, drawing in charts(found.candidates)}


def points(*models: tuple[float, float]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The scale of the costs, and the points as they are drawn, for models of these costs and scores."""
    cards = [
        card(f"m{number}", score=score, est_cost_usd=cost)
        for number, (cost, score) in enumerate(models)
    ]
    drawn = cost_chart(findings(*cards).candidates)
    return drawn["encoding"]["x"]["scale"], drawn["data"]["values"]


@pytest.mark.parametrize(("most", "kind"), [(0.09, "linear"), (0.1, "log")])
def test_costs_that_differ_tenfold_are_on_a_logarithmic_scale(most: float, kind: str) -> None:
    scale, _ = points((0.01, 0.5), (most, 0.6))
    assert scale["type"] == kind


def test_a_line_joins_the_models_that_no_other_beats_in_score_and_cost() -> None:
    _, found = points((0.001, 0.3), (0.01, 0.5), (0.02, 0.4), (0.1, 0.9), (0.09, 0.2))
    assert [one["name"] for one in found if one["frontier"]] == ["M0", "M1", "M3"]


def test_a_chart_of_many_models_shows_the_first_and_names_the_others() -> None:
    cards = [card(f"m{number:02}", est_cost_usd=None) for number in range(41)]
    for count, said in ((40, False), (41, True)):
        ((_, text, _),) = charts(findings(*cards[:count]).candidates)
        assert ("Not measured, or not among the first 40: M40." in text) == said


def test_an_interval_chart_has_a_row_for_each_name_and_the_band_of_what_is_too_small_to_matter() -> (
    None
):
    """Two names are equal, and one was not measured."""
    values = (Measurement(value=0.5, low=0.4, high=0.6), Measurement(value=0.25), Measurement())
    rows = list(zip(("same", "same", "none"), values, ("good", "", ""), strict=True))
    chart = interval_chart(rows, margin=0.02, axis_title="Difference", write=numbers.difference)
    texts = list(ElementTree.fromstring(svg(chart, "differences")).itertext())
    assert [text for text in texts if text in ("same", "none")] == ["same", "same", "none"]
    assert {"+0.500", "+0.250", "—", "too small to matter: ±0.02", "Difference"} <= set(texts)


NAMES = ["A", "<script>alert(1)</script>", "a\x00b", "a\ud800b", "\u202ea"]


@pytest.fixture(name="drawn", scope="module")
def _drawn() -> dict[str, str]:
    """The charts of models with hostile names and with such as no chart can write."""
    configs = [
        config(f"m{number}").model_copy(update={"display_name": name})
        for number, name in enumerate(NAMES)
    ]
    return drawn_charts(*(card(one.id) for one in configs), configs=configs)


def test_names_stay_text_in_a_chart_in_colours_of_the_style_sheet(drawn: dict[str, str]) -> None:
    for text in drawn.values():
        root = ElementTree.fromstring(text)
        assert root.get("aria-label")
        assert "var(--ink)" in text
        assert not [element for element in root.iter() if element.tag.endswith("script")]
        keys = {key for element in root.iter() for key in element.attrib}
        assert not [key for key in keys if key == "id" or key.startswith("on")]


def test_every_mark_has_a_title_and_leads_to_the_cells_or_the_model(drawn: dict[str, str]) -> None:
    marks = {
        title: re.findall(r'<a href="([^"]*)"><path[^>]*><title>([^<]*)</title></path></a>', text)
        for title, text in drawn.items()
    }
    assert list(marks) == ["Score against cost", "Latency"]
    latency = ("cells.html#model=m0&amp;sort=-latency", "A: median 1.0 s, p95 1.0 s")
    assert latency in marks["Latency"]
    pages = {f"model/m{number}.html" for number in range(len(NAMES))}
    assert {href for href, _ in marks["Score against cost"]} == pages


@pytest.mark.parametrize("costs", [(0.0, 0.0), (0.0, 1.0), (1e-7, 40.0)], ids=str)
def test_any_costs_can_be_drawn(costs: tuple[float, float]) -> None:
    cards = (card(model, est_cost_usd=cost) for model, cost in zip("ab", costs, strict=True))
    assert "Score against cost" in drawn_charts(*cards)
