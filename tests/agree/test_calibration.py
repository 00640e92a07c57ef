"""A short run of `bench/calibration/agreement.py`: the interval covers, and forty pairs with three people can tell 75 % from chance."""

from bench.calibration.agreement import Situation, agreement_measured


def test_the_interval_covers_and_is_short_enough_to_separate_three_quarters_from_a_half() -> None:
    found = agreement_measured(Situation(0.75, 16, 3), repetitions=300)
    assert found.covered > 0.92
    assert found.above_half > 0.9


def test_people_who_choose_at_random_are_rarely_reported_to_agree() -> None:
    assert agreement_measured(Situation(0.5, 16, 3), repetitions=300).above_half < 0.06
