"""How findings name nodes and edges: exactly in their records, briefly in their sentences.

An answer may be of any size and its ids of any length, so both are bounded; what is left out is counted.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from stages.contracts.graph import Edge
from stages.contracts.scorecard import EdgeRef, Finding
from stages.shell.numbers import counted, first_of

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
    """Names in a sentence: the first five, then how many more.

    >>> listed(["a", "b"])
    '"a", "b"'
    """
    return first_of([f'"{clipped(name, _SHORT)}"' for name in names], _IN_SENTENCE)


def arrows(edges: Sequence[Edge]) -> str:
    """Edges in a sentence: the first five, then how many more."""
    shown = [
        f'"{clipped(edge.source, _SHORT)}" → "{clipped(edge.target, _SHORT)}"' for edge in edges
    ]
    return first_of(shown, _IN_SENTENCE)


def finding(
    code: str, message: str, *, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()
) -> Finding:
    """A finding that names its nodes (by id) and edges."""
    return Finding(
        code=code,
        message=message,
        nodes=tuple(clipped(node) for node in islice(nodes, MAX_NAMED)),
        edges=tuple(
            EdgeRef(index=edge.index, source=clipped(edge.source), target=clipped(edge.target))
            for edge in islice(edges, MAX_NAMED)
        ),
    )


def node_finding(
    code: str,
    nodes: Sequence[str],
    one: str,
    many: str,
    rest: str,
    shown: Sequence[str] | None = None,
) -> list[Finding]:
    """The finding about these nodes, or none without nodes; its sentence counts them and lists their ids, or what is shown instead.

    >>> node_finding("ORPHAN_NODE", ["a", "b"], "node is", "nodes are", "connected to nothing")[0].message
    '2 nodes are connected to nothing: "a", "b".'
    """
    if not nodes:
        return []
    message = (
        f"{counted(len(nodes), one, many)} {rest}: {listed(nodes if shown is None else shown)}."
    )
    return [finding(code, message, nodes=nodes)]


def edge_finding(code: str, edges: Sequence[Edge], one: str, many: str, rest: str) -> list[Finding]:
    """The finding about these edges, or none without edges; its sentence counts and lists them."""
    return (
        [finding(code, f"{counted(len(edges), one, many)} {rest}: {arrows(edges)}.", edges=edges)]
        if edges
        else []
    )
