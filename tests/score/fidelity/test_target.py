"""Target: an invented target fails, a derived one warns, and without the number in the front-matter nothing is exact."""

from typing import Any

import pytest

from tests.score.fidelity.checking import FERRY, brief, check, graph, with_threshold

WITH_TARGET = (
    FERRY
    + " By 2030 we want 96% of departures on time; a battery would cut costs from €900,000 to €650,000."
)


def outcome(
    raw: float | str, unit: str | None, body: str, expectations: dict[str, Any], **other: Any
) -> str:
    return check("target", with_threshold(raw, unit, **other), brief(body, **expectations)).outcome


@pytest.mark.parametrize(
    ("raw", "unit", "expected"),
    [
        pytest.param(77.0, "%", "fail", id="invented"),
        pytest.param(88.0, "%", "warn", id="a number of the brief that is no target"),
        pytest.param(1.2, "million litres", "warn", id="with its scale word"),
        pytest.param(100.0, "%", "warn", id="all"),
        pytest.param(0.0, None, "warn", id="none"),
        pytest.param("77 %", None, "fail", id="invented, as text"),
    ],
)
def test_where_the_brief_names_no_target(raw: float | str, unit: str | None, expected: str) -> None:
    assert outcome(raw, unit, FERRY, {"has_numeric_target": False}) == expected


@pytest.mark.parametrize(
    ("raw", "unit", "expected"),
    [
        pytest.param(96.0, "%", "pass", id="the target"),
        pytest.param(88.0, "%", "pass", id="another number of the brief"),
        pytest.param(4.0, "%", "warn", id="not in the brief"),
    ],
)
def test_where_the_brief_names_a_target_and_the_front_matter_does_not(
    raw: float, unit: str, expected: str
) -> None:
    assert outcome(raw, unit, WITH_TARGET, {"has_numeric_target": True}) == expected


@pytest.mark.parametrize(
    ("target", "raw", "unit", "expected"),
    [
        pytest.param(96, 96.0, "%", "pass", id="the target"),
        pytest.param(96, 0.96, None, "pass", id="as a share"),
        pytest.param(96, 4.0, "% late", "warn", id="its complement"),
        pytest.param(96, 8.0, "points", "warn", id="its distance from another share"),
        pytest.param(96, 2208.0, "commuters on time", "warn", id="its share of another number"),
        pytest.param(96, 95.0, "%", "warn", id="near the target"),
        pytest.param(650_000, 54_166.67, "€ per month", "warn", id="per month"),
        pytest.param(96, 88.0, "%", "fail", id="another number of the brief"),
        pytest.param(96, 91.0, "%", "fail", id="a number that is not in the brief"),
        pytest.param(650_000, 650.0, "k€", "pass", id="with a scale word"),
        pytest.param(650_000, 0.65, "Mio. €", "pass", id="with another scale word"),
        pytest.param(650_000, 65.0, "€", "warn", id="another power of ten"),
        pytest.param(650_000, 250_000.0, "€", "warn", id="the distance from another amount"),
        pytest.param(650_000, 700_000.0, "€", "fail", id="another amount"),
        pytest.param(650_000, 28.0, "% cheaper", "warn", id="the relative change, rounded"),
        pytest.param(650_000, 27.8, "% cheaper", "warn", id="the relative change to three digits"),
        pytest.param(650_000, 27.0, "% cheaper", "fail", id="near the relative change"),
        pytest.param(650_000, 0.72, "of today's costs", "warn", id="the ratio"),
        pytest.param(650_000, 54.0, "%", "fail", id="a ratio to a number in another unit"),
        pytest.param(
            1_800_000,
            2.0,
            "x",
            "warn",
            id="twice a number, where the brief does not write the target",
        ),
        pytest.param(4, 240.0, "minutes", "warn", id="minutes instead of hours"),
        pytest.param([650_000, 96], 96.0, "%", "pass", id="one of several right targets"),
    ],
)
def test_where_the_front_matter_gives_the_target(
    target: Any, raw: float, unit: str | None, expected: str
) -> None:
    assert (
        outcome(raw, unit, WITH_TARGET, {"has_numeric_target": True, "target": target}) == expected
    )


def test_a_number_with_the_reading_zero_is_no_base_of_a_ratio() -> None:
    body = FERRY + " The ticket machine runs version 0.5.1, and 5 more are on order."
    assert outcome(7.0, None, body, {"has_numeric_target": True, "target": 5}) == "fail"


def test_a_threshold_that_is_not_raw_divided_by_cap_warns() -> None:
    expectations = {"has_numeric_target": True, "target": 96}
    shares = {"goal_threshold": 0.96, "goal_threshold_cap": 100.0}
    assert outcome(96.0, "%", WITH_TARGET, expectations, **shares) == "pass"
    assert (
        outcome(96.0, "%", WITH_TARGET, expectations, **{**shares, "goal_threshold": 0.9}) == "warn"
    )


def test_a_goal_without_a_raw_threshold_is_not_applicable() -> None:
    assert (
        check("target", graph(), brief(WITH_TARGET, has_numeric_target=True, target=96)).outcome
        == "not_applicable"
    )


def test_the_evidence_is_the_number_and_its_place_in_the_brief() -> None:
    result = check(
        "target", with_threshold(96.0, "%"), brief(WITH_TARGET, has_numeric_target=True, target=96)
    )
    assert (result.numbers, result.labels) == ((96.0,), ("Commuters satisfied",))
    assert [passage.text for passage in result.passages] == ["96%"]
