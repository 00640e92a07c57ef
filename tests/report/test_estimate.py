from stages.contracts.interval import mean_interval
from stages.report.estimate import Estimate, estimate


def test_an_estimate_carries_its_n_and_the_interval_over_briefs() -> None:
    values = [0.2, 0.5, 0.6, 0.4]
    interval = mean_interval(values, 0.9)
    assert interval is not None
    assert estimate(values, 0.9) == Estimate(0.425, 4, interval.low, interval.high)


def test_nothing_has_no_mean() -> None:
    assert estimate([], 0.95) == Estimate(None, 0, None, None)
