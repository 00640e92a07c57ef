"""The calibration of settlements in docs/comparing.md, in short: fixed seeds, few repetitions."""

from bench.calibration.populations import POPULATIONS
from bench.calibration.settling import settled

BY_NAME = {population.name: population for population in POPULATIONS}
NOISE = 0.055
"""Two standard errors of a share near 3 % in 40 repetitions."""


def test_all_looks_together_are_wrong_at_most_three_times_in_a_hundred() -> None:
    found = settled(BY_NAME["3 % and 10 % fail"], "obrien-fleming", 0.0, 4, 16, repetitions=40)
    assert found.better <= 0.03 + NOISE
    assert found.worse <= 0.03 + NOISE


def test_looks_find_a_gain_about_as_often_as_all_samples_at_once_with_fewer_calls() -> None:
    found = settled(BY_NAME["even"], "obrien-fleming", 0.05, 4, 16, repetitions=40)
    assert found.better >= found.fixed - 0.06
    assert found.saved > 0.3
    assert found.wrong_stops <= 0.05
