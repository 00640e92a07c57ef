"""The findings on one screen, for a person: `results/summary.md`, and what the end of `dvc repro`
prints.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from rich.text import Text

from graph_evaluator.present import terminal as in_terminal
from graph_evaluator.present.table import (
    MAX_SENTENCE,
    Table,
    as_markdown,
    join_parts,
    show_list,
)
from graph_evaluator.report.advice import modes_table
from graph_evaluator.report.choices import (
    CHOICES_NOTE,
    MODELS_IN_TEXT,
    READING_NOTE,
    choices_table,
    reading_table,
)
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
MAX_ROWS = 30
MAX_NOTES = 5
ON_SITE = " on the site"


def summary(findings: Findings) -> str:
    """The whole page: which model to take, the leaderboard, the modes, what failed, the run."""
    run = findings.run
    last = (
        f"## The run\n\nPrompt {markdown_code(PurePosixPath(run.prompt.path).name)}, "
        f"{show.counted(len(findings.candidates), 'model')}, "
        f"{show.counted(len(findings.briefs), 'brief')}, "
        f"{show.counted(run.samples, 'sample')} of each: {totals_text(findings.total)}. "
        "Every graph, brief and failure is in `results/site/index.html`."
    )
    head = f"# Results of {markdown_code(run.run_id)}"
    return "\n\n".join([head, *result_parts(findings, MAX_ROWS), last]) + "\n"


def result_parts(findings: Findings, most: int, *, compact: bool = False) -> Iterator[str]:
    """What the results say: parts with a heading, whose tables have at most `most` rows."""

    def part(title: str, table: Table, *texts: str) -> str:
        shown = as_markdown(table.first(most, ON_SITE), compact=compact, longest=MAX_SENTENCE)
        return join_parts(f"## {title}", shown, *texts)

    notices = [f"> **{markdown(notice, MAX_SENTENCE)}**" for notice in findings.notices]
    modes = findings.decision.modes.items()
    reasons = [f"- **{mode}**: {markdown(one.reason, MAX_SENTENCE)}" for mode, one in modes]
    take = ["## Which model to take", reruns_text(findings.total), "\n".join(reasons)]
    yield join_parts(*notices, *take)
    board = leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES))
    yield part("Leaderboard", board, RANKING_NOTE)
    choices = choices_table(findings.briefs, findings.candidates[:MODELS_IN_TEXT])
    if choices.rows:
        yield part("What the graphs recommend", choices, CHOICES_NOTE)
    reading = reading_table(findings.cells, findings.candidates)
    if reading.rows:
        yield part("How well they read", reading, READING_NOTE)
    yield part("By mode", modes_table(findings.decision, findings.candidates))
    if findings.failures:
        failures = table_of(findings.failures, FAILURES).first(MAX_FAILURES, ON_SITE)
        yield part("What failed most, and what to do", failures)
    notes = [note.message for note in findings.notes]
    if notes:
        more = len(notes) - MAX_NOTES
        rest = [f"and {show.count(more)} more to look at{ON_SITE}"] if more > 0 else []
        yield f"## Worth a look\n\n{show_list([*notes[:MAX_NOTES], *rest], longest=MAX_SENTENCE)}"
    for section in findings.sections:
        tables = [
            as_markdown(table.first(most, ON_SITE), compact=compact) for table in section.tables
        ]
        yield join_parts(f"## {section.title}", *section.texts, *tables)


def terminal(findings: Findings, site: str, width: int) -> Iterator[Text]:
    """The results in at most `width` columns; `site` is the path of the site. Nothing in a label
    is taken for markup.
    """
    board = leaderboard(findings.candidates, (*LEADERBOARD, *HEADLINES))
    yield from in_terminal.show_table(board.first(MAX_ROWS, ON_SITE), width)
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
