"""A comparison, or the runs along a branch: terminal, Markdown, page and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic_core import to_jsonable_python
from rich.text import Text

from graph_evaluator.analysis.paired_test import PairedTest
from graph_evaluator.compare.comparison import Comparison, NotCompared, Step
from graph_evaluator.compare.graphs import PageEvidence
from graph_evaluator.compare.pairs import Pair
from graph_evaluator.compare.sides import ComparedSide
from graph_evaluator.compare.tables import LOOKS
from graph_evaluator.compare.wording import (
    Part,
    Report,
    describe,
    notes_of,
)
from graph_evaluator.present.page import Frame, page
from graph_evaluator.present.table import as_markdown, join_parts, show_list
from graph_evaluator.present.terminal import show_table, show_text
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.response import TOOL_VERSION
from graph_evaluator.report.drawing.charts import RowChart, interval_chart
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip, details
from graph_evaluator.shell.text import markdown as escaped

NOTHING = PageEvidence()
MAX_CHARACTERS = 2_000
"""Of a sentence or a text in a table, in Markdown."""
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
    lines = [*report.sentences, report.simulated or ""]
    return join_parts(heading, *map(_sentence, lines), *map(_part, report.parts)) + "\n"


def _part(part: Part) -> str:
    table = part.table and as_markdown(part.table.first(part.most), longest=MAX_CHARACTERS)
    shown = join_parts(table or "", show_list(part.lines, longest=MAX_CHARACTERS))
    return details(part.title, shown) if part.full else join_parts(f"**{part.title}**", shown)


def _sentence(text: str) -> str:
    return escaped(text, longest=MAX_CHARACTERS)


def terminal(report: Report, width: int, *, full: bool = False) -> Iterator[Text]:
    """The verdict and its sentences, then the parts; `full`: every part with every row."""
    style = STYLES[LOOKS.get(report.heading, "")]
    yield show_text(f"{report.heading.upper()}: {report.title}.", width, style)
    for line in (*report.sentences, report.simulated or ""):
        if line:
            yield show_text(line, width)
    for part in report.parts:
        if part.full and not full:
            continue
        yield Text()
        yield show_text(f"{part.title}:", width, "bold")
        if part.table:
            table = part.table if full else part.table.first(part.most, " (--full)")
            yield from show_table(replace(table, title=""), width)
        for line in part.lines:
            yield show_text(f"- {line}", width)


def document(result: Comparison | NotCompared | Sequence[Step]) -> bytes:
    """The JSON text: every number unrounded, sorted keys; equal results give equal bytes."""
    if not isinstance(result, Comparison):
        return pretty(to_jsonable_python(result))
    left_out = to_jsonable_python(result.pairing, exclude={"pairs"})
    sides = {"baseline": _side(result.baseline), "candidate": _side(result.candidate)}
    compared = to_jsonable_python(result, exclude={*sides, "pairing"})
    said = {"verdict": result.verdict, "reason": result.reason, "notes": list(notes_of(result))}
    return pretty(compared | left_out | sides | said | {"moved": list(map(_moved, result.moved))})


def _moved(pair: Pair) -> object:
    names = ("model_id", "brief_id", "difference", "content_difference", "gained", "lost")
    ends = {"baseline": pair.baseline, "candidate": pair.candidate}
    numbers_of = {side: {"form": end.form, "content": end.content} for side, end in ends.items()}
    recommended = {"baseline": pair.choice.baseline, "candidate": pair.choice.candidate}
    changed = {"recommended": recommended if pair.choice.changed else None}
    return {name: getattr(pair, name) for name in names} | changed | numbers_of


def _side(side: ComparedSide) -> object:
    names = ("name", "revision", "date", "prompt", "model", "rescored")
    return {name: getattr(side, name) for name in names} | {"run_id": side.run.run_id}


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
    notices = (report.simulated,) if report.simulated else ()
    return page(
        Frame(report.run_id, report.prompt, TOOL_VERSION, notices),
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
    judged = {clip(row.model_id, 16): row.judgement for row in result.rows}
    yield _chart("form", {name: of.form for name, of in judged.items()})
    contents = {name: of.content for name, of in judged.items() if of.content}
    if contents:
        yield _chart("content", contents)


def _chart(number: str, tests: Mapping[str, PairedTest]) -> RowChart:
    rows = [(name, test.difference, LOOKS.get(test.change, "")) for name, test in tests.items()]
    margin = next(iter(tests.values())).min_difference
    return interval_chart(
        f"Difference in {number}",
        rows,
        margin=margin,
        note="Candidate minus baseline, with its interval: above 0 the candidate is better. "
        f"The band (±{margin:g}) is too small to matter.",
        write=numbers.difference,
    )
