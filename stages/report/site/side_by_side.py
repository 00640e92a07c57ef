"""Graphs side by side: the best graph of a brief against those of other models, with every difference."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from stages.contracts.graph import DraftGraph
from stages.report.drawing import Accent, Emphasis, drawn
from stages.report.graph_diff import Difference, GraphDiff, compare
from stages.report.site.table import Column, Entry, Table
from stages.report.visible_text import cut

MAX_LINES = 400


class Drafted(NamedTuple):
    """A graph, whose it is, and where its page is, empty for nowhere."""

    name: str
    href: str
    graph: DraftGraph


class Side(NamedTuple):
    """One of two drawings."""

    title: str
    href: str
    note: str
    svg: Markup


class Pair(NamedTuple):
    """Two drawings and their differences."""

    name: str
    title: str
    summary: str
    sides: tuple[Side, Side]
    table: Table


def pairs(drafts: Sequence[Drafted]) -> tuple[Pair, ...]:
    """The first graph against each of the others."""
    return tuple(
        pair(number, f"{drafts[0].name} and {other.name}", drafts[0], other)
        for number, other in enumerate(drafts[1:], start=1)
    )


def pair(number: int, title: str, first: Drafted, second: Drafted) -> Pair:
    """Two graphs and every difference; `number` tells the pairs of a page apart."""
    diff = compare(first.graph, second.graph)
    sides = (
        _side(first, f"d{number}a", {"removed", "changed"}, diff, after=False),
        _side(second, f"d{number}b", {"added", "changed"}, diff, after=True),
    )
    same = f"{diff.same_nodes} nodes and {diff.same_edges} edges are the same"
    counts = ", ".join(f"{len([d for d in (*diff.nodes, *diff.edges) if d.kind == kind])} {kind}" for kind in _KINDS)
    return Pair(
        name=f"pair-{number}",
        title=title,
        summary=f"{same}; {counts}",
        sides=sides,
        table=_table(number, f"Differences: {title}", diff),
    )


_KINDS = ("added", "removed", "changed")


def _side(draft: Drafted, name: str, kinds: set[str], diff: GraphDiff, *, after: bool) -> Side:
    def accents(found: Sequence[Difference]) -> Mapping[int, Accent]:
        places = ((item.after if after else item.before, item) for item in found if item.kind in kinds)
        return {place: Accent(item.kind) for place, item in places if place is not None}

    picture = drawn(
        draft.graph,
        name=name,
        title=f"Graph of {draft.name}",
        emphasis=Emphasis(accents(diff.nodes), accents(diff.edges), {}),
    )
    return Side(draft.name, draft.href, picture.note, picture.svg)


def _table(number: int, caption: str, diff: GraphDiff) -> Table:
    lines = [("node", item) for item in diff.nodes] + [("edge", item) for item in diff.edges]
    looks = {"added": "good", "removed": "bad", "changed": "warn"}
    rows = tuple(
        (Entry(what), Entry(item.kind, look=looks[item.kind]), Entry(cut(item.text, 600), long=True))
        for what, item in lines[:MAX_LINES]
    )
    if len(lines) > MAX_LINES:
        caption += f", the first {MAX_LINES} of {len(lines):,}"
    columns = (Column("Part", choose=True), Column("Difference", choose=True), Column("What"))
    return Table(f"differences-{number}", caption, columns, rows)
