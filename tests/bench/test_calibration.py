"""The tables about policies can be made, and their figures come from what was drawn."""

from bench.calibration.policies import POLICY_POPULATIONS, interval_coverage


def test_the_coverage_of_a_population_is_three_shares() -> None:
    coverage = interval_coverage(POLICY_POPULATIONS[0], (2, 2), brief_sets=1)
    assert coverage.shape == (3,)
    assert ((coverage >= 0) & (coverage <= 1)).all()
