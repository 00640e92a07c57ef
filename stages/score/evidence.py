"""How findings name nodes and edges: exactly in their records, shortly in their sentences.

An answer may be of any size and its ids of any length, so both are bounded; what was left out is counted.
"""

from collections.abc import Iterable, Sequence

import msgspec

from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import EdgeRef, Finding

MAX_NAMED = 100
"""How many nodes or edges a finding names."""
MAX_ID = 200
"""How much of an id a finding keeps, characters."""
_IN_SENTENCE = 5
_SHORT = 60


def clipped(text: str, length: int = MAX_ID) -> str:
    """A text, cut with an ellipsis where it is too long.

    >>> clipped("a" * 9, 5)
    'aaaa…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them: the first five, then how many more.

    >>> listed(["a", "b"])
    '"a", "b"'
    """
    shown = '", "'.join([name if len(name) <= _SHORT else clipped(name, _SHORT) for name in names[:_IN_SENTENCE]])
    return f'"{shown}"' if len(names) <= _IN_SENTENCE else f'"{shown}" and {len(names) - _IN_SENTENCE} more'


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "edge"), counted(2, "edge"), counted(0, "factor without edge", "factors without edge")
    ('1 edge', '2 edges', '0 factors without edge')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


class Witness(msgspec.Struct, frozen=True, gc=False):
    """Makes findings about one graph; `places` maps positions of edges to places in the answer (None: the same)."""

    graph: DraftGraph
    places: tuple[int, ...] | None

    def edge(self, index: int) -> EdgeRef:
        """The reference to an edge by its position in the graph."""
        edge = self.graph.edges[index]
        place = index if self.places is None else self.places[index]
        return EdgeRef(place, clipped(edge.source), clipped(edge.target))

    def arrows(self, edges: Sequence[int]) -> str:
        """Edges as a sentence has them."""
        found = [self.graph.edges[index] for index in edges[:_IN_SENTENCE]]
        shown = ", ".join(f'"{clipped(edge.source, _SHORT)}" → "{clipped(edge.target, _SHORT)}"' for edge in found)
        return shown if len(edges) <= _IN_SENTENCE else f"{shown} and {len(edges) - _IN_SENTENCE} more"

    def finding(self, code: str, message: str, *, nodes: Iterable[str] = (), edges: Sequence[int] = ()) -> Finding:
        """A finding that names its nodes and edges."""
        ids = tuple(clipped(node) for node, _ in zip(nodes, range(MAX_NAMED), strict=False))
        return Finding(
            code=code, message=message, nodes=ids, edges=tuple(self.edge(index) for index in edges[:MAX_NAMED])
        )
