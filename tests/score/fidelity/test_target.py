"""Target: an invented target fails, a derived one warns, and without the number in the front-matter
nothing is exact.
"""

from typing import Any

from tests.builders.cases import cases
from tests.score.fidelity.checking import FERRY, brief, check, graph, with_threshold

WITH_TARGET = (
    FERRY
    + " By 2030 we want 96% of departures on time; a battery would cut costs from €900,000 to €650,000."
)


def outcome(
    raw: float, unit: str | None, body: str, expectations: dict[str, Any], **other: Any
) -> str:
    return check("target", with_threshold(raw, unit, **other), brief(body, **expectations)).outcome


@cases(
    "raw, unit, expected",
    {
        "invented": (77.0, "%", "fail"),
        "a number of the brief that is no target": (88.0, "%", "warn"),
        "with its scale word": (1.2, "million litres", "warn"),
        "none": (0.0, None, "warn"),
    },
)
def test_where_the_brief_names_no_target(raw: float, unit: str | None, expected: str) -> None:
    assert outcome(raw, unit, FERRY, {"has_numeric_target": False}) == expected


@cases(
    "raw, unit, expected",
    {
        "the target": (96.0, "%", "pass"),
        "another number of the brief": (88.0, "%", "pass"),
        "not in the brief": (4.0, "%", "warn"),
    },
)
def test_where_the_brief_names_a_target_and_the_front_matter_does_not(
    raw: float, unit: str, expected: str
) -> None:
    assert outcome(raw, unit, WITH_TARGET, {"has_numeric_target": True}) == expected


@cases(
    "target, raw, unit, expected",
    {
        "the target": (96, 96.0, "%", "pass"),
        "as a share": (96, 0.96, None, "pass"),
        "its complement": (96, 4.0, "% late", "warn"),
        "its distance from another share": (96, 8.0, "points", "warn"),
        "its share of another number": (96, 2208.0, "commuters on time", "warn"),
        "per month": (650_000, 54_166.67, "€ per month", "warn"),
        "a number that is not in the brief": (96, 91.0, "%", "fail"),
        "with a scale word": (650_000, 650.0, "k€", "pass"),
        "with another scale word": (650_000, 0.65, "Mio. €", "pass"),
        "the distance from another amount": (650_000, 250_000.0, "€", "warn"),
        "another amount": (650_000, 700_000.0, "€", "fail"),
        "the relative change, rounded": (650_000, 28.0, "% cheaper", "warn"),
        "near the relative change": (650_000, 27.0, "% cheaper", "fail"),
        "the ratio": (650_000, 0.72, "of today's costs", "warn"),
        "a ratio to a number in another unit": (650_000, 54.0, "%", "fail"),
        "twice a number, where the brief does not write the target": (1_800_000, 2.0, "x", "warn"),
        "minutes instead of hours": (4, 240.0, "minutes", "warn"),
        "one of several right targets": ([650_000, 96], 96.0, "%", "pass"),
    },
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
