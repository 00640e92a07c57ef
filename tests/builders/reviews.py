"""Small literal reviews."""

from collections.abc import Mapping

from graph_evaluator.records.review import PairKey, Preference, ReviewKey, ShownGraph, review_id
from graph_evaluator.report.reviews import ReviewFile

Judged = Mapping[str, Preference]


def graph(model, side="") -> ShownGraph:
    """The first sample of a model; its fingerprint is the model's name."""
    return ShownGraph(model_id=model, sample=1, fingerprint=f"of {model}", side=side)


def pair(name, brief="b1", left="low", right="high") -> PairKey:
    """A pair of the answers of two models."""
    return PairKey(pair=name, brief_id=brief, left=graph(left), right=graph(right))


def key(*pairs, sides=()) -> ReviewKey:
    """The key of these pairs."""
    return ReviewKey(review=review_id(pairs), sides=sides, pairs=pairs)


def reviewed(of, reviewer, judged) -> ReviewFile:
    """What a reviewer answered to these pairs of a review."""
    judged_pairs = tuple(pair for pair in of.pairs if pair.pair in judged)
    return ReviewFile(of.model_copy(update={"pairs": judged_pairs}), reviewer, judged)
