"""The parts of several graphs of one brief, numbered so that equal parts have one number: what only
one of two graphs has is what the script `pairs.js` marks.

Options are paired as in the table of a brief's options, by `OptionReader`. Other nodes of one kind
are paired one to one by the words of their labels, those that are most alike first. Effects are the
same when they join the same nodes with the same sign.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from graph_evaluator.analysis.choices import OptionReader, match_one_to_one, word_similarity
from graph_evaluator.records.graph import STRUCTURAL, DraftGraph
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.report.graph_text import LISTED_COLUMNS, edge_line, labels_of
from graph_evaluator.shell.text import clip

LEAST_ALIKE: Mapping[str, float] = {"decision": 0, "goal": 0}
"""How alike the labels of a kind are at least, from 0 to 100, so that they mean the same."""
LEAST_ALIKE_OF_OTHERS = 60
Part: TypeAlias = tuple[int, str, str, str]
"""The number of a part, its place in the drawing (n0 or e0), its kind, and its text."""


class PartNumbers:
    """Numbers the parts of graphs that are read one after another."""

    def __init__(self) -> None:
        self._labels: defaultdict[str, list[str]] = defaultdict(list)
        self._options = OptionReader()
        self._numbers: dict[object, int] = {}

    def read(self, graph: DraftGraph, recommended: Recommendation | None) -> Sequence[Part]:
        """The nodes of a graph, and its edges but those between decision, options and factors. What
        it recommends says which option of the brief each of its options is.
        """
        labels, kinds = labels_of(graph), {node.id: node.kind for node in graph.nodes}
        judged = recommended.options if recommended else ()
        options = {clip(option.label, LISTED_COLUMNS): option for option in judged}
        names: dict[str, object] = {}
        for kind in sorted({*kinds.values()}):
            of_kind = {key: labels[key] for key in kinds if kinds[key] == kind}
            if kind == "option":
                names |= self._pair_options(of_kind, options)
            else:
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

    def _pair_options(
        self, labels: Mapping[str, str], judged: Mapping[str, OptionGain]
    ) -> dict[str, int]:
        """The number of each option, by its id."""
        options = [
            judged.get(label, OptionGain(label=label, gain=0.0, certainty=0.0))
            for label in labels.values()
        ]
        return dict(zip(labels, self._options.number(options), strict=True))

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
