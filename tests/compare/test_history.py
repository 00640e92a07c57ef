"""The runs along a branch."""

import pytest

from stages.compare.comparer import distinct, history
from stages.compare.views import history_markdown
from stages.shell import numbers
from stages.statistics.estimates import score_of, side_of
from tests.compare.cards import BASE, BETTER, PARAMS, cards, manifest, side


def test_each_run_is_judged_against_the_one_before() -> None:
    steps = history([side(cards(BASE)), side(cards(BETTER)), side(cards(BASE))], PARAMS)
    assert [step.verdict for step in steps] == [None, "better", "worse"]


def test_runs_by_different_rules_have_no_verdict_and_the_table_says_why() -> None:
    steps = history([side(cards(BASE, rules="old")), side(cards(BETTER, rules="new"))], PARAMS)
    assert [step.verdict for step in steps] == [None, None]
    assert history_markdown(steps).count("scored by other rules (--rescore)") == 1


def test_a_verdict_that_changes_under_todays_rules_is_named() -> None:
    recorded = [side(cards(BASE)), side(cards(BETTER), revision="f" * 40)]
    now = [side(cards(BETTER)), side(cards(BASE), revision="f" * 40)]
    steps = history(now, PARAMS, recorded=recorded)
    assert [step.changed for step in steps] == [False, True]
    assert (
        "- ffffffffff (prompts/v20.txt): better then, worse by today's rules"
        in history_markdown(steps)
    )


def test_a_commit_that_changed_no_score_is_not_a_run() -> None:
    sides = [
        side(cards(BASE)),
        side(cards(BASE)),
        side(cards(BASE), run=manifest(run_id="other")),
        side(cards(BETTER)),
    ]
    assert [id(each) for each in distinct(sides)] == [id(sides[index]) for index in (0, 2, 3)]


def test_a_row_shows_date_prompt_score_valid_share_and_cost() -> None:
    found = side(cards(BASE, est_cost_usd=0.01), date="2026-03-01T10:00:00Z")
    text = history_markdown(history([found], PARAMS))
    for part in ("2026-03-01", "prompts/v20.txt", "0.360 (", "10 briefs", "100% (10/10)", "$0.10"):
        assert part in text


def test_a_run_of_one_model_has_the_interval_of_its_decision_and_more_models_share_one() -> None:
    one, two = cards(BASE), cards(BETTER, model="n")
    decided = score_of(side_of({each.brief_id: [each.expected_score] for each in one}))
    alone, both = (step.score for step in history([side(one), side((*one, *two))], PARAMS))
    assert (alone.value, alone.low, alone.high) == (decided.value, decided.low, decided.high)
    assert both.value == pytest.approx((sum(BASE) + sum(BETTER)) / 20)
    assert (both.n, both.usable.value) == (10, 1.0)
    assert f"{numbers.interval(alone.low, alone.high)}; 10 briefs, 1 model)" in history_markdown(
        history([side(one)], PARAMS)
    )


def test_runs_that_cannot_be_read_are_listed() -> None:
    assert "- v1 has no results" in history_markdown((), skipped=["v1 has no results"])
