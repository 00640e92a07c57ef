"""A draft graph as text: its nodes and edges in lines, for a language model, and its coaching.

The parts of several graphs of one brief are numbered so that equal parts have one number: what only
one of two graphs has is what the script `pairs.js` marks.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from graph_evaluator.analysis.choices import OptionReader, match_one_to_one, word_similarity
from graph_evaluator.records.graph import STRUCTURAL, DraftGraph, Edge, Node
from graph_evaluator.records.json_text import JsonValue, canonical
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.shell.numbers import parameter
from graph_evaluator.shell.text import clip

LISTED_COLUMNS = 80
MOST_LINES = 150
"""Of a list."""
MOST_ADVICE = 20
"""Items of coaching."""
LEAST_ALIKE = 60
"""How alike labels are at least, from 0 to 100, so that they mean the same; a graph has one
decision and one goal, whatever their labels are."""


def coaching_of(graph: DraftGraph) -> list[tuple[str, str]]:
    """The advice with a graph, each part with its heading: the summary, then the items.

    An item that does not follow the format is shown as JSON.
    """
    coaching = graph.coaching
    if coaching is None:
        return []
    summary = [("", coaching.summary)] if coaching.summary else []
    return [*summary, *map(_advice, (coaching.strengthen_items or [])[:MOST_ADVICE])]


def _advice(item: JsonValue) -> tuple[str, str]:
    if isinstance(item, str):
        return "", item
    if isinstance(item, dict):
        label, detail = item.get("label"), item.get("detail")
        if isinstance(label, str) and isinstance(detail, str):
            return label, detail
    return "", canonical(item)


def edge_list(graph: DraftGraph) -> list[str]:
    """A graph as lines of text: a node with its kind, and what an option sets; an edge with its
    parameters.

    Ids are replaced by labels, which are cut to a line; hidden characters are removed.
    """
    labels, lines = labels_of(graph), []
    for node in graph.nodes:
        category = f" ({clip(node.category, 20)})" if node.category else ""
        name = f"{clip(node.kind, 20)}{category}: {clip(node.label or node.id, LISTED_COLUMNS)}"
        lines.append("; ".join([name, *node_settings(node, labels)]))
    lines += ["", *(edge_line(edge, labels) for edge in graph.edges)]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"and {len(lines) - MOST_LINES} more lines"]
    return lines


def labels_of(graph: DraftGraph) -> dict[str, str]:
    """The labels by id, each cut to a line; the first of several nodes with one id names it."""
    return {node.id: clip(node.label or node.id, LISTED_COLUMNS) for node in reversed(graph.nodes)}


def node_settings(node: Node, labels: Mapping[str, str]) -> list[str]:
    """The settings of an option, and the threshold of a goal, in words."""
    settings = [
        f"{clip(labels.get(factor, factor), LISTED_COLUMNS)} = {parameter(value)}"
        for factor, value in node.interventions.items()
    ]
    threshold = node.goal_threshold_raw
    if threshold is None:
        threshold = node.goal_threshold
    if threshold is not None:
        shown = threshold if isinstance(threshold, str) else parameter(threshold)
        settings.append(f"threshold {clip(f'{shown} {node.goal_threshold_unit or str()}', 40)}")
    return settings


def edge_line(edge: Edge, labels: Mapping[str, str]) -> str:
    """An edge in words; `labels` are those of the nodes by id."""
    ends = [clip(labels.get(end, end), LISTED_COLUMNS) for end in (edge.source, edge.target)]
    numbers = {"mean": edge.mean, "std": edge.std, "probability": edge.exists_probability}
    figures = [f"{name} {value:g}" for name, value in numbers.items() if value is not None]
    joined = (" <-> " if edge.bidirected else " -> ").join(ends)
    return f"{joined}: {', '.join(figures)}" if figures else joined


class PartNumbers:
    """Numbers the parts of graphs that are read one after another.

    Options are paired as in the table of a brief's options, by `OptionReader`. Other nodes of one
    kind are paired one to one by the words of their labels, those that are most alike first.
    Effects are the same when they join the same nodes with the same sign.
    """

    def __init__(self) -> None:
        self._labels: defaultdict[str, list[str]] = defaultdict(list)
        self._options = OptionReader()
        self._numbers: dict[object, int] = {}

    def read(
        self, graph: DraftGraph, recommended: Recommendation | None
    ) -> Sequence[tuple[int, str, str, str]]:
        """The nodes of a graph, and its edges but those between decision, options and factors: the
        number of each, its place in the drawing (n0 or e0), its kind, and its text. What it
        recommends says which option of the brief each of its options is.
        """
        labels, kinds = labels_of(graph), {node.id: node.kind for node in graph.nodes}
        judged = recommended.options if recommended else ()
        options = {clip(option.label, LISTED_COLUMNS): option for option in judged}
        names: dict[str, object] = {}
        for kind in sorted({*kinds.values()}):
            of_kind = {key: labels[key] for key in kinds if kinds[key] == kind}
            if kind == "option":
                gains = [
                    options.get(label, OptionGain(label=label, gain=0.0, certainty=0.0))
                    for label in of_kind.values()
                ]
                names |= zip(of_kind, self._options.number(gains), strict=True)
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

    def _pair(self, kind: str, labels: Mapping[str, str]) -> dict[str, str]:
        """A name for each node of a kind, by its id: the label that an earlier graph has for it, or
        its own, which is then known.
        """
        known = self._labels[kind]
        least = 0 if kind in ("decision", "goal") else LEAST_ALIKE
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
