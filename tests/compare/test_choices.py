"""Whether a candidate recommends the same options as the baseline, next to what reruns change."""

import json

import pytest

from graph_evaluator.compare.__main__ import exit_code, parse_options
from graph_evaluator.compare.pairs import pair_choices
from graph_evaluator.compare.tables import moved_table
from graph_evaluator.compare.views import document
from graph_evaluator.compare.wording import describe
from tests.builders.scorecards import recommending
from tests.compare.cards import card, compared

BUY, BUILD, STAY = "Buy a standard product", "Build our own system", "Status quo: change nothing"


def answers(brief, *best, score=0.8):
    """A sample of a brief for each option that is to be the best of its graph."""
    options = (BUY, BUILD, STAY)
    return [
        card(
            score,
            brief=brief,
            sample=sample,
            recommendation=recommending(first, *(other for other in options if other != first)),
        )
        for sample, first in enumerate(best, 1)
    ]


def side_of(*choices):
    """The answers to briefs b01, b02 and so on, by the best option of each sample."""
    return [one for index, best in enumerate(choices, 1) for one in answers(f"b{index:02}", *best)]


def said(result):
    """The last sentence of a comparison."""
    return describe(result).sentences[-1]


def test_a_pair_has_the_usual_option_of_both_sides():
    choice = pair_choices(answers("b", BUY, BUY, BUILD), answers("b", BUILD, BUY, BUILD))
    assert (choice.same, choice.baseline, choice.candidate) == (False, BUY, BUILD)
    assert choice.excess == pytest.approx(1 / 3 - 4 / 9)
    one = pair_choices(answers("b", BUY), answers("b", BUY))
    assert (one.same, one.excess) == (True, None)
    none = pair_choices(answers("b", BUY), [card(brief="b")])
    assert (none.same, none.baseline, none.candidate) == (None, BUY, "")


def test_the_choice_comes_first_next_to_what_reruns_of_the_baseline_change():
    before = side_of((BUY, BUY), (BUY, BUILD), (BUILD, BUILD))
    result = compared(before, side_of((BUY,), (BUILD,), (STAY,)))
    assert said(result) == (
        "Both recommend the same option on 2 of 3 briefs; two answers of main agree on 67%."
    )
    single = compared(side_of((BUY,)), side_of((BUY,)))
    assert said(single) == (
        "Both recommend the same option on 1 of 1 brief; generate.samples: 2 shows what reruns change."
    )


def test_options_that_do_not_pair_are_counted():
    after = [card(brief="b01", recommendation=recommending("Hire", "Sell", "Rent"))]
    result = compared(side_of((BUY, BUY)), after)
    assert (result.choices.compared, result.choices.not_compared) == (0, 1)
    assert said(result).startswith(
        "Both recommend the same option on 0 of 0 briefs (1 not compared: options do not pair)"
    )


def test_without_recommendations_nothing_is_said_of_them():
    assert "recommend" not in said(compared([card()], [card()]))


def test_another_option_is_first_in_what_moved():
    before = [*answers("b01", BUY, score=0.2), *answers("b02", BUY)]
    after = [*answers("b01", BUY), *answers("b02", STAY)]
    result = compared(before, after)
    rows = [[entry.text for entry in row] for row in moved_table(result, "").rows]
    assert rows == [["b02", f"{BUY} → {STAY}", ""], ["b01", "", "0.200 → 0.800"]]
    moved = json.loads(document(result))["moved"]
    assert [one["recommended"] for one in moved] == [{"baseline": BUY, "candidate": STAY}, None]


@pytest.mark.parametrize(
    ("after", "code"),
    [([(BUILD, BUILD)] * 8, 1), ([(BUY, BUILD)] * 8, 1), ([(BUY, BUY)] * 8, 0)],
    ids=["another option", "an unsure one", "the same option"],
)
def test_a_gate_fails_where_more_choices_changed_than_reruns_explain(after, code):
    result = compared(side_of(*[(BUY, BUY)] * 8), side_of(*after))
    for named in ("choice-changed", f"{result.verdict},choice-changed"):
        conditions = parse_options(["main", "--fail-on", named]).fail_on
        assert exit_code(result, conditions) == code
    assert exit_code(result, parse_options(["main"]).fail_on) == 0
    assert ("reruns explain" in said(result)) == (code == 1)


def test_what_reruns_explain_is_no_change():
    before = side_of(*[(BUY, BUILD)] * 8)
    result = compared(before, side_of(*[(BUILD, BUILD), (BUY, BUY)] * 4))
    assert not result.choices.changed
    assert not compared(side_of(*[(BUY,)] * 8), side_of(*[(BUILD,)] * 8)).choices.changed
