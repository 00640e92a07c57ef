"""Numbers of the brief are found however they are written, and none by arithmetic; an invented target
fails, and one that follows from the brief's warns.
"""

from typing import Any

from tests.builders.cases import cases
from tests.score.fidelity.checking import (
    FERRY,
    brief,
    check,
    explicit,
    graph,
    with_data,
    with_threshold,
)


@cases(
    "written, value, unit",
    {
        "thousands separator": ("2,300 commuters", 2300, None),
        "point as decimal separator": ("1.250 litres", 1.25, None),
        "m": ("€4.5m", 4_500_000, "€"),
        "lakh": ("₹85 lakh", 85, "₹ lakh"),
        "Arabic-Indic digits": ("٤٢٠ طالبة", 420, None),
        "full-width digits": ("３０室", 30, "室"),
        "percent as a share": ("88 % of them", 0.88, None),
        "億": ("約1億円", 10_000, "万円"),
        "Arabic scale word": ("٤٥ ألف ريال", 45_000, "ريال"),
    },
)
def test_a_number_of_the_brief_is_found(written: str, value: float, unit: str | None) -> None:
    result = check("numbers", explicit(value, unit), brief(f"We know this: {written}."))
    assert result.outcome == "pass"


@cases(
    "value, unit",
    {
        "a sum": (3500, None),
        "a free power of ten": (23, None),
        "the complement": (12, "%"),
    },
)
def test_a_number_that_is_not_in_the_brief_warns(value: float, unit: str | None) -> None:
    result = check(
        "numbers",
        explicit(value, unit),
        brief("We have 2,300 commuters, 1,200 seats and 88% punctuality."),
    )
    assert (result.outcome, result.numbers, result.labels) == ("warn", (value,), ("Litres a year",))


@cases(
    "drafted, expected",
    {
        "no value": (graph(), "not_applicable"),
        "inferred": (with_data({"raw_value": 77, "extractionType": "inferred"}), "not_applicable"),
        "without a raw value": (with_data({"value": 0.88, "extractionType": "explicit"}), "pass"),
    },
)
def test_only_explicit_values_beyond_0_and_1_are_compared(drafted: Any, expected: str) -> None:
    assert check("numbers", drafted).outcome == expected


def test_one_explicit_value_is_said_to_be_one() -> None:
    assert check("numbers", explicit(0.88)).message == "The one explicit value is in the brief."


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
        "none": (0.0, None, "warn"),
    },
)
def test_where_the_brief_names_no_target(raw: float, unit: str | None, expected: str) -> None:
    assert outcome(raw, unit, FERRY, {"has_numeric_target": False}) == expected


@cases(
    "raw, unit, expected",
    {
        "the target": (96.0, "%", "pass"),
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
        "its share of another number": (96, 2208.0, "commuters on time", "warn"),
        "per month": (650_000, 54_166.67, "€ per month", "warn"),
        "a number that is not in the brief": (96, 91.0, "%", "fail"),
        "with a scale word": (650_000, 650.0, "k€", "pass"),
        "the distance from another amount": (650_000, 250_000.0, "€", "warn"),
        "the relative change, rounded": (650_000, 28.0, "% cheaper", "warn"),
        "near the relative change": (650_000, 27.0, "% cheaper", "fail"),
        "a ratio to a number in another unit": (650_000, 54.0, "%", "fail"),
        "twice a number, where the brief does not write the target": (1_800_000, 2.0, "x", "warn"),
        "one of several right targets": ([650_000, 96], 96.0, "%", "pass"),
    },
)
def test_where_the_front_matter_gives_the_target(
    target: Any, raw: float, unit: str | None, expected: str
) -> None:
    assert (
        outcome(raw, unit, WITH_TARGET, {"has_numeric_target": True, "target": target}) == expected
    )


def test_a_threshold_that_is_not_raw_divided_by_cap_warns() -> None:
    expectations = {"has_numeric_target": True, "target": 96}
    shares = {"goal_threshold": 0.96, "goal_threshold_cap": 100.0}
    assert outcome(96.0, "%", WITH_TARGET, expectations, **shares) == "pass"
    assert (
        outcome(96.0, "%", WITH_TARGET, expectations, **{**shares, "goal_threshold": 0.9}) == "warn"
    )


def test_the_evidence_is_the_number_and_its_place_in_the_brief() -> None:
    result = check(
        "target", with_threshold(96.0, "%"), brief(WITH_TARGET, has_numeric_target=True, target=96)
    )
    assert (result.numbers, result.labels) == ((96.0,), ("Commuters satisfied",))
    assert [passage.text for passage in result.passages] == ["96%"]
