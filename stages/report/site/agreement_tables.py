"""The tables of the overview's section on the agreement with people."""

from collections.abc import Iterator, Mapping

from stages.contracts.agreement import Agreement, ChosenGraph, Disagreement
from stages.report.agreement import (
    REVIEWER_COLUMNS,
    REVIEWER_FIELDS,
    SHARE_COLUMNS,
    SHARE_FIELDS,
    SUB_SCORE_COLUMNS,
    cell_of,
    reviewers,
    shares,
    sub_scores,
    votes,
)
from stages.report.cells import rows_of
from stages.report.site.addresses import brief_page, cell_page
from stages.report.site.table import Column, Entry, Table, table_of
from stages.shell import numbers
from stages.shell.text import clip

_LONGEST = 600


def agreement_tables(found: Agreement | None, names: Mapping[str, str]) -> Iterator[Table]:
    """The shares, the strongest disagreements, the sub-scores and the reviewers; nothing without reviews."""
    if found is None or not found.reviewers:
        return
    if found.overall.judgements:
        title = "Agreement with people by difference of scores"
        yield table_of("agreement", title, rows_of(shares(found)), SHARE_FIELDS, SHARE_COLUMNS, sortable=False)
    if found.disagreements:
        yield _disagreements(found, names)
    rows = list(rows_of(sub_scores(found))) if found.overall.decided else []
    if rows:
        yield table_of("agreement-sub-scores", "Agreement by sub-score", rows, SHARE_FIELDS, SUB_SCORE_COLUMNS)
    yield table_of("reviewers", "Reviewers", rows_of(reviewers(found)), REVIEWER_FIELDS, REVIEWER_COLUMNS)


def _disagreements(found: Agreement, names: Mapping[str, str]) -> Table:
    columns = (Column("Brief"), Column("Preferred"), Column("Higher score"), Column("Choices"), Column("Reasons"))
    rows = [
        (
            Entry(one.brief_id, href=brief_page(one.brief_id)),
            _graph(one, one.lower, names),
            _graph(one, one.higher, names),
            Entry(votes(one)),
            Entry(clip(" · ".join(one.reasons), _LONGEST)),
        )
        for one in found.disagreements
    ]
    return Table(
        "disagreements", "Strongest disagreements: more people preferred the graph with the lower score", columns, rows
    )


def _graph(one: Disagreement, graph: ChosenGraph, names: Mapping[str, str]) -> Entry:
    text = f"{names.get(graph.model_id, graph.model_id)} {numbers.score(graph.score)}"
    return Entry(text, href=cell_page(cell_of(one, graph)))
