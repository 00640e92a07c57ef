"""Small drafted graphs, and a drawing as a tree of elements, for the tests of drawings."""

from typing import Any
from xml.etree import ElementTree

from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import JsonValue
from stages.report.drawing import Emphasis, Sketch, draw_graph
from stages.report.site.frame import environment

DRAFT: JsonValue = {
    "nodes": [
        {"id": "d", "kind": "decision", "label": "Which?"},
        {"id": "o", "kind": "option", "label": "Stay", "data": {"interventions": {"f": 1.0}}},
        {"id": "f", "kind": "factor", "label": "Price", "category": "controllable"},
        {
            "id": "g",
            "kind": "goal",
            "label": "Profit",
            "goal_threshold_raw": 20,
            "goal_threshold_unit": "%",
        },
    ],
    "edges": [
        {"from": "d", "to": "o"},
        {
            "from": "f",
            "to": "g",
            "strength": {"mean": 0.4, "std": 0.125},
            "exists_probability": 0.9,
        },
        {"from": "f", "to": "nowhere", "edge_type": "bidirected"},
    ],
}
"""A whole graph as a model returns it, with an edge to a node that it lacks."""

SVG = "{http://www.w3.org/2000/svg}"


def node(key: str, kind: str = "factor", **fields: Any) -> dict[str, Any]:
    """A node whose label is its id in capitals, unless fields say otherwise."""
    return {"id": key, "kind": kind, "label": key.upper()} | fields


def edge(source: str, target: str, mean: float = 0.5, **fields: Any) -> dict[str, Any]:
    """A causal edge."""
    given = {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": 0.1},
        "exists_probability": 0.9,
    }
    return given | fields


def graph(nodes: list[Any], edges: list[Any] | None = None) -> DraftGraph:
    """A graph of these nodes and edges."""
    return read({"nodes": nodes, "edges": edges or []})[0]


CHAIN = [
    node("d", "decision"),
    node("o", "option"),
    node("f"),
    node("r", "risk"),
    node("g", "goal"),
]
LINKS = [edge("d", "o", 1.0), edge("o", "f", 1.0), edge("f", "r", -0.25), edge("r", "g", 0.75)]


def svg(sketch: Sketch) -> str:
    """A sketch as the pages show it."""
    macros: Any = environment().get_template("macros.html.j2").module
    return str(macros.graph(sketch, "g", "a graph"))


class Picture:
    """A drawing, read back."""

    def __init__(self, drafted: DraftGraph, emphasis: Emphasis | None = None) -> None:
        self.root = ElementTree.fromstring(svg(draw_graph(drafted, emphasis or Emphasis())))
        self.boxes = {
            self.about(box).split("\n")[0]: box for box in self.root.findall(f"{SVG}g[@id]")
        }
        self.arrows = [
            path for path in self.root.findall(f"{SVG}path") if "e" in path.get("class", "").split()
        ]

    def about(self, element: ElementTree.Element) -> str:
        """What an element shows when it is pointed at."""
        return element.findtext(f"{SVG}title") or ""

    def box(self, label: str) -> ElementTree.Element:
        """The box of a node, by its label."""
        (found,) = [box for about, box in self.boxes.items() if about.endswith(f": {label}")]
        return found

    def left(self, label: str) -> float:
        """The left edge of a node's box."""
        return corner(self.box(label))[0]


def corner(box: ElementTree.Element) -> tuple[float, float]:
    """The left and the upper edge of a box."""
    x, y = box.get("transform", "").removeprefix("translate(").removesuffix(")").split(",")
    return float(x), float(y)
