"""The calibration of docs/comparing.md, in short: fixed seeds, and limits that a method which covers too little fails."""

from pathlib import Path

import numpy as np
import pytest

from bench.calibration.candidates import adjusted, percentile, with_equal_rows
from bench.calibration.coverage import EFFECT, product_coverage
from bench.calibration.populations import HARD, POPULATIONS, differences, truth
from bench.calibration.verdicts import verdicts
from stages.contracts.interval import mean_interval

BY_NAME = {population.name: population for population in POPULATIONS}


@pytest.mark.parametrize("briefs", [8, 16, 50])
@pytest.mark.parametrize(("name", "samples"), [("bounded", 1), ("skewed", 3), ("missing", 3), ("failures", 5)])
def test_the_95_percent_interval_covers_93_to_97_percent(name: str, samples: int, briefs: int) -> None:
    target = truth(BY_NAME[name], EFFECT)
    found = product_coverage(BY_NAME[name], briefs, samples, repetitions=2000, target=target)
    assert 0.93 <= found.share <= 0.97


def test_the_limits_would_catch_a_plain_bootstrap() -> None:
    population = BY_NAME["bounded"]
    rows = differences(*population.draw(np.random.default_rng(8), (600, 8, 1), EFFECT))
    low, high = with_equal_rows(percentile)(rows)
    target = truth(population, EFFECT)
    assert np.mean((low <= target) & (target <= high)) < 0.93


@pytest.mark.parametrize("name", ["bounded", "failures", "missing"])
def test_worse_is_said_at_most_one_time_in_twenty_when_nothing_changed(name: str) -> None:
    found = verdicts(BY_NAME[name], 0.0, 10, 2, repetitions=300)
    assert found.overall["worse"] <= 0.05
    assert found.any_worse <= 0.05


def test_a_large_gain_is_found_and_never_called_worse() -> None:
    found = verdicts(BY_NAME["bounded"], 0.08, 16, 2, repetitions=60)
    assert found.overall["better"] >= 0.9
    assert found.overall["worse"] == 0.0


def test_the_candidate_of_the_docs_is_the_method_of_the_product() -> None:
    rows = differences(*BY_NAME["ties"].draw(np.random.default_rng(3), (200, 12, 1), EFFECT))
    low, high = with_equal_rows(adjusted)(rows)
    for row, expected_low, expected_high in zip(rows, low, high, strict=True):
        found = mean_interval([float(value) for value in row], bounds=(-1.0, 1.0))
        assert found is not None
        assert (found.low, found.high) == pytest.approx((expected_low, expected_high), abs=1e-9)


def test_what_is_missed_of_rare_failures_is_in_samples_that_hold_none() -> None:
    (population,) = HARD
    rows = differences(*population.draw(np.random.default_rng(8), (4000, 8, 1), EFFECT))
    low, high = with_equal_rows(adjusted)(rows)
    target = truth(population, EFFECT)
    missed = np.logical_or(low > target, target > high)
    without = np.max(np.abs(rows), axis=1) < 0.4
    assert np.mean(without) == pytest.approx(0.4, abs=0.02)
    assert np.sum(without & missed) > 0.95 * np.sum(missed)


@pytest.mark.parametrize(("name", "samples", "briefs"), [("bounded", 1, 8), ("ties", 3, 12)])
def test_the_docs_show_what_the_program_measures(name: str, samples: int, briefs: int) -> None:
    text = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text(encoding="utf-8")
    header = next(line for line in text.splitlines() if line.startswith("| population | samples |"))
    row = next(line for line in text.splitlines() if line.startswith(f"| {name} | {samples} |"))
    shown = row.split(" | ")[header.split(" | ").index(f"{briefs} briefs")]
    target = truth(BY_NAME[name], EFFECT)
    found = product_coverage(BY_NAME[name], briefs, samples, repetitions=10_000, target=target)
    assert shown == f"{100 * found.share:.1f} %"
