"""Which pairs of graphs a review shows, and the page that shows them: it says nothing about whose
they are. Pure.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, zip_longest

import numpy as np

from graph_evaluator.present.page import environment, inline, static
from graph_evaluator.records.errors import input_error
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.records.review import PairKey, ReviewKey, ShownGraph, review_id
from graph_evaluator.report.drawing.sketch import Sketch, draw_graph
from graph_evaluator.report.graph_text import coaching_of

MAX_GRAPHS_OF_BRIEF = 60
"""Graphs of one brief that pairs are drawn from at most, so that their number stays small in large
runs."""
SECONDS_PER_PAIR = 72
"""To read a brief with two graphs and to choose: 48 minutes for forty pairs."""
MISSING_BRIEF = "The brief's file is missing."
_PACKAGE = "graph_evaluator.review"


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A graph that can be shown, and its score, 0 to 1."""

    brief_id: str
    shown: ShownGraph
    score: float


FindGraph = Callable[[str, ShownGraph], DraftGraph]
"""The drafted graph of a brief that is shown in a pair."""
Side = tuple[Sketch, list[tuple[str, str]]]
"""A drawing with its coaching."""


def draw_pairs(
    candidates: Iterable[GraphCandidate], count: int, sides: tuple[str, ...] = ()
) -> ReviewKey:
    """At most `count` pairs in the order in which they are shown: one of every brief in turn, those
    with equal scores last. Equal candidates give equal pairs.

    With two `sides`, models or revisions, a pair has a graph of each, by the same model where they
    are revisions.

    Raises:
        InputError: no brief has two different graphs.
    """
    random = np.random.default_rng(0)
    by_brief: defaultdict[str, list[GraphCandidate]] = defaultdict(list)
    for graph in sorted(candidates, key=_order):
        by_brief[graph.brief_id].append(graph)
    of_briefs = []
    for graphs in by_brief.values():
        random.shuffle(graphs)
        possible = combinations(graphs[:MAX_GRAPHS_OF_BRIEF], 2)
        pairs = [pair for pair in possible if _may_compare(*pair, two_sides=bool(sides))]
        random.shuffle(pairs)
        pairs.sort(key=_is_tie)
        of_briefs.append(pairs)
    random.shuffle(of_briefs)
    in_turn = [pair for turn in zip_longest(*of_briefs) for pair in turn if pair]
    if not in_turn:
        of_each = f", one of {sides[0]} and one of {sides[1]}" if sides else ""
        message = f"no brief has two different valid graphs to compare{of_each}"
        raise input_error("results", "", message)
    named = tuple(
        PairKey(pair=f"p{number:02}", brief_id=left.brief_id, left=left.shown, right=right.shown)
        for number, (left, right) in enumerate(in_turn[:count], start=1)
    )
    return ReviewKey(review=review_id(named), sides=sides, pairs=named)


def _order(graph: GraphCandidate) -> tuple[str, str, str, int]:
    shown = graph.shown
    return graph.brief_id, shown.side, shown.model_id, shown.sample


def _may_compare(first: GraphCandidate, second: GraphCandidate, *, two_sides: bool) -> bool:
    """True for different answers, and of the two sides where there are two."""
    left, right = first.shown, second.shown
    if left.fingerprint is not None and left.fingerprint == right.fingerprint:
        return False
    same_model = left.model_id == right.model_id or left.side == left.model_id
    return not two_sides or (left.side != right.side and same_model)


def _is_tie(pair: tuple[GraphCandidate, GraphCandidate]) -> bool:
    return abs(pair[0].score - pair[1].score) <= 1e-9


def minutes_of(pairs: int) -> int:
    """The minutes that a reviewer needs for a number of pairs.

    >>> minutes_of(40)
    48
    """
    return round(pairs * SECONDS_PER_PAIR / 60)


def review_page(key: ReviewKey, briefs: Mapping[str, str], find_graph: FindGraph) -> bytes:
    """The page that a reviewer opens from disk; `briefs` are the texts by id."""
    pairs = [
        (pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), _sides(pair, find_graph))
        for pair in key.pairs
    ]
    templates = environment(_PACKAGE)
    style = f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}"
    script = static("graph_evaluator.present", "graph.js") + static(_PACKAGE, "review.js")
    template = templates.get_template("review.html.j2")
    html = template.render(
        review=key.review, pairs=pairs, minutes=minutes_of(len(pairs)), **inline(style, script)
    )
    return html.encode("utf-8", errors="replace")


def _sides(pair: PairKey, find_graph: FindGraph) -> list[Side]:
    sides = []
    for number, shown in enumerate((pair.left, pair.right), start=1):
        graph = find_graph(pair.brief_id, shown)
        sketch = draw_graph(graph, f"{pair.pair}-{number}", f"Graph {number}")
        sides.append((sketch, coaching_of(graph)))
    return sides
