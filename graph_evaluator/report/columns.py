"""The tables of the reports: a row for each record, each column a `Field`; and the lists of columns
that several of them have.

A new column is one `Field` here, in each list of columns where it is to be shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from graph_evaluator.analysis.summary import CellCosts, Summary
from graph_evaluator.present.page import GLOSSARY, cell_page, cells_link, model_page
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.records.codes import CODES, code_name, meaning_of
from graph_evaluator.records.response import ANSWERED, STATUSES
from graph_evaluator.records.scorecard import Dimension, ScoredCell
from graph_evaluator.report.ranking import Candidate, Occurrence
from graph_evaluator.shell import numbers as show

Row = TypeVar("Row")
DIMENSION_NAMES: Mapping[Dimension, str] = {
    "param_quality": "Parameter quality",
    "option_diff": "Option differentiation",
    "completeness": "Completeness",
}
CODE_LABELS = "`graph-evaluator briefs code` (about $0.02 a brief)"
OUTCOMES: Mapping[str, str] = {
    "usable": "usable,unchecked",
    "no_graph": ",".join(status for status in STATUSES if status in ANSWERED - {"success"}),
    "no_answer": ",".join(status for status in STATUSES if status not in ANSWERED),
    "not_usable": ",".join(["invalid", "unfaithful", *STATUSES[1:]]),
}
"""Groups of outcomes of cells, as a filter; see `ScoredCell.outcome`."""
OUTCOME_NAMES: Mapping[str, str] = {
    OUTCOMES["usable"]: "with a usable graph",
    OUTCOMES["no_graph"]: "no graph",
    OUTCOMES["no_answer"]: "no answer",
    OUTCOMES["not_usable"]: "without a usable graph",
}
"""The name of each group."""


@dataclass(frozen=True)  # slots do not go with a generic class in Python 3.11
class Field(Generic[Row]):
    """A column of a table: its title, what it has of a row, and the kind of number; None for texts.

    On a page, an entry that is not 0 leads to the `page` of its row, if that is not empty. `hint`
    and `code` are those of a `Column`.
    """

    title: str
    value: Callable[[Row], Raw]
    number: Callable[..., str] | None = None
    hint: str = ""
    page: Callable[[Row], str] | None = None
    code: bool = False

    @cached_property
    def column(self) -> Column:
        """The column without its values."""
        return Column(self.title, self.number, self.code, self.hint)

    def entry(self, row: Row, root: str | None) -> Entry:
        """What the column has of a row, with its link, where `root` is the way to the site."""
        entry = self.column.entry(self.value(row))
        if root is None or self.page is None or entry.value == 0:
            return entry
        page = self.page(row)
        return entry._replace(href=root + page) if page else entry


OfModel = Field[Candidate]
OfCell = Field[ScoredCell]
OfCode = Field[Occurrence]


def table_of(
    rows: Iterable[Row],
    fields: Sequence[Field[Row]],
    *,
    title: str = "",
    name: str = "",
    root: str | None = None,
) -> Table:
    """The rows as a table of these fields.

    `root` is the way up from the page to the folder of its site; without it, as in Markdown,
    entries lead nowhere.
    """
    columns = [field.column for field in fields]
    entries = [[field.entry(row, root) for field in fields] for row in rows]
    return make_table(columns, entries, title=title, name=name)


def leaderboard(
    candidates: Sequence[Candidate], fields: Sequence[OfModel], root: str | None = None
) -> Table:
    """The models by rank, without the columns that no model has anything in."""
    unmeasured = sum(candidate.summary.content_unmeasured for candidate in candidates)
    graphs = show.counted(unmeasured, "usable graph")
    note = f"Content of {graphs} is not measured: {CODE_LABELS}."
    board = table_of(candidates, fields, title="Leaderboard", name="leaderboard", root=root)
    notes = (note,) if unmeasured else ()
    return replace(board.without_empty_columns(), heads=2, notes=notes)


def cost_text(cost: CellCosts) -> str:
    """A sum of costs, with the number of answers whose cost is unknown."""
    if cost.usd is None and cost.unknown:
        return f"not measured ({show.counted(cost.unknown, 'answer')})"
    known = show.money(cost.usd)
    return f"{known} + {show.count(cost.unknown)} unknown" if cost.unknown else known


def totals_text(total: Summary) -> str:
    """The numbers of planned, received and usable answers, and their cost."""
    count = total.outcomes["unchecked"]
    unchecked = f" ({show.count(count)} unchecked)" if count else ""
    return (
        f"{show.count(total.answered)} of {show.counted(total.cells, 'answer')} received, "
        f"{show.count(total.usable)} usable{unchecked}; cost {cost_text(total.cost)}"
    )


def reruns_text(total: Summary) -> str:
    """How much reruns alone change form, content and the recommended option; empty without a brief
    that one model answered twice.
    """
    form, content, choice = total.rerun_form, total.rerun_content, total.same_choice
    if form.value is None:
        return ""
    differences = f"{show.score(form.value)} in form"
    if content.value is not None:
        differences += f" and {show.score(content.value)} in content"
    same = ""
    if choice.value is not None:
        same = f"; {show.share(choice.value)} of the pairs recommend the same option"
    return f"Two answers of one model to one brief differ by {differences} on average{same}."


def outcome_of(cell: ScoredCell) -> Entry:
    """The outcome of a cell in words, and its colour."""
    look = "bad" if cell.answered else "warn"
    return Entry(cell.outcome.replace("_", " "), look="good" if cell.usable else look)


def counts_text(counts: Mapping[str, int]) -> str:
    """Names with their counts, the most frequent first."""
    by_count = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    return show.first_of([f"{name} ({show.count(count)})" for name, count in by_count])


def codes_text(codes: Sequence[str]) -> str:
    """The names of codes, each once, with how often it occurs.

    >>> codes_text(("ORPHAN_NODE", "FORBIDDEN_EDGE", "ORPHAN_NODE"))
    'Orphan node ×2, Forbidden edge'
    """
    counts = {code_name(code): codes.count(code) for code in codes}
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts.items())


def _content(model: Candidate) -> Raw:
    """The mean content, or that it could be measured."""
    value = model.summary.content.value
    is_unmeasured = value is None and model.summary.content_unmeasured > 0
    return Entry("not measured") if is_unmeasured else value


def _usable(model: Candidate) -> Raw:
    """The share of usable graphs, not measured without an answer."""
    summary = model.summary
    if summary.is_unanswered:
        return None
    return Entry(show.share_of(summary.usable, summary.cells), summary.usable_share)


def _cost(model: Candidate) -> Entry:
    cost = model.summary.cost
    return Entry(cost_text(cost), cost.usd)


def _status_quo(model: Candidate) -> str:
    """How often the status quo is the best option, and the worst; empty without one."""
    ranks = model.summary.status_quo
    text = f"best in {ranks['best']}, last in {ranks['last']} of {sum(ranks.values())}"
    return text if ranks else ""


NAME = OfModel("Model", lambda model: model.name, page=lambda model: model_page(model.id))
LEADERBOARD = (
    OfModel("#", lambda model: model.rank, show.count, "Rank by form"),
    NAME,
    OfModel(
        "Form",
        lambda model: model.summary.form.value,
        show.score,
        "The mean over briefs: a failure counts 0",
    ),
    OfModel(
        "Content",
        _content,
        show.score,
        "Share of the stated effects that are right, the mean over briefs: a failure counts 0",
    ),
    OfModel(
        "Same choice",
        lambda model: model.summary.same_choice.value,
        show.share,
        "Pairs of answers to a brief that recommend the same option, the mean over briefs",
    ),
    OfModel(
        "Usable",
        _usable,
        show.share,
        "Answers with a usable graph",
        page=lambda model: cells_link(model=model.id, status=OUTCOMES["usable"]),
    ),
    OfModel(
        "Per usable graph",
        lambda model: model.summary.cost.per_usable,
        show.money,
        "Cost of a usable graph",
    ),
    OfModel("p50", lambda model: model.summary.latency.p50_ms, show.duration, "Median latency"),
)
"""The leaderboard, everywhere; its first two columns name the row."""
HEADLINES = (
    OfModel(
        "Interval of form",
        lambda model: model.summary.form.ends,
        show.interval,
        "Over briefs",
    ),
    OfModel(
        "Interval of content",
        lambda model: model.summary.content.ends,
        show.interval,
        "Over the briefs that state effects",
    ),
    OfModel("Briefs", lambda model: model.summary.form.n, show.count, "Briefs with an answer"),
    OfModel(
        "With effects",
        lambda model: model.summary.content.n,
        show.count,
        "Briefs in the mean content: they state effects and have an answer that counts",
    ),
)
"""How sure form and content are."""
OTHERS = (
    OfModel(
        "p95",
        lambda model: model.summary.latency.p95_ms,
        show.duration,
        "Latency, 95th percentile",
    ),
    OfModel("Mode", lambda model: model.mode or show.MISSING),
    OfModel("Cost", _cost, show.money, "US dollars spent"),
    OfModel(
        "Right choice",
        lambda model: model.summary.right_choice.value,
        show.share,
        "Usable graphs that recommend the best option, of briefs that state it",
    ),
    OfModel(
        "Certainty",
        lambda model: model.summary.certainty.value,
        show.share,
        "How surely the recommended option stays the best, the mean over graphs",
    ),
    OfModel(
        "Interval of same choice",
        lambda model: model.summary.same_choice.ends,
        show.share_interval,
        "Over the briefs with at least two answers",
    ),
    OfModel("Status quo", _status_quo, hint="In graphs that have one"),
    OfModel(
        "Not compared",
        lambda model: model.summary.not_compared,
        show.count,
        "Pairs of answers whose options do not pair",
    ),
)
"""The further columns of the site."""


def cell_columns(names: Mapping[str, str], *, of_brief: bool) -> tuple[OfCell, ...]:
    """The columns of the cells of a brief, whose rows are headed by models, by their names, or of a
    model, headed by briefs. Head and outcome lead to the page of the cell, from which the others of
    its list are previous and next.
    """

    def page(cell: ScoredCell) -> str:
        among = f"brief={cell.brief_id}" if of_brief else f"model={cell.model_id}"
        return f"{cell_page(cell.cell)}#{among}"

    model = OfCell("Model", lambda cell: names[cell.model_id], page=page)
    brief = OfCell("Brief", lambda cell: cell.brief_id, page=page)
    outcome = OfCell("Outcome", outcome_of, page=page)
    form = OfCell("Form", lambda cell: cell.expected_score, show.score, "A failure counts 0")
    return (model if of_brief else brief, form, outcome, *FIGURES_OF_CELL)


FIGURES_OF_CELL = (
    OfCell("Sample", lambda cell: cell.sample, show.count),
    OfCell("Parameters", lambda cell: cell.param_quality, show.score),
    OfCell("Options", lambda cell: cell.option_diff, show.score),
    OfCell("Completeness", lambda cell: cell.completeness, show.score),
    OfCell(
        "Content",
        lambda cell: cell.counted_content,
        show.score,
        "Share of the stated effects that the graph has right; 0 if it is not usable",
    ),
    OfCell("Failures", lambda cell: codes_text(cell.codes)),
    OfCell("Output tokens", lambda cell: cell.measured.usage.output_tokens, show.count),
    OfCell("Cost", lambda cell: cell.cost.est_cost_usd, show.money),
    OfCell("Latency", lambda cell: cell.measured.latency_ms, show.duration),
)


def _share(failed: Occurrence) -> Entry:
    cells = len(failed.cells)
    return Entry(show.share_of(cells, failed.of_cells), cells / failed.of_cells)


def _entry_in_glossary(failed: Occurrence) -> str:
    return f"{GLOSSARY}#{failed.code}" if failed.code in CODES else ""


def _advice(failed: Occurrence) -> str:
    recorded = all(cell.recorded for cell in failed.cells)
    return meaning_of(failed.code).advice(recorded=recorded)


def code_columns(page: Callable[[Occurrence], str], *further: OfCode) -> tuple[OfCode, ...]:
    """The columns of what failed: a code leads to its entry in the glossary, the share to
    the `page` of its cells; `further` ones follow.
    """
    return (
        OfCode("Code", lambda failed: failed.code, code=True, page=_entry_in_glossary),
        OfCode("Share", _share, show.share, "Of the answers", page),
        *further,
        OfCode("What it means", lambda failed: meaning_of(failed.code).meaning),
        OfCode("What to do", _advice),
    )


FAILURES = code_columns(
    lambda failed: cells_link(code=failed.code),
    OfCode("Models", lambda failed: counts_text(failed.models)),
)
