"""Which option is which across answers to a brief, and how often two answers recommend the same."""

from itertools import combinations

from graph_evaluator.analysis.choices import (
    Agreement,
    OptionReader,
    count_agreement,
    have_same_usual,
    usual_options,
)
from graph_evaluator.analysis.summary import summarise
from graph_evaluator.records.record import Measurement
from tests.builders.cases import cases
from tests.builders.scorecards import card, invalid, option, recommending, unfaithful

BUY, BUILD, STAY = "Buy a standard product", "Build our own system", "Status quo: change nothing"


def numbered(*recommendations):
    """The numbers of the options of each answer to one brief."""
    cards = [
        card(sample=sample, recommendation=given) for sample, given in enumerate(recommendations, 1)
    ]
    return [choice.options for choice in OptionReader().read(cards)]


@cases(
    "first, second, expected",
    {
        "words": ((BUY, BUILD), ("Build: own system", "Buy: standard product"), (1, 0)),
        "another one": ((BUY, BUILD), (BUY, "Hire two consultants"), (0, 2)),
        "one to one": ((BUY,), ("Buy a product", "Buy a standard product"), (1, 0)),
        "the status quo": ((BUY, "Status quo: wait"), (option("Keep the old tool", status_quo=True), BUY), (1, 0)),
        "the stated option": ((option("Alpha", stated="buy"), BUILD), (BUILD, option("Beta", stated="buy")), (1, 0)),
        "other stated options": ((option(BUY, stated="buy"),), (option(BUY, stated="rent"),), (1,)),
        "another script": (("平日は素泊まりを主力にする", "食事処に改装する"), ("宴会場を食事処に改装する", "素泊まりを平日の主力にする"), (1, 0)),
    },
)  # fmt: skip
def test_options_pair_by_what_is_known_of_them_and_else_by_their_words(first, second, expected):
    assert numbered(recommending(*first), recommending(*second))[1] == expected


def test_only_usable_graphs_that_recommend_something_have_a_choice():
    given = recommending(BUY, BUILD)
    cards = [
        card(sample=1, recommendation=given),
        unfaithful("a", "b1", "target", sample=2, recommendation=given),
        invalid("a", "b1", sample=3),
        card(sample=4),
    ]
    assert [choice.cell.sample for choice in OptionReader().read(cards)] == [1]


@cases(
    "first, second, expected",
    {
        "same": ((BUY, BUILD), (BUY, BUILD), Agreement(1.0, 0)),
        "another": ((BUY, BUILD), (BUILD, BUY), Agreement(0.0, 0)),
        "ties share one": (
            (option(BUY, 0.2), option(BUILD, 0.1999)),
            (BUILD, BUY),
            Agreement(1.0, 0),
        ),
        "two thirds pair": ((BUY, BUILD, STAY), (BUY, STAY, "Hire two people"), Agreement(1.0, 0)),
        "fewer pair": ((BUY, BUILD, STAY), (BUY, "Hire two people", "Sell"), Agreement(None, 1)),
    },
)
def test_two_answers_agree_where_they_recommend_the_same_option(first, second, expected):
    cards = [
        card(sample=1, recommendation=recommending(*first)),
        card(sample=2, recommendation=recommending(*second)),
    ]
    assert count_agreement(combinations(OptionReader().read(cards), 2)) == expected


def test_the_usual_options_are_those_that_most_answers_recommend():
    given = [(BUY, BUILD), (BUILD, BUY), (BUILD, BUY), (STAY, BUY, BUILD)]
    cards = [
        card(sample=sample, recommendation=recommending(*labels))
        for sample, labels in enumerate(given)
    ]
    choices = OptionReader().read(cards)
    assert usual_options(choices) == {1}
    assert usual_options(choices[:2]) == {0, 1}
    assert usual_options([]) == frozenset()
    sides = [(choices[:1], choices[1:]), (choices[:2], choices[2:]), (choices, [])]
    assert [have_same_usual(*side) for side in sides] == [False, True, None]


def test_choices_are_summarised_by_model_and_brief():
    chosen = {
        ("a", "b1"): [(BUY, STAY), (BUY, STAY), (STAY, BUY)],
        ("c", "b1"): [(BUY, STAY), (BUY, STAY)],
        ("a", "b2"): [(BUY, BUILD), (BUILD, BUY)],
        ("a", "b3"): [(BUY, STAY)],
    }
    cards = [
        card(model, brief, sample=sample, recommendation=recommending(*labels))
        for (model, brief), samples in chosen.items()
        for sample, labels in enumerate(samples, 1)
    ]
    summary = summarise(cards)
    # b1: the mean of 1 pair of 3 and of 1 of 1; b2: 0; b3 has no pair
    assert (summary.same_choice.value, summary.same_choice.n) == (1 / 3, 2)
    assert summary.certainty == Measurement(value=0.5, n=8)
    assert summary.status_quo == {"best": 1, "last": 5}
    assert summary.not_compared == 0
