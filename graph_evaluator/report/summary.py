"""The findings on one screen, for a person: `results/summary.md`, and what the end of `dvc repro`
prints.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from rich.text import Text

from graph_evaluator.present import terminal as in_terminal
from graph_evaluator.present.table import MAX_SENTENCE, Table, as_markdown, show_list
from graph_evaluator.report.advice import modes_table
from graph_evaluator.report.choices import CHOICES_NOTE, MODELS_IN_TEXT, choices_table
from graph_evaluator.report.columns import (
    FAILURES,
    HEADLINES,
    LEADERBOARD,
    leaderboard,
    reruns_text,
    table_of,
    totals_text,
)
from graph_evaluator.report.findings import RANKING_NOTE, Findings
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.text import markdown, markdown_code

MAX_FAILURES = 10
MAX_CANDIDATES = 30
MAX_NOTES = 5
MAX_CHOICES = 30
ON_SITE = " on the site"


def summary(findings: Findings) -> str:
    """The whole page: which model to take, the leaderboard, the modes, what failed, the run."""
    modes = findings.decision.modes.items()
    notes = [note.message for note in findings.notes]
    if notes[MAX_NOTES:]:
        more = f"and {show.count(len(notes) - MAX_NOTES)} more to look at{ON_SITE}"
        notes = [*notes[:MAX_NOTES], more]
    parts = [
        f"# Results of {markdown_code(findings.run.run_id)}",
        *(f"> **{markdown(notice, MAX_SENTENCE)}**" for notice in findings.notices),
        "## Which model to take",
        reruns_text(findings.total),
        "\n".join(f"- **{mode}**: {markdown(one.reason, MAX_SENTENCE)}" for mode, one in modes),
        "## Leaderboard",
        _table(leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES)), MAX_CANDIDATES),
        RANKING_NOTE,
        *_choices(findings),
        "## By mode",
        _table(modes_table(findings.decision, findings.candidates), MAX_CANDIDATES),
    ]
    if findings.failures:
        parts += [
            "## What failed most, and what to do",
            _table(table_of(findings.failures, FAILURES), MAX_FAILURES),
        ]
    parts.append(show_list(notes, longest=MAX_SENTENCE))
    for section in findings.sections:
        tables = map(as_markdown, section.tables)
        parts += [f"## {section.title}", *section.texts, *tables]
    run = findings.run
    parts += [
        "## The run",
        f"Prompt {markdown_code(PurePosixPath(run.prompt.path).name)}, "
        f"{show.counted(len(findings.candidates), 'model')}, "
        f"{show.counted(len(findings.briefs), 'brief')}, "
        f"{show.counted(run.samples, 'sample')} of each: {totals_text(findings.total)}. "
        "Every graph, brief and failure is in `results/site/index.html`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _choices(findings: Findings) -> Iterator[str]:
    """The recommended options, where there are any."""
    table = choices_table(findings.briefs, findings.candidates[:MODELS_IN_TEXT])
    if table.rows:
        yield "## What the graphs recommend"
        yield _table(table, MAX_CHOICES)
        yield CHOICES_NOTE


def _table(table: Table, most: int) -> str:
    return as_markdown(table.first(most, ON_SITE), longest=MAX_SENTENCE)


def terminal(findings: Findings, site: str, width: int) -> Iterator[Text]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    board = leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES))
    yield from in_terminal.show_table(board.first(MAX_CANDIDATES, ON_SITE), width)
    yield in_terminal.show_text(RANKING_NOTE, width, "dim")
    reruns = reruns_text(findings.total)
    if reruns:
        yield in_terminal.show_text(reruns, width, "dim")
    yield Text()
    for mode, chosen in findings.decision.modes.items():
        sentence = in_terminal.show_text(f"{mode}: {chosen.reason}", width)
        sentence.stylize("bold", 0, len(mode) + 1)
        yield sentence
    if findings.failures:
        failures = table_of(findings.failures, FAILURES, title="What failed")
        yield Text()
        yield from in_terminal.show_table(failures.first(MAX_FAILURES, ON_SITE), width)
    yield Text()
    yield in_terminal.show_text(totals_text(findings.total), width)
    yield in_terminal.show_text(f"site: {site}", width)
    for notice in findings.notices:
        yield in_terminal.show_text(notice, width, "yellow")
