import math

import numpy as np
import pytest
from scipy.special import ndtri

from stages.contracts.settlement import Boundary
from stages.settle.spending import chances, confidences


@pytest.mark.parametrize(
    ("boundary", "limits"),
    [("obrien-fleming", [4.333, 2.963, 2.359, 2.014]), ("pocock", [2.368, 2.368, 2.358, 2.350])],
    ids=["O'Brien and Fleming", "Pocock"],
)
def test_the_limits_of_four_equal_looks_are_the_published_ones(
    boundary: Boundary, limits: list[float]
) -> None:
    found = [float(ndtri(0.5 + each / 2)) for each in confidences([1, 2, 3, 4], 0.95, boundary)]
    assert found == pytest.approx(limits, abs=0.003)


@pytest.mark.parametrize("boundary", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("information", [[1, 2, 4, 8], [5, 7, 8, 8.5], [90, 95, 98, 100], [3, 8]])
def test_the_looks_together_spend_the_error_rate(
    boundary: Boundary, information: list[float]
) -> None:
    levels = confidences(information, 0.95, boundary)
    limits = [
        float(ndtri(0.5 + level / 2)) / math.sqrt(each)
        for level, each in zip(levels, information, strict=True)
    ]
    assert sum(
        chances(information, 0.0, [[(limit, math.inf)] for limit in limits])
    ) == pytest.approx(0.025, abs=2e-4)


def test_the_chances_are_those_of_simulated_looks() -> None:
    information, difference = [100.0, 150.0, 400.0], 0.08
    stops = [
        [(0.25, math.inf)],
        [(-math.inf, -0.1), (0.15, math.inf)],
        [(-0.01, 0.01), (0.1, math.inf)],
    ]
    generator = np.random.default_rng(1)
    steps = np.diff([0.0, *information])
    paths = (
        np.cumsum(generator.normal(difference * steps, np.sqrt(steps), (100_000, 3)), axis=1)
        / information
    )
    going = np.ones(len(paths), dtype=bool)
    simulated = []
    for values, ranges in zip(paths.T, stops, strict=True):
        stopped = going & np.any([(low < values) & (values < high) for low, high in ranges], axis=0)
        simulated.append(stopped.mean())
        going &= ~stopped
    assert chances(information, difference, stops) == pytest.approx(simulated, abs=0.006)


def test_a_look_that_adds_no_information_spends_nothing() -> None:
    first, second = confidences([4, 4], 0.95, "pocock")
    assert first == pytest.approx(0.95, abs=1e-4)
    assert second == 1.0
