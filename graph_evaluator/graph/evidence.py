"""How findings name nodes and edges: exactly in their records, briefly in their sentences.

An answer may be of any size and its ids of any length, so both are bounded; what is left out is
counted.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from graph_evaluator.records.codes import SENTENCES
from graph_evaluator.records.graph import Edge
from graph_evaluator.records.scorecard import EdgeRef, Finding
from graph_evaluator.shell.numbers import counted, first_of

MAX_NAMED = 100
"""How many nodes or edges a finding names."""
MAX_ID_CHARS = 200
"""How much of an id a finding keeps, characters."""
_MAX_IN_SENTENCE = 5
_MAX_CHARS_IN_SENTENCE = 60


def clipped(text: str, length: int = MAX_ID_CHARS) -> str:
    """A text, cut with an ellipsis where it is too long.

    >>> clipped("a" * 9, 5)
    'aaaa…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence: the first five, then how many more.

    >>> listed(["a", "b"])
    '"a", "b"'
    """
    return first_of([quoted(name) for name in names], _MAX_IN_SENTENCE)


def arrows(edges: Iterable[Edge]) -> str:
    """Edges in a sentence: the first five, then how many more."""
    texts = [f"{quoted(edge.source)} → {quoted(edge.target)}" for edge in edges]
    return first_of(texts, _MAX_IN_SENTENCE)


def quoted(name: str) -> str:
    """A name in a sentence, between quotation marks and not too long."""
    return f'"{clipped(name, _MAX_CHARS_IN_SENTENCE)}"'


def finding(
    code: str, message: str, nodes: Iterable[str] = (), edges: Iterable[Edge] = ()
) -> Finding:
    """A finding that names its nodes (by id) and edges."""
    return Finding(
        code=code,
        message=message,
        nodes=named_nodes(nodes),
        edges=named_edges(edges),
    )


def named_nodes(nodes: Iterable[str]) -> tuple[str, ...]:
    """The ids of nodes as a record names them."""
    return tuple(clipped(node) for node in islice(nodes, MAX_NAMED))


def named_edges(edges: Iterable[Edge]) -> tuple[EdgeRef, ...]:
    """Edges as a record names them."""
    return tuple(edge_ref(edge) for edge in islice(edges, MAX_NAMED))


def edge_ref(edge: Edge) -> EdgeRef:
    """An edge as a record names it."""
    return EdgeRef(index=edge.index, source=clipped(edge.source), target=clipped(edge.target))


def counting(code: str, nodes: Sequence[str]) -> Iterator[Finding]:
    """The finding about these nodes, or none without any; its sentence counts and lists them.

    >>> next(counting("ORPHAN_NODE", ["a"])).message
    '1 node is connected neither from the decision nor to the goal: "a".'
    """
    if nodes:
        yield finding(code, sentence(code, len(nodes), listed(nodes)), nodes)


def sentence(code: str, number: int, names: str) -> str:
    """The sentence of a finding about `number` things with these names."""
    one, several = SENTENCES[code]
    return f"{counted(number, one, several)}: {names}."
