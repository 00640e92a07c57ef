"""The page that a reviewer opens: every brief and every pair of drawings, without anything that says whose they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from markupsafe import Markup

from stages.contracts.graph import DraftGraph
from stages.contracts.review import PairKey, ReviewKey, ShownGraph
from stages.report.drawing import Sketch, draw_graph
from stages.report.site.frame import content_policy, environment
from stages.review.damage import damaged

_PACKAGE = "stages.review"
MISSING_BRIEF = "The brief's file is missing."


@dataclass(frozen=True, slots=True)
class ShownPair:
    """What the page shows of a pair: its name, the brief's text and two drawings."""

    name: str
    brief: str
    left: Sketch
    right: Sketch


def review_page(key: ReviewKey, briefs: Mapping[str, str], graph_of: Callable[[str, ShownGraph], DraftGraph]) -> bytes:
    """The page, self-contained, for reading from disk.

    Args:
        key: The pairs in the order in which they are shown.
        briefs: The text of each brief, by id.
        graph_of: The graph of a brief's id and what is shown of it.
    """
    templates = environment(_PACKAGE)
    style, script = (f"{templates.globals['style']}{_static('review.css')}", _static("review.js"))
    html = templates.get_template("review.html.j2").render(
        review=key.review,
        pairs=[_shown(pair, briefs.get(pair.brief_id, MISSING_BRIEF), graph_of) for pair in key.pairs],
        style=Markup(style),  # noqa: S704 - our files
        script=Markup(script),  # noqa: S704
        policy=content_policy(style, script),
    )
    return html.encode("utf-8", errors="replace")


def _shown(pair: PairKey, brief: str, graph_of: Callable[[str, ShownGraph], DraftGraph]) -> ShownPair:
    left, right = (graph_of(pair.brief_id, shown) for shown in (pair.left, pair.right))
    left = damaged(left) if pair.damaged == "left" else left
    right = damaged(right) if pair.damaged == "right" else right
    return ShownPair(pair.pair, brief, draw_graph(left, compact=True), draw_graph(right, compact=True))


def _static(name: str) -> str:
    return (files(_PACKAGE) / "static" / name).read_text(encoding="utf-8")
