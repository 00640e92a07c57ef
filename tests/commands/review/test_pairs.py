"""Which pairs are drawn."""

from collections import Counter

import pytest

from stages.commands.review.pairs import GraphCandidate, draw_pairs, size_of
from stages.shared.records.commands import PairKey, ReviewKey, ShownGraph
from stages.shared.records.errors import InputError
from tests.builders.cases import cases

BRIEFS = [f"b{number:02}" for number in range(16)]
SCORES = {"a": 0.9, "b": 0.87, "c": 0.8, "d": 0.6, "e": 0.58}


def candidate(
    brief: str, model: str, score: float, side: str = "", fingerprint: str | None = None
) -> GraphCandidate:
    shown = ShownGraph(
        model_id=model, sample=1, fingerprint=fingerprint or f"{side} {model} {brief}", side=side
    )
    return GraphCandidate(brief, shown, score)


RUN = [candidate(brief, model, score) for brief in BRIEFS for model, score in SCORES.items()]


def of_kind(key: ReviewKey, kind: str) -> list[PairKey]:
    return [pair for pair in key.pairs if pair.kind == kind]


def sizes(key: ReviewKey) -> Counter[str]:
    return Counter(
        size_of(SCORES[pair.left.model_id] - SCORES[pair.right.model_id])
        for pair in of_kind(key, "pair")
    )


ALIKE = [candidate(brief, model, 0.8) for brief in BRIEFS for model in SCORES]
OF_ONE_BRIEF = [graph for graph in RUN if graph.brief_id == "b01"]


@cases(
    "run, counts",
    {
        "forty pairs": (RUN, [32, 4, 4]),
        "scores that are all alike": (ALIKE, [32, 4, 4]),
        "few graphs": (OF_ONE_BRIEF, [10, 1, 4]),
    },
)
def test_a_review_has_pairs_controls_and_repeats(
    run: list[GraphCandidate], counts: list[int]
) -> None:
    key = draw_pairs(run, 40, seed=1)
    assert [len(of_kind(key, kind)) for kind in ("pair", "control", "repeat")] == counts
    names = [f"p{number:02}" for number in range(1, sum(counts) + 1)]
    assert [pair.pair for pair in key.pairs] == names


def test_sizes_and_briefs_have_equal_parts_and_controls_are_of_different_briefs() -> None:
    key = draw_pairs(RUN, 40, seed=1)
    assert sorted(sizes(key).values()) == [10, 11, 11]
    assert set(Counter(pair.brief_id for pair in of_kind(key, "pair")).values()) == {2}
    controls = of_kind(key, "control")
    assert len({pair.brief_id for pair in controls}) == 4
    assert all(pair.left == pair.right for pair in controls)


def test_pairs_with_equal_scores_are_drawn_last() -> None:
    scores = {"a": 0.9, "b": 0.9, "c": 0.88}
    run = [candidate(brief, model, score) for brief in BRIEFS for model, score in scores.items()]
    key = draw_pairs(run, 40, seed=1)
    assert all("c" in (pair.left.model_id, pair.right.model_id) for pair in of_kind(key, "pair"))


@pytest.mark.parametrize("seed", range(10))
def test_a_repeat_shows_an_earlier_pair_with_its_sides_exchanged(seed: int) -> None:
    key = draw_pairs(RUN, 40, seed)
    places = {pair.pair: place for place, pair in enumerate(key.pairs)}
    shown = {pair.pair: pair for pair in key.pairs}
    for repeat in of_kind(key, "repeat"):
        assert repeat.repeats is not None
        first = shown[repeat.repeats]
        assert (first.kind, first.left, first.right) == ("pair", repeat.right, repeat.left)
        assert places[repeat.pair] > places[first.pair]


@cases(
    "sides, same_model",
    {"two revisions": (("main", "workspace"), True), "two models": (("a", "c"), False)},
)
def test_a_pair_has_a_graph_of_each_of_two_sides(sides: tuple[str, str], same_model: bool) -> None:
    run = [
        candidate(brief, model, score, side)
        for brief in BRIEFS
        for model, score in SCORES.items()
        for side in sides
        if same_model or model == side
    ]
    for pair in of_kind(draw_pairs(run, 20, seed=1, sides=sides), "pair"):
        assert {pair.left.side, pair.right.side} == {*sides}
        assert (pair.left.model_id == pair.right.model_id) == same_model


def test_the_same_answer_is_never_shown_against_itself() -> None:
    run = [candidate("b01", "a", 0.9, side, "same") for side in ("main", "workspace")]
    with pytest.raises(InputError, match="no brief has two different valid graphs"):
        draw_pairs(run, 16, seed=1, sides=("main", "workspace"))
