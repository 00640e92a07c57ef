"""Numbers of the brief are found however they are written, and none by arithmetic; an invented target
fails, and one that follows from the brief's warns.
"""

from tests.builders.cases import cases
from tests.score.fidelity.checking import FERRY, brief, check, with_threshold


def outcome(raw, unit, body, expectations, **other):
    return check("target", with_threshold(raw, unit, **other), brief(body, **expectations)).outcome


@cases(
    "written, value, unit, expected",
    {
        "thousands separator": ("2,300 commuters", 2300, None, "pass"),
        "point as decimal separator": ("1.250 litres", 1.25, None, "pass"),
        "m": ("€4.5m", 4_500_000, "€", "pass"),
        "lakh": ("₹85 lakh", 85, "₹ lakh", "pass"),
        "Arabic-Indic digits": ("٤٢٠ طالبة", 420, None, "pass"),
        "full-width digits": ("３０室", 30, "室", "pass"),
        "percent as a share": ("88 % of them", 0.88, None, "pass"),
        "億": ("約1億円", 10_000, "万円", "pass"),
        "Arabic scale word": ("٤٥ ألف ريال", 45_000, "ريال", "pass"),
        "a sum": ("2,300 commuters, 1,200 seats", 3500, None, "warn"),
        "a free power of ten": ("2,300 commuters", 23, None, "warn"),
        "the complement": ("88% punctuality", 12, "%", "warn"),
    },
)
def test_a_number_of_the_brief_is_found_however_it_is_written(written, value, unit, expected):
    body = f"We know this: {written}."
    assert outcome(value, unit, body, {"has_numeric_target": True}) == expected


WITH_TARGET = (
    FERRY
    + " By 2030 we want 96% of departures on time; a battery would cut costs from €900,000 to €650,000."
)


@cases(
    "raw, unit, expected",
    {
        "invented": (77.0, "%", "fail"),
        "a number of the brief that is no target": (88.0, "%", "warn"),
        "none": (0.0, None, "warn"),
    },
)
def test_where_the_brief_names_no_target(raw, unit, expected):
    assert outcome(raw, unit, FERRY, {"has_numeric_target": False}) == expected


@cases(
    "target, raw, unit, expected",
    {
        "the target": (96, 96.0, "%", "pass"),
        "as a share": (96, 0.96, None, "pass"),
        "the complement": (96, 4.0, "% late", "warn"),
        "per month": (650_000, 54_166.67, "€ per month", "warn"),
        "a number that is not in the brief": (96, 91.0, "%", "fail"),
        "with a scale word": (650_000, 650.0, "k€", "pass"),
        "the distance from another amount": (650_000, 250_000.0, "€", "warn"),
        "the relative change, rounded": (650_000, 28.0, "% cheaper", "warn"),
        "near the relative change": (650_000, 27.0, "% cheaper", "fail"),
        "twice a number, where the brief does not write the target": (1_800_000, 2.0, "x", "warn"),
        "one of several right targets": ([650_000, 96], 96.0, "%", "pass"),
    },
)
def test_where_the_front_matter_gives_the_target(target, raw, unit, expected):
    assert (
        outcome(raw, unit, WITH_TARGET, {"has_numeric_target": True, "target": target}) == expected
    )


def test_a_threshold_that_is_not_raw_divided_by_cap_warns():
    expectations = {"has_numeric_target": True, "target": 96}
    shares = {"goal_threshold": 0.96, "goal_threshold_cap": 100.0}
    assert outcome(96.0, "%", WITH_TARGET, expectations, **shares) == "pass"
    assert (
        outcome(96.0, "%", WITH_TARGET, expectations, **{**shares, "goal_threshold": 0.9}) == "warn"
    )
