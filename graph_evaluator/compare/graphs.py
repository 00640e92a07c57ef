"""What the page of a comparison shows of the answers: every brief with a graph of each side, the
one that fell most first, and in what the prompts differ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import islice

from graph_evaluator.compare.comparison import Comparison
from graph_evaluator.compare.pairs import Pair
from graph_evaluator.compare.sides import ComparedSide
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import line
from graph_evaluator.records.response import Cell
from graph_evaluator.report.drawing.sketch import Sketch, draw_graph
from graph_evaluator.report.site.parts import PartNumbers

MAX_DRAWN = 100
"""Maximum pairs whose graphs a page shows."""


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A model on a brief with a graph of the baseline and one of the candidate; `parts` are those
    of both as JSON, for the script that marks the differences.
    """

    pair: Pair
    sketches: Sequence[Sketch]
    parts: str


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """What a page shows beyond the report: the lines in which the prompts differ, and graphs."""

    prompt_diff: Sequence[str] = ()
    pairs: Sequence[DrawnPair] = ()


def diff_prompts(before: str, after: str) -> list[str]:
    """The lines in which a prompt differs from another one, with the lines around them."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return list(islice(lines, 2, None))


def draw_pairs(
    result: Comparison, graph_of: Callable[[ComparedSide, Cell], DraftGraph]
) -> list[DrawnPair]:
    """The pairs with their drawings, the one whose form or content fell most first; `graph_of`
    reads the graph of a side's answer.
    """
    pairs = sorted(result.pairing.pairs, key=_change)[:MAX_DRAWN]
    return [_draw(f"p{place}", pair, result, graph_of) for place, pair in enumerate(pairs)]


def _change(pair: Pair) -> float:
    return min(pair.difference, pair.content_difference or 0.0)


def _draw(
    name: str, pair: Pair, result: Comparison, graph_of: Callable[[ComparedSide, Cell], DraftGraph]
) -> DrawnPair:
    """The first graph of each side, an empty one where it has none."""
    reader = PartNumbers()
    sketches: list[Sketch] = []
    parts = []
    for side, end in ((result.baseline, pair.baseline), (result.candidate, pair.candidate)):
        drafted = [cell for cell in end.cells if cell.status == "success"]
        graph, recommended = read(None)[0], None
        if drafted:
            graph, recommended = graph_of(side, drafted[0].cell), drafted[0].recommendation
        title = f"{side.name}: {pair.model_id} on {pair.brief_id}"
        sketches.append(draw_graph(graph, f"{name}-{len(sketches)}", title))
        parts.append(reader.read(graph, recommended))
    return DrawnPair(pair, sketches, line(parts).decode())
