"""The calibration in short: false verdicts are rare, more data takes no verdict away, the best model is named."""

import itertools

import pytest

from bench.calibration.decisions import decide_models
from bench.calibration.measure import false_verdicts
from bench.calibration.populations import BY_NAME
from bench.calibration.two_numbers import Study, mean_misses, settle_shares, verdict_shares
from tests import REPOSITORY
from tests.builders.cases import cases

RESULTS = REPOSITORY / "bench" / "calibration" / "RESULTS.md"
NOISE = 0.012
"""Two standard errors of a share near 3 % in 800 repetitions."""


@pytest.mark.parametrize("briefs", [8, 40])
@pytest.mark.parametrize(
    "name",
    ["below 1", "ties at 1.0", "both fail 12 %", "whole briefs, both 10 %"],
)
def test_symmetric_differences_are_rarely_called_better_or_worse(name, briefs):
    wrong = false_verdicts(BY_NAME[name], briefs, 800)
    assert max(wrong.better, wrong.worse) <= 0.035 + NOISE


@pytest.mark.parametrize("kind", ["ceiling", "near"])
@pytest.mark.parametrize("failing", [0.0, 0.08])
def test_equal_sides_are_rarely_called_better_worse_or_mixed(kind, failing):
    wrong = verdict_shares(Study(kind, failing=failing), 1000)
    named = [wrong.get(verdict, 0.0) for verdict in ("better", "worse", "mixed")]
    assert max(named) <= 0.027 + NOISE


@cases(
    "gains, verdict, share",
    {
        "a gain in form": ((0.1, 0.0), "better", 0.8),
        "a loss of form": ((-0.1, 0.0), "worse", 0.8),
        "a gain in both": ((0.1, 0.1), "better", 0.95),
        "a gain in content": ((0.0, 0.1), "better", 0.25),
    },
)
def test_changes_of_a_tenth_are_found_on_sixteen_briefs(gains, verdict, share):
    for kind in ("ceiling", "near"):
        assert verdict_shares(Study(kind, gains), 400)[verdict] >= share


@pytest.mark.parametrize("gains", [(0.1, 0.0), (0.1, -0.03), (-0.03, 0.1)])
@pytest.mark.parametrize("kind", ["ceiling", "near"])
def test_more_data_takes_no_verdict_away(gains, kind):
    plans = [(8, 1), (16, 2), (40, 2), (80, 4)]
    shares = [verdict_shares(Study(kind, gains, 0.0, *plan), 300) for plan in plans]
    better = [share.get("better", 0.0) for share in shares]
    told = [1 - share.get("cannot tell", 0.0) for share in shares]
    for found in (better, told):
        assert all(after >= before - 0.05 for before, after in itertools.pairwise(found))
    assert better[-1] >= 0.9


def test_a_loss_of_content_that_matters_is_no_gain_and_shows_as_mixed():
    few, many = (
        verdict_shares(Study("near", (0.1, -0.1), 0.0, *plan), 400) for plan in ((16, 1), (40, 2))
    )
    assert (few["better"] <= 0.2, many["better"] <= 0.05) == (True, True)
    assert many["mixed"] >= 0.8


def test_interim_analyses_are_rarely_wrong_and_save_calls():
    equal, _ = settle_shares(Study("near", samples=8), 600)
    assert max(equal.get("better", 0.0), equal.get("worse", 0.0)) <= 0.027 + NOISE
    gain, used = settle_shares(Study("near", (0.1, 0.0), samples=8), 300)
    assert gain["better"] >= 0.95
    assert used < 3


def test_the_best_of_three_models_is_named_and_rarely_dropped():
    decided = decide_models(Study("near", (0.0, 0.15)), 3, 200)
    assert decided.named >= 0.9
    assert decided.dropped <= 0.02
    many = decide_models(Study("near", (0.0, 0.15), 0.0, 40, 2), 3, 200)
    assert (many.named, many.leads) >= (0.98, 0.9)


@pytest.mark.parametrize("failing", [0.0, 0.03, 0.08, 0.15])
def test_a_single_mean_is_missed_rarely_where_failures_are_rare(failing):
    for kind in ("ceiling", "near"):
        below, above, _ = mean_misses(Study(kind, failing=failing), 0, 600)
        assert max(below, above) <= 0.07


def test_the_published_figures_are_those_that_the_program_measures():
    row = next(
        line
        for line in RESULTS.read_text(encoding="utf-8").splitlines()
        if line.startswith("| candidate fails 10%")
    )
    wrong = false_verdicts(BY_NAME["candidate fails 10%"], 8, 4000)
    published = row.split("|")[4].strip().strip("*")
    assert published == f"{100 * wrong.better:.1f} / {100 * wrong.worse:.1f}"
