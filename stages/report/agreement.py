"""How often people agree with the score: the sentences and tables of that section, in the summary as on the site."""

from collections.abc import Iterator, Mapping

import pandas as pd

from stages.contracts.cell import Cell
from stages.contracts.review import Agreement, AgreementShare, ChosenGraph, Disagreement
from stages.report.tables import Field
from stages.shell import numbers as show

TITLE = "How often people agree with the score"
NOT_MEASURED = (
    "Not measured: nobody has compared graphs yet. python -m stages.review makes a page for that; see docs/reviews.md."
)
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and said which they would rather work with. Agreed: the "
    "preferred graph has the higher score. Ties and pairs with equal scores are counted beside the share and are not part of it."
)


def sentences(found: Agreement) -> Iterator[str]:
    """The findings as plain text."""
    overall, between = found.overall, found.between
    counted = sum(reviewer.counted for reviewer in found.reviewers)
    if overall.decided:
        yield (
            f"{show.share_of(overall.agreed, overall.decided)} of the decided judgements agree with the score"
            f"{_interval(overall)}, in {show.counted(counted, 'review')} of {show.counted(overall.briefs, 'brief')}."
        )
    if between.alpha is not None:
        limits = f" (95% interval {between.low:.2f} to {between.high:.2f})" if between.low is not None else ""
        yield (
            f"Agreement between reviewers, Krippendorff's alpha: {between.alpha:.2f}{limits} over "
            f"{show.counted(between.pairs, 'pair')}; 1 is perfect, 0 is chance."
        )
    if found.not_in_run:
        graphs = "graphs that are not in this run: they are kept and count in no share."
        yield f"{show.counted(found.not_in_run, 'judgement is', 'judgements are')} about {graphs}"
    apart = len(found.reviewers) - counted
    if apart:
        yield f"{show.counted(apart, 'review')} with more than one missed control {'is' if apart == 1 else 'are'} not counted."
    for one in found.preferences:
        total = one.preferred_first + one.preferred_second + one.ties
        yield (
            f"{one.second} was preferred to {one.first} {show.share_of(one.preferred_second, total)}, the other way round "
            f"{show.share_of(one.preferred_first, total)}, no difference {show.share_of(one.ties, total)}."
        )


def shares(found: Agreement) -> pd.DataFrame:
    """A row for all pairs and for each size of difference: `what` and the fields of an `AgreementShare`."""
    rows = [("all pairs", found.overall)]
    for one in found.by_size:
        low, high = f"{one.at_least:.2f}", f"{one.below:.2f}"
        label = f"scores differ by {low} or more" if one.below >= 1 else f"scores differ by {low} to {high}"
        rows.append((f"scores differ by less than {high}" if one.at_least == 0 else label, one.agreement))
    return _frame(rows)


def sub_scores(found: Agreement) -> pd.DataFrame:
    """The same for each sub-score that separates two of the graphs."""
    return _frame([(one.name, one.agreement) for one in found.by_sub_score if one.agreement.decided])


def reviewers(found: Agreement) -> pd.DataFrame:
    """A row per review file: `name`, `review`, `counted`, the counts of a `Reviewer`, and `agreed`, `decided`, `share`."""
    rows = [one.model_dump(exclude={"agreement"}) | one.agreement.model_dump() for one in found.reviewers]
    return pd.DataFrame(rows)


SHARE_FIELDS: Mapping[str, Field] = {
    "what": Field("Pairs", lambda row: row.what),
    "sub_score": Field("Sub-score", lambda row: row.what, code=True),
    "share": Field("Agreed", lambda row: show.share_of(row.agreed, row.decided), "share", "Of the decided judgements"),
    "interval": Field(
        "95% interval", lambda row: show.share_interval(row.low, row.high), "low", "The brief is the unit"
    ),
    "briefs": Field("Briefs", lambda row: show.count(row.briefs), "briefs"),
    "ties": Field("No difference", lambda row: show.count(row.ties), "ties", "The reviewer saw no difference"),
    "equal": Field(
        "Equal scores", lambda row: show.count(row.score_ties), "score_ties", "A person chose, but the scores are equal"
    ),
}
SHARE_COLUMNS, SUB_SCORE_COLUMNS = "what share interval briefs ties equal", "sub_score share interval briefs equal"
REVIEWER_FIELDS: Mapping[str, Field] = {
    "name": Field("Reviewer", lambda row: row.name),
    "share": SHARE_FIELDS["share"],
    "counted": Field("Counted", lambda row: "yes" if row.counted else "no"),
    "missed": Field("Controls missed", lambda row: f"{row.controls_missed} of {row.controls}", "controls_missed"),
    "alike": Field("Repeated alike", lambda row: f"{row.repeated_alike} of {row.repeats}", "repeated_alike"),
    "review": Field("Pairs", lambda row: row.review, code=True),
}
REVIEWER_COLUMNS = "name share counted missed alike review"


def votes(one: Disagreement) -> str:
    """How people chose in a disagreement, as plain text."""
    return f"{one.lower.preferred} for the lower score, {one.higher.preferred} for the higher, {one.ties} for neither"


def cell_of(one: Disagreement, graph: ChosenGraph) -> Cell:
    """The cell of a graph in a disagreement."""
    return Cell(graph.model_id, one.brief_id, graph.sample)


def _frame(rows: list[tuple[str, AgreementShare]]) -> pd.DataFrame:
    return pd.DataFrame([{"what": what} | share.model_dump() for what, share in rows])


def _interval(share: AgreementShare) -> str:
    return "" if share.low is None else f" (95% interval {show.share_interval(share.low, share.high)})"
