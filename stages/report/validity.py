"""Whether people agree with the score: the section on `results/agreement.json` of the summary and
the site.
"""

from collections.abc import Iterator, Mapping, Sequence

from stages.contracts.response import Cell
from stages.contracts.review import Agreement, AgreementShare, ChosenGraph, Disagreement
from stages.present.page import cell_page
from stages.present.table import Column, Entry, Section, Table, make_table
from stages.shell import numbers as show
from stages.shell.text import clip

MAX_REASONS = 600
"""Columns of the reasons of a disagreement."""
UNCHECKED = (
    "The words of these usable graphs could not be compared with those of their brief: the graphs "
    "count, and did not pass. Their signs and numbers were checked, and what the front-matter "
    "states: target and options at any length, effects in the brief's language. Words can "
    "be compared in a brief of 30 to 400 words."
)
AGREED = Column("Agreed", show.share, hint="Of the decided judgements")
TITLE = "How often people agree with the score"
NOT_MEASURED = (
    "Not measured: nobody has compared graphs yet. "
    "python -m stages.review makes a page for that; see docs/reviews.md."
)
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and said which they would "
    "rather work with. Agreed: the preferred graph has the higher score. Ties and pairs with "
    "equal scores are counted beside the share and are not part of it."
)


def agreement_section(agreement: Agreement | None, names: Mapping[str, str]) -> Section:
    """The shares, the strongest disagreements with their cells, the sub-scores and the reviewers;
    `names` are those of models by id.
    """
    if agreement is None or not agreement.reviewers:
        return Section("agreement", TITLE, [NOT_MEASURED])
    tables = []
    if agreement.overall.judgements:
        tables.append(_share_table(agreement))
    if agreement.disagreements:
        tables.append(_disagreements_table(agreement, names))
    closed = [_reviewer_table(agreement)]
    if agreement.overall.decided:
        closed.insert(0, _sub_score_table(agreement))
    texts = [" ".join(_sentences(agreement)), EXPLAINED]
    return Section("agreement", TITLE, texts, tables, closed)


def _sentences(agreement: Agreement) -> Iterator[str]:
    counted = sum(reviewer.counted for reviewer in agreement.reviewers)
    if agreement.overall.decided:
        yield _overall(agreement.overall, counted)
    between = agreement.between
    if between.alpha is not None:
        limits = ""
        if between.low is not None:
            limits = f" (95% interval {between.low:.2f} to {between.high:.2f})"
        yield (
            f"Agreement between reviewers, Krippendorff's alpha: {between.alpha:.2f}{limits} over "
            f"{show.counted(between.pairs, 'pair')}; 1 is perfect, 0 is chance."
        )
    if agreement.not_in_run:
        judgements = show.counted(agreement.not_in_run, "judgement is", "judgements are")
        yield (
            f"{judgements} about graphs that are not in this run: "
            "they are kept and count in no share."
        )
    excluded = len(agreement.reviewers) - counted
    if excluded:
        verb = "is" if excluded == 1 else "are"
        yield (
            f"{show.counted(excluded, 'review')} with more than one missed control {verb} "
            "not counted."
        )
    for votes in agreement.preferences:
        total = votes.preferred_first + votes.preferred_second + votes.ties
        yield (
            f"{votes.second} was preferred to {votes.first} "
            f"{show.share_of(votes.preferred_second, total)}, the other way round "
            f"{show.share_of(votes.preferred_first, total)}, no difference "
            f"{show.share_of(votes.ties, total)}."
        )


def _overall(overall: AgreementShare, reviews: int) -> str:
    agreed = show.share_of(overall.agreed, overall.decided)
    limits = ""
    if overall.low is not None:
        limits = f" (95% interval {show.share_interval(overall.low, overall.high)})"
    return (
        f"{agreed} of the decided judgements agree with the score{limits}, in "
        f"{show.counted(reviews, 'review')} of {show.counted(overall.briefs, 'brief')}."
    )


def _share_table(agreement: Agreement) -> Table:
    shares = [("all pairs", agreement.overall)]
    for size in agreement.by_size:
        shares.append((_size_label(size.at_least, size.below), size.agreement))
    return _shares_table("Agreement with people by difference of scores", "agreement", shares)


def _sub_score_table(agreement: Agreement) -> Table:
    shares = [(sub.name, sub.agreement) for sub in agreement.by_sub_score if sub.agreement.decided]
    return _shares_table("Agreement by sub-score", "agreement-sub-scores", shares)


def _shares_table(title: str, name: str, shares: Sequence[tuple[str, AgreementShare]]) -> Table:
    columns = (
        Column("Pairs"),
        AGREED,
        Column("95% interval", show.share_interval, hint="The brief is the unit"),
        Column("Briefs", show.count),
        Column("No difference", show.count, hint="The reviewer saw no difference"),
        Column("Equal scores", show.count, hint="A person chose, but the scores are equal"),
    )
    rows = [
        (name, _agreed(share), (share.low, share.high), share.briefs, share.ties, share.score_ties)
        for name, share in shares
    ]
    return make_table(columns, rows, title=title, name=name, sortable=False)


def _agreed(share: AgreementShare) -> Entry:
    return Entry(show.share_of(share.agreed, share.decided), share.share)


def _size_label(at_least: float, below: float) -> str:
    if at_least == 0:
        return f"scores differ by less than {below:.2f}"
    if below >= 1:
        return f"scores differ by {at_least:.2f} or more"
    return f"scores differ by {at_least:.2f} to {below:.2f}"


def _reviewer_table(agreement: Agreement) -> Table:
    columns = (
        Column("Reviewer"),
        AGREED,
        Column("Counted"),
        Column("Controls missed", show.count),
        Column("Repeated alike", show.count),
        Column("Pairs", code=True),
    )
    rows = [
        (
            reviewer.name,
            _agreed(reviewer.agreement),
            "yes" if reviewer.counted else "no",
            _part_of(reviewer.controls_missed, reviewer.controls),
            _part_of(reviewer.repeated_alike, reviewer.repeats),
            reviewer.review,
        )
        for reviewer in agreement.reviewers
    ]
    return make_table(columns, rows, title="Reviewers", name="reviewers")


def _part_of(part: int, whole: int) -> Entry:
    return Entry(f"{part} of {whole}", part)


def _disagreements_table(agreement: Agreement, names: Mapping[str, str]) -> Table:
    titles = ("Brief", "Preferred", "Higher score", "Choices", "Reasons")
    rows = [
        (
            item.brief_id,
            _chosen(item, item.lower, names),
            _chosen(item, item.higher, names),
            f"{item.lower.preferred} for the lower score, {item.higher.preferred} for the higher, "
            f"{item.ties} for neither",
            clip(" · ".join(item.reasons), MAX_REASONS),
        )
        for item in agreement.disagreements
    ]
    title = "Strongest disagreements: more people preferred the graph with the lower score"
    columns = [Column(title) for title in titles]
    return make_table(columns, rows, title=title, name="disagreements")


def _chosen(item: Disagreement, graph: ChosenGraph, names: Mapping[str, str]) -> Entry:
    text = f"{names.get(graph.model_id, graph.model_id)} {show.score(graph.score)}"
    return Entry(text, href=cell_page(Cell(graph.model_id, item.brief_id, graph.sample)))
