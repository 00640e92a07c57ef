"""A drawing as a tree of elements, for the tests of drawings."""

from xml.etree import ElementTree

from stages.report.drawing.sketch import Looks, Sketch, draw_graph
from stages.shared.records.graph import DraftGraph

SVG = "{http://www.w3.org/2000/svg}"


def sketch(drafted: DraftGraph, looks: Looks | None = None) -> Sketch:
    """A drawing with the name and the title that the tests do not look at."""
    return draw_graph(drafted, "g", "a graph", looks)


class Picture:
    """A drawing, read back."""

    def __init__(self, drafted: DraftGraph, looks: Looks | None = None) -> None:
        self.root = ElementTree.fromstring(sketch(drafted, looks).svg)
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


def corner(box: ElementTree.Element) -> tuple[float, float]:
    """The left and the upper edge of a box."""
    x, y = box.get("transform", "").removeprefix("translate(").removesuffix(")").split(",")
    return float(x), float(y)
