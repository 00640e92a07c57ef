"""The findings on one screen, for a person: `results/summary.md`, and what the end of `dvc repro`
prints.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from rich.console import RenderableType
from rich.text import Text

from stages.report.advice import modes_table
from stages.report.columns import (
    CODES,
    HEADLINES,
    LEADERBOARD,
    cost_text,
    counts_text,
    leaderboard,
    table_of,
)
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.reviews import agreement_section
from stages.shared.present import markdown as as_markdown
from stages.shared.present import terminal as in_terminal
from stages.shared.present.markdown import MAX_SENTENCE, show_list
from stages.shared.present.table import Table
from stages.shared.shell import numbers as show
from stages.shared.shell.text import markdown, markdown_code, visible

MAX_FAILURES = 10
MAX_CANDIDATES = 30
MAX_FLAGS = 5
ON_SITE = " on the site"


def summary(findings: Findings) -> str:
    """The whole page: which model to take, the leaderboard, the modes, what failed, the run."""
    board = leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES))
    parts = [
        *_head(findings),
        *_advice(findings),
        *_table("Leaderboard", board, MAX_CANDIDATES),
        RANKING_NOTE,
        *_table("By mode", modes_table(findings.decision, findings.candidates), MAX_CANDIDATES),
        *_failed(findings),
    ]
    if findings.reviews:
        confidence = findings.compare.confidence
        section = agreement_section(findings.reviews, findings.cells, confidence)
        parts += [
            f"## {section.title}",
            *section.texts,
            *map(as_markdown.show_table, section.tables),
        ]
    parts += _run(findings)
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(findings: Findings) -> Iterator[str]:
    yield f"# Results of {markdown_code(findings.run.run_id)}"
    notices = [markdown(notice, MAX_SENTENCE) for notice in findings.notices]
    yield "\n>\n".join(f"> **{notice}**" for notice in notices)


def _advice(findings: Findings) -> Iterator[str]:
    yield "## Which model to take"
    yield "\n".join(
        f"- **{mode}**: {markdown(chosen.reason, MAX_SENTENCE)}"
        for mode, chosen in findings.decision.modes.items()
    )


def _table(heading: str, table: Table, most: int) -> Iterator[str]:
    if table.rows:
        yield f"## {heading}"
        yield as_markdown.show_table(table.first(most, ON_SITE), longest=MAX_SENTENCE)


def _failed(findings: Findings) -> Iterator[str]:
    table = table_of(findings.failures, CODES)
    yield from _table("What failed most, and what to do", table, MAX_FAILURES)
    messages = [note.message for note in findings.notes]
    yield show_list(messages[:MAX_FLAGS], longest=MAX_SENTENCE)
    if messages[MAX_FLAGS:]:
        yield f"And {show.count(len(messages) - MAX_FLAGS)} more to look at{ON_SITE}."


def _run(findings: Findings) -> Iterator[str]:
    run, total = findings.run, findings.total
    prompt = markdown_code(PurePosixPath(run.prompt.path).name)
    models = show.counted(len(findings.models), "model")
    briefs = show.counted(len(findings.briefs), "brief")
    unchecked = ""
    if total.unchecked:
        unchecked = f" (nothing could check {show.count(total.unchecked)} of them)"
    yield "## The run"
    yield (
        f"Prompt {prompt}, {models}, {briefs}, {show.counted(run.samples, 'sample')} of each: "
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} with a usable graph{unchecked}, cost {cost_text(total.cost)}. "
        f"Every graph, brief and failure is in `results/site/index.html`."
    )


def terminal(findings: Findings, site: str, width: int) -> Iterator[RenderableType]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    table = leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES))
    yield from in_terminal.show_table(table.first(MAX_CANDIDATES, ON_SITE), width)
    yield in_terminal.show_text(RANKING_NOTE, "dim")
    yield Text()
    for mode, chosen in findings.decision.modes.items():
        yield Text.assemble((f"{mode}: ", "bold"), visible(chosen.reason))
    if findings.failures:
        failures = table_of(findings.failures, CODES, title="What failed")
        yield Text()
        yield from in_terminal.show_table(failures.first(MAX_FAILURES, ON_SITE), width)
    yield Text()
    total = findings.total
    yield in_terminal.show_text(f"{counts_text(total)}; cost {cost_text(total.cost)}")
    yield in_terminal.show_text(f"site: {site}")
    for notice in findings.notices:
        yield in_terminal.show_text(notice, "yellow")
