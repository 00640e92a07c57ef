"""Equal inputs give equal bytes on every supported version of Python: fingerprints of a small fixed input.

A fingerprint that changes on purpose is replaced by the one that the failed test prints.
"""

import hashlib
from collections.abc import Iterable
from itertools import product
from random import Random

from tests.builders.graphs import edge, graph, node
from tests.report.pictures import sketch

DRAWINGS = "f9a7fb7649f850d9f427f379833623e7a6ef327e9595e26e44b4118b32461d41"


def fingerprint(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def crossing_graph(seed: int) -> str:
    """A drawing with many crossings, so that the order in a column depends on means of places."""
    random = Random(seed)
    options = [node(f"o{number}", "option") for number in range(8)]
    factors = [node(f"f{number}") for number in range(8)]
    goals = [node(f"g{number}", "goal") for number in range(4)]
    pairs = [*product(options, factors), *product(factors, goals)]
    links = [edge(start["id"], end["id"]) for start, end in pairs if random.random() < 0.3]
    return sketch(graph([*options, *factors, *goals], links)).svg


def test_drawings_are_the_same_on_every_version_of_python() -> None:
    assert fingerprint(map(crossing_graph, range(30))) == DRAWINGS
