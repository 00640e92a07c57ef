"""A policy on the same answers is the same in the report and in a comparison."""

from typing import Any

from stages.compare.pairing import Means
from stages.compare.policies import side_of_policy
from stages.compare.sides import NotMeasured
from stages.contracts.policy import Policy
from stages.contracts.response import Repair, Usage
from stages.contracts.scorecard import Scorecard
from stages.report.policies import PolicyResult
from tests.builders.cases import cases
from tests.builders.policies import policy
from tests.builders.scorecards import card, findings, invalid, row
from tests.compare.cards import manifest, side

REPAIR = Repair(
    first_status="success",
    first_violation_codes=("CYCLE",),
    first_cost_usd=0.01,
    first_latency_ms=1000.0,
    repair_cost_usd=0.02,
    repair_latency_ms=3000.0,
    changes=None,
    message="Again.",
    sentences_version=1,
    first_usage=Usage(input_tokens=2000, output_tokens=700),
)
REPAIRED: dict[str, Any] = {"est_cost_usd": 0.03, "latency_ms": 3000.0, "repair": REPAIR}
CARDS = [
    card(score=0.8),
    card(score=0.6, sample=2, **REPAIRED),
    invalid("a", "b1", "CYCLE", sample=3, **REPAIRED),
    card("b", score=0.9, est_cost_usd=0.1, latency_ms=9000.0),
]


def in_report(of: Policy, *cards: Scorecard, repair: int = 1) -> PolicyResult:
    return findings(*cards, policies=[of], repair=repair).policies[0]


def in_comparison(of: Policy, *cards: Scorecard, repair: int = 1) -> dict[str, Means]:
    try:
        found = side_of_policy(side(cards, run=manifest(repair=repair)), of, "pair")
    except NotMeasured:
        return {}
    return dict(found.policy or {})


@cases(
    "steps, repair",
    {
        "first answers": ([("a", "tries", 2), ("b", "tries", 1)], False),
        "repaired answers": ([("a", "tries", 2), ("b", "tries", 1)], True),
        "the best of first answers": ([("a", "best_of", 3)], False),
        "the best of repaired answers": ([("a", "best_of", 3)], True),
    },
)
def test_score_cost_and_seconds_are_the_same(steps: Any, repair: bool) -> None:
    of = policy(*steps, repair=repair)
    report, means = in_report(of, *CARDS), in_comparison(of, *CARDS)["b1"]
    estimate = report.briefs["b1"]
    assert (estimate.score, estimate.usd) == (means.score, means.est_cost_usd)
    assert report.seconds is not None
    assert 1000 * report.seconds["b1"].mean() == means.latency_ms


@cases(
    "answer, run_repairs, is_estimated",
    {
        "a broken graph that nothing came back for": (invalid("a", "b1", "CYCLE"), 1, False),
        "a valid graph": (card(), 1, True),
        "a valid graph of a run without repairs": (card(), 0, False),
        "text without JSON": (
            invalid(status="parse_failed", failure_code="no_json"),
            1,
            False,
        ),
        "a body that states an error, which is never sent back": (
            invalid(status="parse_failed", failure_code="server_error"),
            1,
            True,
        ),
        "a truncated answer": (invalid(status="truncated"), 1, True),
    },
)
def test_a_brief_without_a_repair_that_is_needed_has_no_estimate(
    answer: Scorecard, run_repairs: int, is_estimated: bool
) -> None:
    of = policy(("a", "tries", 1), repair=True)
    report = in_report(of, answer, repair=run_repairs)
    assert bool(report.briefs) is is_estimated
    assert bool(in_comparison(of, answer, repair=run_repairs)) is is_estimated


def test_a_policy_without_repairs_has_the_tokens_of_the_first_answers() -> None:
    found = findings(*CARDS, policies=[policy(("a", "best_of", 3))], repair=1)
    ranked = row(found.candidates[found.candidates["is_policy"]])
    assert ranked.output_tokens == 900 + 2 * 700


def test_of_the_first_answer_only_its_own_cost_and_verdict_are_shown() -> None:
    first = CARDS[1].first_answer
    assert (first.status, first.usable, first.violation_codes) == ("success", False, ("CYCLE",))
    assert (first.measured.est_cost_usd, first.waited_ms) == (0.01, 1000.0)
    assert (first.overall_score, first.expected_score, first.repair) == (None, 0.0, None)
    assert CARDS[0].first_answer is CARDS[0]
