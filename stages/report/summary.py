"""`results/summary.md`: the findings for a person, on GitHub or as plain text; each of them
once.
"""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from stages.report.advice import advice_section
from stages.report.columns import cost_text
from stages.report.findings import Findings
from stages.report.graph_text import flowchart
from stages.report.rows import CellRow, cell_of, cell_rows
from stages.report.sections import sections
from stages.shared.present.markdown import MAX_SENTENCE, show_list, show_section
from stages.shared.records.graph import read
from stages.shared.records.response import Cell, Response
from stages.shared.shell import numbers as show
from stages.shared.shell.text import details, fenced, markdown, markdown_code

MAX_FLAGS = 20

Responses = Callable[[Cell], Response | None]


def best_graph(findings: Findings) -> CellRow | None:
    """The cell with the highest overall score; of equals the first by model (in order of rank),
    brief and sample.
    """
    ranks = {model_id: rank for rank, model_id in enumerate(findings.models["model_id"])}
    cells = findings.cells[findings.cells["usable"]]
    cells = cells.assign(rank=cells["model_id"].map(ranks))
    cells = cells.sort_values(["rank", "brief_id", "sample"])
    best_first = cells.sort_values("overall_score", ascending=False, kind="stable")
    return next(cell_rows(best_first.head(1)), None)


def summary(findings: Findings, response_of: Responses) -> str:
    """The whole page; `response_of` reads the response of the best cell, None when there is
    none.
    """
    parts = [*_head(findings)]
    if findings.decision.modes:
        parts += show_section(advice_section(findings.decision, findings.candidates))
    for section in sections(findings):
        parts += show_section(section, site="site/")
    parts += [*_flagged(findings), *_best(best_graph(findings), response_of)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(findings: Findings) -> Iterator[str]:
    run, total = findings.run, findings.total
    yield f"# Results of {markdown_code(run.run_id)}"
    notices = [markdown(notice, MAX_SENTENCE) for notice in findings.notices]
    yield "\n>\n".join(f"> **{notice}**" for notice in notices)
    prompt = markdown_code(PurePosixPath(run.prompt.path).name)
    models = show.counted(len(findings.models), "model")
    briefs = show.counted(len(findings.briefs), "brief")
    cost = cost_text(total.cost_usd, total.cost_unknown)
    yield (
        f"Prompt {prompt}, {models}, {briefs}, {show.counted(run.samples, 'sample')} of each: "
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} with a usable graph, cost {cost}."
    )


def _flagged(findings: Findings) -> Iterator[str]:
    """What is worth a look and no notice at the top of the page."""
    messages = [flag.message for flag in findings.flags if flag.kind != "shut_down"]
    yield "## Flagged issues"
    yield show_list(messages[:MAX_FLAGS], longest=MAX_SENTENCE) or "None."
    more = messages[MAX_FLAGS:]
    if more:
        yield details(f"{show.count(len(more))} more", show_list(more, longest=MAX_SENTENCE))


def _best(best: CellRow | None, response_of: Responses) -> Iterator[str]:
    if best is None:
        return
    response = response_of(cell_of(best))
    drawing = flowchart(read(response.parsed_graph)[0]) if response else None
    if drawing is None:
        return
    cell = f"{markdown(best.name)} on {markdown(best.brief_id)}, sample {show.count(best.sample)}"
    signs = "Negative effects are dotted, confounders point both ways."
    yield "## The best graph"
    yield f"{cell}: overall {show.score(best.overall_score)}. {signs}"
    yield fenced(drawing, "mermaid")
