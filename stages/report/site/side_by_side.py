"""Two graphs side by side, with every difference highlighted and listed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stages.contracts.graph import DraftGraph
from stages.report.drawing import Accent, Emphasis, Sketch, draw_graph, highlighted
from stages.report.graph_diff import GraphDiff, GraphDifference, Kind, compare_graphs
from stages.report.site.table import Column, Entry, Table, listing
from stages.shell import numbers
from stages.shell.text import clip

_LOOKS: dict[Kind, str] = {"added": "good", "removed": "bad", "changed": "warn"}


@dataclass(frozen=True, slots=True)
class Drafted:
    """A graph with its sketch, whose it is, and where its page is, empty for nowhere."""

    name: str
    href: str
    graph: DraftGraph
    sketch: Sketch


def drafted(name: str, href: str, graph: DraftGraph) -> Drafted:
    """A graph that is to be shown beside others."""
    return Drafted(name, href, graph, draw_graph(graph, compact=True))


@dataclass(frozen=True, slots=True)
class GraphPair:
    """Two drawings and their differences, for the macro `pair`."""

    name: str
    title: str
    summary: str
    sides: tuple[Drafted, Drafted]
    table: Table


def side_by_side(number: int, title: str, first: Drafted, second: Drafted) -> GraphPair:
    """Two graphs and every difference; `number` distinguishes the pairs of a page."""
    diff = compare_graphs(first.graph, second.graph)
    same = f"{numbers.counted(diff.same_nodes, 'node')} and {numbers.counted(diff.same_edges, 'edge')} are the same"
    counts = ", ".join(f"{diff.count(kind)} {kind}" for kind in _LOOKS)
    left = replace(first, sketch=highlighted(first.sketch, _emphasis(diff, after=False)))
    right = replace(second, sketch=highlighted(second.sketch, _emphasis(diff, after=True)))
    return GraphPair(
        name=f"pair-{number}",
        title=title,
        summary=f"{same}; {counts}",
        sides=(left, right),
        table=_table(number, f"Differences: {title}", diff),
    )


def _emphasis(diff: GraphDiff, *, after: bool) -> Emphasis:
    def accents(found: Sequence[GraphDifference]) -> dict[int, Accent]:
        places = ((item.after if after else item.before, item.kind) for item in found)
        return {place: Accent(kind) for place, kind in places if place is not None}

    return Emphasis(accents(diff.nodes), accents(diff.edges))


def _table(number: int, caption: str, diff: GraphDiff) -> Table:
    found = [("node", item) for item in diff.nodes] + [("edge", item) for item in diff.edges]
    rows = [(part, Entry(item.kind, look=_LOOKS[item.kind]), Entry(clip(item.text, 600))) for part, item in found]
    columns = (Column("Part", choose=True), Column("Difference", choose=True), "What")
    return listing(f"differences-{number}", caption, columns, rows)
