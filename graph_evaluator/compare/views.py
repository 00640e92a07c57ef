"""A comparison, or the runs along a branch: terminal, Markdown, JSON and page. The page also shows
every brief with a graph of each side.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff
from itertools import islice
from typing import NamedTuple

from pydantic_core import to_jsonable_python
from rich.text import Text

from graph_evaluator.compare.comparison import Comparison, NotCompared, Step
from graph_evaluator.compare.pairs import Pair
from graph_evaluator.compare.revisions import ComparedSide
from graph_evaluator.compare.tables import LOOKS
from graph_evaluator.compare.wording import Part, Report, describe, notes_of
from graph_evaluator.present.page import Frame, page
from graph_evaluator.present.table import MAX_CHARACTERS, as_markdown, join_parts, show_list
from graph_evaluator.present.terminal import show_table, show_text
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.json_text import line, pretty
from graph_evaluator.records.response import Cell
from graph_evaluator.records.run_results import TOOL_VERSION
from graph_evaluator.report.drawing.charts import RowChart
from graph_evaluator.report.drawing.sketch import Sketch, draw_graph
from graph_evaluator.report.graph_text import PartNumbers
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip, details
from graph_evaluator.shell.text import markdown as escaped

MAX_DRAWN = 100
"""Maximum pairs whose graphs a page shows."""


class DrawnPair(NamedTuple):
    """A model on a brief with a graph of the baseline and one of the candidate; `parts` are those
    of both as JSON, for the script that marks the differences.
    """

    pair: Pair
    sketches: Sequence[Sketch]
    parts: str


class PageEvidence(NamedTuple):
    """What a page shows beyond the report: the lines in which the prompts differ, and graphs."""

    prompt_diff: Sequence[str] = ()
    pairs: Sequence[DrawnPair] = ()


NOTHING = PageEvidence()
MARKS = {"good": "🟢", "bad": "🔴", "warn": "⚠️", "equal": "🔵", "": "⚪"}
STYLES = {
    "good": "bold green",
    "bad": "bold red",
    "warn": "bold yellow",
    "equal": "bold blue",
    "": "bold",
}


def markdown(report: Report) -> str:
    """The whole report, as for a pull request."""
    mark = MARKS[LOOKS.get(report.heading, "")]
    heading = f"### {mark} {report.heading.capitalize()}: {_sentence(report.title)}"
    lines = [*report.sentences, *report.notices]
    return join_parts(heading, *map(_sentence, lines), *map(_part, report.parts)) + "\n"


def _part(part: Part) -> str:
    table = part.table and as_markdown(part.table.first(part.most))
    shown = join_parts(table or "", show_list(part.lines))
    return details(part.title, shown) if part.full else join_parts(f"**{part.title}**", shown)


def _sentence(text: str) -> str:
    return escaped(text, longest=MAX_CHARACTERS)


def terminal(report: Report, width: int, *, full: bool = False) -> Iterator[Text]:
    """The verdict and its sentences, then the parts; `full`: every part with every row."""
    style = STYLES[LOOKS.get(report.heading, "")]
    yield show_text(f"{report.heading.upper()}: {report.title}.", width, style)
    for sentence in (*report.sentences, *report.notices):
        yield show_text(sentence, width)
    for part in report.parts:
        if part.full and not full:
            continue
        yield Text()
        yield show_text(f"{part.title}:", width, "bold")
        if part.table:
            table = part.table if full else part.table.first(part.most, " (--full)")
            yield from show_table(replace(table, title=""), width)
        for sentence in part.lines:
            yield show_text(f"- {sentence}", width)


def document(result: Comparison | NotCompared | Sequence[Step]) -> bytes:
    """The JSON text: every number unrounded, sorted keys; equal results give equal bytes."""
    if not isinstance(result, Comparison):
        return pretty(to_jsonable_python(result))
    left_out = to_jsonable_python(result.pairing, exclude={"asked", "pairs"})
    sides = {"baseline": _side(result.baseline), "candidate": _side(result.candidate)}
    compared = to_jsonable_python(result, exclude={*sides, "pairing"})
    said = {"verdict": result.verdict, "reason": result.reason, "notes": list(notes_of(result))}
    return pretty(compared | left_out | sides | said | {"moved": list(map(_moved, result.moved))})


def _moved(pair: Pair) -> object:
    names = ("difference", "content_difference", "gained", "lost")
    recommended = {"baseline": pair.choice.baseline, "candidate": pair.choice.candidate}
    shown = to_jsonable_python(
        pair, exclude={"choice": True, "baseline": {"cells"}, "candidate": {"cells"}}
    )
    return {
        **shown,
        **{name: getattr(pair, name) for name in names},
        "recommended": recommended if pair.choice.changed else None,
    }


def _side(side: ComparedSide) -> object:
    shown = to_jsonable_python(side, exclude={"run", "cells"})
    return shown | {"prompt": side.prompt, "run_id": side.run.run_id}


def diff_prompts(before: str, after: str) -> list[str]:
    """The lines in which a prompt differs from another one, with the lines around them."""
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return list(islice(lines, 2, None))


def draw_pairs(
    result: Comparison, graph_of: Callable[[ComparedSide, Cell], DraftGraph]
) -> list[DrawnPair]:
    """The pairs with the first graph of each side, an empty one where it has none; the pair whose
    form or content fell most comes first. `graph_of` reads the graph of a side's answer.
    """
    pairs = sorted(
        result.pairing.pairs, key=lambda pair: min(pair.difference, pair.content_difference or 0.0)
    )
    drawn = []
    for place, pair in enumerate(pairs[:MAX_DRAWN]):
        reader = PartNumbers()
        sketches: list[Sketch] = []
        parts = []
        for side, end in ((result.baseline, pair.baseline), (result.candidate, pair.candidate)):
            drafted = [cell for cell in end.cells if cell.status == "success"]
            graph, recommended = read(None)[0], None
            if drafted:
                graph, recommended = graph_of(side, drafted[0].cell), drafted[0].recommendation
            title = f"{side.name}: {pair.model_id} on {pair.brief_id}"
            sketches.append(draw_graph(graph, f"p{place}-{len(sketches)}", title))
            parts.append(reader.read(graph, recommended))
        drawn.append(DrawnPair(pair, sketches, line(parts).decode()))
    return drawn


def comparison_page(
    result: Comparison | NotCompared, evidence: PageEvidence = NOTHING, *, site: str = ""
) -> bytes:
    """The page of a comparison, with the graphs and the difference of the prompts.

    `site` is the path from it to the site of the candidate's run; nothing links to one where it is
    empty.
    """
    is_shown = isinstance(result, Comparison) and not result.candidate.revision
    site = site if is_shown else ""
    report = describe(result, site)
    return page(
        Frame(report.run_id, report.prompt, TOOL_VERSION, report.notices),
        "compare.html.j2",
        package="graph_evaluator.compare",
        title="Comparison",
        site=site,
        report=report,
        charts=list(_charts(result)),
        evidence=evidence,
    )


def _charts(result: Comparison | NotCompared) -> Iterator[RowChart]:
    """The differences in form, and in content where it is compared."""
    if isinstance(result, NotCompared):
        return
    for number, overall in result.overall.judgement.tests.items():
        judged = [(row.model_id, row.judgement.tests.get(number)) for row in result.rows]
        rows = [
            (clip(model, 16), test.difference, LOOKS.get(test.change, ""))
            for model, test in judged
            if test
        ]
        margin = overall.min_difference
        note = (
            "Candidate minus baseline, with its interval: above 0 the candidate is better. "
            f"The band (±{margin:g}) is too small to matter."
        )
        yield RowChart(f"Difference in {number}", note, rows, margin, numbers.difference)
