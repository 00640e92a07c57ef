"""How many more briefs or samples would settle it."""

import numpy as np
import pytest

from stages.compare.contrast import Contrast
from stages.compare.outlook import outlook


def contrast(difference: float, *, sampling: float | None = None, samples: float = 1.0, brief: str = "b") -> Contrast:
    return Contrast(brief, base=0.5, head=0.5 + difference, samples=samples, sampling_variance=sampling)


def test_the_number_of_briefs_is_that_of_the_usual_power_formula() -> None:
    found = outlook([contrast(0.10), contrast(-0.10), contrast(0.10), contrast(-0.10)], min_difference=0.05, alpha=0.05)
    assert found is not None
    # sd^2 = 0.04/3; (1.95996 + 0.84162)^2 / 0.05^2 x 0.04/3 = 41.86
    assert (found.target, found.briefs) == (0.05, 42)


def test_so_many_briefs_do_find_the_difference_four_times_in_five() -> None:
    found = outlook([contrast(value) for value in (0.15, -0.05, 0.15, -0.05)], min_difference=0.02, alpha=0.05)
    assert found is not None
    draws = np.random.default_rng(5).normal(
        found.target, np.std([0.15, -0.05, 0.15, -0.05], ddof=1), (4000, found.briefs)
    )
    t = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / np.sqrt(found.briefs))
    assert np.mean(t > 1.96) == pytest.approx(0.8, abs=0.03)


def test_without_a_second_sample_nothing_is_said_of_samples() -> None:
    found = outlook([contrast(0.1), contrast(-0.1)], min_difference=0.05, alpha=0.05)
    assert found is not None
    assert (found.samples, found.sampling_known, found.sample_sd) == (None, False, None)


def test_where_sampling_is_all_the_spread_more_samples_settle_it() -> None:
    noisy = [contrast(value, sampling=0.04 / 3, samples=2.0) for value in (0.10, -0.10, 0.10, -0.10)]
    found = outlook(noisy, min_difference=0.05, alpha=0.05)
    assert found is not None
    assert found.brief_sd == pytest.approx(0.0)
    assert found.samples == 21  # 41.86 briefs' worth of answers on 4 briefs of 2 samples


def test_where_the_briefs_differ_more_samples_alone_cannot() -> None:
    found = outlook(
        [contrast(value, sampling=0.001) for value in (0.10, -0.10, 0.10, -0.10)], min_difference=0.05, alpha=0.05
    )
    assert found is not None
    assert (found.samples, found.sampling_known) == (None, True)


@pytest.mark.parametrize("differences", [[], [0.1], [0.1, 0.1]], ids=["none", "one", "no spread"])
def test_without_spread_there_is_no_outlook(differences: list[float]) -> None:
    assert outlook([contrast(value) for value in differences], min_difference=0.02, alpha=0.05) is None
