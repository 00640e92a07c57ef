"""Pairing by model and brief, and what moved."""

import pytest

from tests.builders.cases import cases
from tests.compare.cards import card, cards, compared, paired

OF_ANOTHER_BRIEF = card(usable=False, checks={"grounding": "fail", "direction": "warn"})


def test_answers_are_averaged_a_failure_counts_0_and_a_cell_without_an_answer_is_left_out():
    base = [card(0.8), card(codes=("X",), sample=2), card(None, sample=3)]
    pairing = paired(base, [card(0.9)])
    (found,) = pairing.pairs
    assert (found.baseline.form, found.difference) == (0.4, 0.5)
    assert (pairing.baseline_unanswered, pairing.candidate_unanswered) == (1, 0)


def test_what_only_one_side_has_is_named():
    base = [card(brief="old"), card(brief="lost")]
    head = [card(brief="new"), card(model="z", brief="old"), card(None, brief="lost")]
    pairing = paired(base, head)
    assert pairing.only_baseline == [("m", "old")]
    assert pairing.only_candidate == [("m", "new"), ("z", "old")]
    assert (pairing.pairs, pairing.unpaired) == ((), [("m", "lost")])


def contents(*values, **more):
    return [card(content=value, sample=sample, **more) for sample, value in enumerate(values, 1)]


@cases(
    "base, head, difference",
    {
        "means over samples": (contents(0.5, 0.25), contents(1.0, 0.75), 0.5),
        "a graph that is invalid has none right": (
            contents(0.5),
            contents(None, codes=("X",)),
            -0.5,
        ),
        "no answer": (contents(0.5), [*contents(0.9), card(None, sample=2)], 0.4),
        "labels that are not coded": (contents(0.5), contents(None), None),
    },
)
def test_content_counts_an_answer_without_a_usable_graph_as_0_where_effects_are_stated(
    base, head, difference
):
    (found,) = paired(base, head).pairs
    assert found.content_difference == (difference and pytest.approx(difference))


@cases(
    "head, unchanged",
    {
        "the same answer": (card(fingerprint="f", content=0.5), True),
        "added up in another order": (card(0.8 + 1e-15, fingerprint="f", content=0.5), True),
        "another answer": (card(fingerprint="g", content=0.5), False),
        "by other rules": (card(fingerprint="f", content=0.5, rules="other"), False),
        "read by another codebook": (card(fingerprint="f", content=0.75), False),
    },
)
def test_the_same_answers_with_the_same_scores_are_unchanged(head, unchanged):
    (found,) = paired([card(fingerprint="f", content=0.5)], [head]).pairs
    assert found.unchanged is unchanged


@cases(
    "base, head, gained, lost",
    {
        "violations": ([card(codes=("X",))], [card(codes=("Y",))], ["Y"], ["X"]),
        "one that a sample had": (
            [card(), card(codes=("X",), sample=2)],
            [card(codes=("X",)), card(codes=("X",), sample=2)],
            [],
            [],
        ),
        "a failed check, not a warning": ([card()], [OF_ANOTHER_BRIEF], ["grounding"], []),
    },
)
def test_what_was_gained_and_lost_is_named(base, head, gained, lost):
    (found,) = paired(base, head).pairs
    assert (found.gained, found.lost) == (gained, lost)


def test_the_cell_that_moved_farthest_comes_first_and_one_that_did_not_move_is_left_out():
    base = [*cards([0.5] * 4), *cards([0.5], model="n"), card(0.5, brief="b05", content=0.2)]
    head = [*cards([0.75, 0.5, 0.4, 0.2]), *cards([0.25], model="n")]
    found = compared(base, [*head, card(0.5, brief="b05", content=0.4)]).moved
    names = [f"{pair.model_id} {pair.brief_id}" for pair in found]
    assert names == ["m b04", "m b01", "n b01", "m b03", "m b05"]
