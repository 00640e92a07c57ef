"""A drawing as a tree of elements, for the tests of drawings."""

from typing import Any
from xml.etree import ElementTree

from stages.contracts.graph import DraftGraph
from stages.present.page import environment
from stages.report.drawing.sketch import Emphasis, Sketch, draw_graph

SVG = "{http://www.w3.org/2000/svg}"


def svg(sketch: Sketch) -> str:
    """A sketch as the pages show it."""
    macros: Any = environment("stages.report.site").get_template("macros.html.j2").module
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
