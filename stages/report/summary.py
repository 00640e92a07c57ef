"""`results/summary.md`: the findings for a person, on GitHub or as plain text; each of them
once.
"""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from stages.report.advice import advice_section
from stages.report.columns import cost_text
from stages.report.findings import Findings
from stages.report.graph_text import flowchart
from stages.report.sections import sections
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.markdown import MAX_SENTENCE, show_list, show_section
from stages.shared.records.graph import read
from stages.shared.records.response import Cell, Response
from stages.shared.shell import numbers as show
from stages.shared.shell.text import details, fenced, markdown, markdown_code

MAX_FLAGS = 20

Responses = Callable[[Cell], Response | None]


def best_graph(findings: Findings) -> ScoredCell | None:
    """The cell with the highest overall score; of equals the first by model (in order of rank),
    brief and sample.
    """
    by_rank = (cell for model in findings.models for cell in model.cells if cell.usable)
    return max(by_rank, key=lambda cell: cell.overall_score or 0.0, default=None)


def summary(findings: Findings, response_of: Responses) -> str:
    """The whole page; `response_of` reads the response of the best cell, None when there is
    none.
    """
    parts = [*_head(findings)]
    if findings.decision.modes:
        parts += show_section(advice_section(findings.decision, findings.candidates))
    for section in sections(findings):
        parts += show_section(section, site="site/")
    parts += [*_flagged(findings), *_best(findings, response_of)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(findings: Findings) -> Iterator[str]:
    run, total = findings.run, findings.total
    yield f"# Results of {markdown_code(run.run_id)}"
    notices = [markdown(notice, MAX_SENTENCE) for notice in findings.notices]
    yield "\n>\n".join(f"> **{notice}**" for notice in notices)
    prompt = markdown_code(PurePosixPath(run.prompt.path).name)
    models = show.counted(len(findings.models), "model")
    briefs = show.counted(len(findings.briefs), "brief")
    cost = cost_text(total.cost)
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


def _best(findings: Findings, response_of: Responses) -> Iterator[str]:
    best = best_graph(findings)
    response = response_of(best.cell) if best else None
    drawing = flowchart(read(response.answer.graph)[0]) if response else None
    if best is None or drawing is None:
        return
    name = markdown(findings.names[best.model_id])
    cell = f"{name} on {markdown(best.brief_id)}, sample {show.count(best.sample)}"
    signs = "Negative effects are dotted, confounders point both ways."
    yield "## The best graph"
    yield f"{cell}: overall {show.score(best.overall_score)}. {signs}"
    yield fenced(drawing, "mermaid")
