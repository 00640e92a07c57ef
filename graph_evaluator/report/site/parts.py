"""The parts of several graphs of one brief, numbered so that equal parts have one number: what only
one of two graphs has is what the script `pairs.js` marks.

Nodes of one kind are paired one to one by the words of their labels, those that are most alike
first. Effects are the same when they join the same nodes with the same sign.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from graph_evaluator.analysis.choices import (
    MIN_SIMILARITY,
    match_one_to_one,
    word_similarity,
)
from graph_evaluator.records.graph import STRUCTURAL, DraftGraph
from graph_evaluator.report.graph_text import edge_line, labels_of

LEAST_ALIKE: Mapping[str, float] = {"decision": 0, "goal": 0, "option": MIN_SIMILARITY}
"""How alike the labels of a kind are at least, from 0 to 100, so that they mean the same."""
LEAST_ALIKE_OF_OTHERS = 60
Part: TypeAlias = tuple[int, str, str, str]
"""The number of a part, its place in the drawing (n0 or e0), its kind, and its text."""


class PartNumbers:
    """Numbers the parts of graphs that are read one after another."""

    def __init__(self) -> None:
        self._labels: defaultdict[str, list[str]] = defaultdict(list)
        self._numbers: dict[object, int] = {}

    def read(self, graph: DraftGraph) -> Sequence[Part]:
        """The nodes of a graph, and its edges but those between decision, options and factors."""
        labels, kinds = labels_of(graph), {node.id: node.kind for node in graph.nodes}
        names: dict[str, str] = {}
        for kind in sorted({*kinds.values()}):
            of_kind = {key: labels[key] for key in kinds if kinds[key] == kind}
            names |= self._pair(kind, of_kind)
        parts = []
        for place, node in enumerate(graph.nodes):
            number = self._number((node.kind, names[node.id]))
            parts.append((number, f"n{place}", node.kind, labels[node.id]))
        for edge in graph.edges:
            if (kinds.get(edge.source), kinds.get(edge.target)) not in STRUCTURAL:
                ends = tuple(names.get(end, end) for end in (edge.source, edge.target))
                joined = frozenset(ends) if edge.bidirected else ends
                number = self._number((joined, (edge.mean or 0.0) > 0))
                parts.append((number, f"e{edge.index}", "effect", edge_line(edge, labels)))
        return parts

    def _pair(self, kind: str, labels: Mapping[str, str]) -> dict[str, str]:
        """A name for each node of a kind, by its id: the label that an earlier graph has for it, or
        its own, which is then known.
        """
        known = self._labels[kind]
        least = LEAST_ALIKE.get(kind, LEAST_ALIKE_OF_OTHERS)
        pairs = [
            (word_similarity(label, name), key, name)
            for key, label in labels.items()
            for name in known
        ]
        names = match_one_to_one(pairs, least)
        for key, label in labels.items():
            if key not in names:
                names[key] = label
                known.append(label)
        return names

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
