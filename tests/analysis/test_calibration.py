"""The calibration in short: false verdicts are rare, and more data takes no verdict away."""

import itertools
from pathlib import Path

import pytest

from bench.calibration.decisions import MODELS, decide_models
from bench.calibration.measure import false_verdicts, shares_of
from bench.calibration.populations import ALL_ONES, BY_NAME
from bench.calibration.settling import settle
from bench.calibration.two_numbers import verdict_shares

RESULTS = Path(__file__).parents[2] / "bench" / "calibration" / "RESULTS.md"
NOISE = 0.012
"""Two standard errors of a share near 3 % in 800 repetitions."""


@pytest.mark.parametrize("briefs", [8, 40])
@pytest.mark.parametrize(
    "name",
    ["below 1", "ties at 1.0", "heteroscedastic", "both fail 12 %", "whole briefs, both 10 %"],
)
def test_symmetric_differences_are_rarely_called_better_or_worse(name: str, briefs: int) -> None:
    wrong = false_verdicts(BY_NAME[name], briefs, 800)
    assert max(wrong.better, wrong.worse) <= 0.035 + NOISE


@pytest.mark.parametrize(
    "name", ["no failures", "both fail 3 %", "candidate fails 3%", "both fail 12 %"]
)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param([(1, 16, 1), (1, 16, 2), (1, 16, 4), (1, 16, 8)], id="samples"),
        pytest.param([(1, 8, 2), (1, 16, 2), (1, 25, 2), (1, 40, 2)], id="briefs"),
        pytest.param([(1, 16, 1), (3, 16, 1), (5, 16, 1)], id="models"),
    ],
)
def test_a_gain_is_found_no_less_often_as_data_is_added(
    name: str, settings: list[tuple[int, int, int]]
) -> None:
    found = [shares_of(BY_NAME[name], *setting, 0.10, 800).better for setting in settings]
    assert all(after >= before - NOISE for before, after in itertools.pairwise(found))
    assert found[-1] > found[0] or found[0] > 0.98


def test_a_gain_of_a_tenth_is_found_on_sixteen_briefs() -> None:
    assert shares_of(BY_NAME["no failures"], 1, 16, 1, 0.10, 800).better >= 0.9
    for name in ("both fail 3 %", "candidate fails 3%"):
        assert shares_of(BY_NAME[name], 1, 16, 4, 0.10, 800).better >= 0.8


@pytest.mark.parametrize("name", ["no failures", "both fail 3 %"])
@pytest.mark.parametrize(
    "plans",
    [[(16, 1), (16, 4), (16, 16)], [(8, 2), (16, 2), (40, 2)]],
    ids=["samples", "briefs"],
)
@pytest.mark.parametrize("gains", [(0.1, 0.15), (0.1, 0.0)], ids=["both gain", "one gains"])
def test_a_gain_in_both_numbers_is_found_no_less_often_as_data_is_added(
    name: str, plans: list[tuple[int, int]], gains: tuple[float, float]
) -> None:
    shares = [verdict_shares(BY_NAME[name], gains, *plan, 200) for plan in plans]
    found = [share.get("better", 0.0) for share in shares]
    assert all(after >= before - 2 * NOISE for before, after in itertools.pairwise(found))
    assert found[-1] > found[0]


def test_equal_sides_are_rarely_called_better_worse_or_mixed() -> None:
    wrong = verdict_shares(BY_NAME["no failures"], (0.0, 0.0), 16, 4, 1000)
    named = [wrong.get(verdict, 0.0) for verdict in ("better", "worse", "mixed")]
    assert max(named) <= 0.035 + NOISE


def test_identical_graphs_on_forty_briefs_are_no_meaningful_difference() -> None:
    assert shares_of(ALL_ONES, 1, 40, 1, 0.0, 10).same == 1.0


def test_models_that_differ_are_told_apart() -> None:
    decided = decide_models(MODELS[1], 16, 400)
    assert decided.undecided <= 0.1
    assert decided.false_leads <= 0.03 + NOISE


def test_interim_analyses_are_wrong_as_rarely_as_one_and_save_calls() -> None:
    equal = settle(BY_NAME["both fail 12 %"], 0.0, 16, 400, models=3)
    assert max(equal.better, equal.worse) <= 0.035 + NOISE
    better = settle(BY_NAME["no failures"], 0.05, 16, 400, models=3)
    assert better.better >= better.at_once - 0.1
    assert better.saved > 0.3


@pytest.mark.parametrize("name", ["no failures", "both fail 3 %", "both fail 12 %"])
def test_a_settlement_finds_a_gain_no_less_often_with_more_samples_or_briefs(name: str) -> None:
    plans = [(1,), (1, 2), (1, 2, 4), (1, 2, 4, 8)]
    by_samples = [settle(BY_NAME[name], 0.05, 16, 800, planned=planned).better for planned in plans]
    by_briefs = [settle(BY_NAME[name], 0.05, briefs, 800).better for briefs in (8, 16, 40)]
    for found in (by_samples, by_briefs):
        assert all(after >= before - NOISE for before, after in itertools.pairwise(found))


def test_the_published_figures_are_those_that_the_program_measures() -> None:
    row = next(
        line
        for line in RESULTS.read_text(encoding="utf-8").splitlines()
        if line.startswith("| candidate fails 10%")
    )
    wrong = false_verdicts(BY_NAME["candidate fails 10%"], 8, 4000)
    published = row.split("|")[4].strip().strip("*")
    assert published == f"{100 * wrong.better:.1f} / {100 * wrong.worse:.1f}"
