"""Pairing by model and brief."""

import pytest

from stages.shared.records.scorecard import Scorecard
from tests.commands.compare.cards import card, paired


def test_a_cell_without_an_answer_is_left_out_of_the_mean_and_counted() -> None:
    pairing = paired([card(0.8, sample=1), card(None, sample=2)], [card(0.8)])
    assert pairing.pairs[0].baseline.scores == [0.8]
    assert (pairing.baseline_unanswered, pairing.candidate_unanswered) == (1, 0)


def test_a_brief_without_any_answer_on_one_side_is_no_pair() -> None:
    pairing = paired([card(0.8)], [card(None)])
    assert (pairing.pairs, pairing.unpaired) == ((), (("m", "b01"),))


def test_cells_of_one_side_only_are_named() -> None:
    pairing = paired([card(brief="old")], [card(brief="new"), card(model="z", brief="old")])
    assert pairing.only_baseline == (("m", "old"),)
    assert pairing.only_candidate == (("m", "new"), ("z", "old"))


def test_an_answer_without_a_usable_graph_has_no_score_and_counts_zero_in_the_mean() -> None:
    (found,) = paired([card(0.8), card(codes=("X",), sample=2)], [card(0.9)]).pairs
    assert (found.baseline.scores, found.baseline.expected) == ([0.8, 0.0], 0.4)
    assert found.difference == 0.5


def test_the_share_of_lost_cells_is_counted_for_each_model_over_both_sides() -> None:
    base = [card(model="a"), card(None, model="b")]
    head = [card(model="a"), card(None, model="b"), card(model="b", sample=2)]
    assert paired(base, head).lost == {"a": 0.0, "b": 2 / 3}


def test_the_order_of_the_scorecards_makes_no_difference() -> None:
    several = [
        card(0.1, brief="a"),
        card(0.2, brief="b"),
        card(0.3, brief="b", sample=2),
        card(0.4, model="k"),
    ]
    assert paired(several, several) == paired(several[::-1], several[::-1])


@pytest.mark.parametrize(
    ("head", "unchanged"),
    [
        pytest.param(card(fingerprint="f"), True, id="the same answer"),
        pytest.param(card(fingerprint="g"), False, id="another answer"),
        pytest.param(card(fingerprint="f", rules="other"), False, id="by other rules"),
        pytest.param(card(), False, id="an unknown answer"),
        pytest.param(card(0.80004, fingerprint="f"), True, id="its score to four decimals"),
        pytest.param(card(0.801, fingerprint="f"), False, id="scored differently"),
    ],
)
def test_the_same_answers_with_the_same_scores_are_unchanged(
    head: Scorecard, unchanged: bool
) -> None:
    (found,) = paired([card(fingerprint="f")], [head]).pairs
    assert found.unchanged is unchanged
