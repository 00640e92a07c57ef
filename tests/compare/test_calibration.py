"""The calibration of docs/comparing.md, in short: fixed seeds, and limits that a method which covers too little fails."""

from pathlib import Path

import numpy as np
import pytest

from bench.calibration.candidates import adjusted, with_equal_rows
from bench.calibration.coverage import candidate_coverage, difference_coverage, draw, score_coverage
from bench.calibration.populations import POPULATIONS, differences
from bench.calibration.verdicts import verdicts
from stages.statistics.interval import mean_interval

BY_NAME = {population.name: population for population in POPULATIONS}
NOISE = 0.017
"""Two standard errors of a share near 3 % in 400 repetitions."""


@pytest.mark.parametrize("briefs", [8, 25])
@pytest.mark.parametrize(
    ("name", "models", "samples"),
    [
        ("skewed", 1, 1),
        ("head fails 6 %", 1, 1),
        ("head fails 10 %", 1, 1),
        ("both fail 12 %", 1, 1),
        ("hard briefs", 1, 3),
        ("lost half", 4, 1),
    ],
)
def test_a_difference_covers_and_its_verdicts_are_wrong_at_most_three_times_in_a_hundred(
    name: str, models: int, samples: int, briefs: int
) -> None:
    found = difference_coverage(BY_NAME[name], models, briefs, samples, 0.0, repetitions=400)
    assert found.holds >= 0.93 - NOISE
    assert found.better <= 0.03 + NOISE
    assert found.worse <= 0.03 + NOISE


@pytest.mark.parametrize("briefs", [8, 25])
@pytest.mark.parametrize("name", ["bounded", "head fails 6 %", "both fail 12 %", "both fail 30 %"])
def test_a_mean_score_covers_93_to_99_percent(name: str, briefs: int) -> None:
    product, _ = score_coverage(BY_NAME[name], briefs, 1, repetitions=400)
    assert 0.925 <= product.holds <= 0.995


def test_the_limits_would_catch_an_interval_that_ignores_failures_it_did_not_see() -> None:
    found = {
        each.method: each
        for each in candidate_coverage(BY_NAME["head fails 6 %"], 16, 1, repetitions=200, effect=0)
    }
    assert found["two parts, Jeffreys"].holds > 0.98
    assert found["t, adjusted"].holds < 0.9
    assert found["t, adjusted"].better > 0.1


@pytest.mark.parametrize("name", ["bounded", "both fail 6 %"])
def test_more_briefs_find_a_gain_more_often(name: str) -> None:
    found = [
        difference_coverage(BY_NAME[name], 1, n, 1, 0.16, repetitions=150).better
        for n in (8, 16, 40)
    ]
    assert sorted(found) == found
    assert found[-1] > 0.75


def test_whole_comparisons_are_as_rarely_wrong_when_nothing_changed() -> None:
    found = verdicts(BY_NAME["head fails 6 %"], 0.0, 12, 2, repetitions=60)
    assert found.overall["worse"] + found.overall["better"] <= 0.1
    assert found.any_worse + found.any_better <= 0.1


def test_a_large_gain_is_found_and_never_called_worse() -> None:
    found = verdicts(BY_NAME["bounded"], 0.08, 16, 2, repetitions=30)
    assert found.overall["better"] >= 0.9
    assert found.overall["worse"] == 0.0


def test_the_candidate_of_the_docs_is_the_method_of_the_product() -> None:
    rows = differences(*draw(BY_NAME["ties"], 1, 12, 1, 0.03, 200, 3))
    low, high = with_equal_rows(adjusted)(rows)
    for row, expected_low, expected_high in zip(rows, low, high, strict=True):
        found = mean_interval([float(value) for value in row], bounds=(-1.0, 1.0))
        assert found is not None
        assert (found.low, found.high) == pytest.approx((expected_low, expected_high), abs=1e-9)


@pytest.mark.parametrize(("name", "briefs"), [("head fails 6 %", 40)])
def test_the_docs_show_what_the_program_measures(name: str, briefs: int) -> None:
    text = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text(encoding="utf-8")
    section = text[
        text.index("Coverage of a difference, with false *better* / *worse*: 1 model, 1 sample") :
    ]
    header = next(line for line in section.splitlines() if line.startswith("| population"))
    row = next(line for line in section.splitlines() if line.startswith(f"| {name} "))
    columns = [column.strip() for column in header.split("|")]
    shown = [column.strip() for column in row.split("|")][columns.index(f"{briefs} briefs")]
    found = difference_coverage(BY_NAME[name], 1, briefs, 1, 0.0, repetitions=1000)
    assert shown == f"{100 * found.holds:.1f} ({100 * found.better:.1f} / {100 * found.worse:.1f})"
    assert np.isfinite(found.length)
