"""Which pairs are drawn."""

from collections import Counter

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.review.__main__ import draw_pairs
from tests.builders.cases import cases
from tests.builders.scorecards import card

BRIEFS = [f"b{number:02}" for number in range(16)]
SCORES = {"a": 0.9, "b": 0.87, "c": 0.8, "d": 0.8}


def candidate(brief, model, score, side="", fingerprint=None):
    fingerprint = fingerprint or f"{side} {model} {brief}"
    return card(model, brief, score, fingerprint=fingerprint), side


RUN = [candidate(brief, model, score) for brief in BRIEFS for model, score in SCORES.items()]


def test_every_brief_has_its_part_each_pair_once_and_equal_scores_are_last():
    pairs = draw_pairs(RUN, 96).pairs
    assert [pair.pair for pair in pairs] == [f"p{number:02}" for number in range(1, 97)]
    for turn in range(0, 96, 16):
        assert {pair.brief_id for pair in pairs[turn : turn + 16]} == {*BRIEFS}
    shown = [
        (pair.brief_id, frozenset((pair.left.model_id, pair.right.model_id))) for pair in pairs
    ]
    assert len(set(shown)) == 96
    assert {models for _, models in shown[80:]} == {frozenset("cd")}
    on_the_left = Counter(pair.left.model_id for pair in pairs)
    assert min(on_the_left.values()) > 12


@cases(
    "sides, same_model",
    {"two revisions": (("main", "workspace"), True), "two models": (("a", "c"), False)},
)
def test_a_pair_has_a_graph_of_each_of_two_sides(sides, same_model):
    run = [
        candidate(brief, model, score, side)
        for brief in BRIEFS
        for model, score in SCORES.items()
        for side in sides
        if same_model or model == side
    ]
    for pair in draw_pairs(run, 20, sides).pairs:
        assert {pair.left.side, pair.right.side} == {*sides}
        assert (pair.left.model_id == pair.right.model_id) == same_model


def test_the_same_answer_is_never_shown_against_itself():
    run = [candidate("b01", "a", 0.9, side, "same") for side in ("main", "workspace")]
    with pytest.raises(InputError, match="no brief has two different valid graphs"):
        draw_pairs(run, 16, ("main", "workspace"))
