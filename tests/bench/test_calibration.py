"""The tables about policies can be made, and their figures come from what was drawn."""

import numpy as np

from bench.calibration.live import POLICIES, draw_run, live_run, regrets, run_live
from bench.calibration.policies import POLICY_POPULATIONS, interval_coverage
from stages.policies.estimation import StoredAnswer
from stages.shell.inputs import load_briefs
from tests.builders.policies import policy

GOOD, FAILED = StoredAnswer(0.8, 0.01, 9.0), StoredAnswer(None, 0.02, 10.0)
BRIEFS = load_briefs(["01-*"])


def test_the_coverage_of_a_population_is_three_shares() -> None:
    coverage = interval_coverage(POLICY_POPULATIONS[0], (2, 2), brief_sets=1)
    assert coverage.shape == (3,)
    assert ((coverage >= 0) & (coverage <= 1)).all()


def test_every_policy_is_estimated_and_run_live() -> None:
    measured = run_live(BRIEFS, repetitions=1)
    assert [of.policy for of in measured] == list(POLICIES)
    assert all(of.held.shape == (1, 3) for of in measured)
    assert min(regrets(measured)) >= 0


def test_each_run_has_fresh_answers() -> None:
    assert draw_run(BRIEFS, 1) == draw_run(BRIEFS, 1)
    assert draw_run(BRIEFS, 1) != draw_run(BRIEFS, 2)


def test_a_live_run_ends_with_the_accepted_answer_and_pays_for_every_call() -> None:
    of = policy(("a", "tries", 2), ("b", "best_of", 2))
    answers = {"a": [FAILED, FAILED, GOOD], "b": [FAILED, GOOD]}
    np.testing.assert_allclose(live_run(of, answers), (0.8, 0.07, 30.0))
