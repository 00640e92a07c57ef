"""How far the score can be trusted: what it sees of deliberate damage (`results/audit.json`), and whether people agree with it
(`results/agreement.json`). Sentences and tables for the summary and the site.
"""

from collections.abc import Iterator, Mapping

import pandas as pd

from stages.contracts.response import Cell
from stages.contracts.review import Agreement, AgreementShare, ChosenGraph, Disagreement
from stages.contracts.scorecard import Audit
from stages.report.tables import Field, figure
from stages.shell import numbers as show

INTRODUCTION = "Usable graphs of this run, a sample, were changed on purpose and scored again: the table shows what noticed it first."
UNSEEN = (
    "Nothing here can see a sign and a direction that are flipped together, a wrong causal link under right labels, a number "
    "of the brief on the wrong factor, or labels made of the brief's words in any order. A high score says that the form is "
    "right and the words and numbers are the brief's, not that the graph is true."
)


def attack_rows(audit: Audit) -> pd.DataFrame:
    """A row per attack, in the order of the audit; shares are of the changed graphs, 0..1, and sum to 1; see `ATTACK_FIELDS`."""
    names = ["violation", "failed_check", "warning", "score", "nothing"]
    columns = ["attack", "graphs", *(f"by_{name}" for name in names), "mean_drop"]
    found = pd.DataFrame([one.model_dump() for one in audit.attacks if one.graphs], columns=columns)
    found[names] = found[columns[2:-1]].div(found["graphs"], axis=0)
    return found.assign(attack=found["attack"].str.replace("_", " ")).astype(
        {"mean_drop": "float64"}
    )


ATTACK_FIELDS: Mapping[str, Field] = {
    "attack": Field("Change", lambda row: row.attack),
    "graphs": figure("Graphs", "graphs", show.count, "Graphs that were changed"),
    "violation": figure(
        "A violation", "violation", show.share, "A broken structural rule: the graph is invalid"
    ),
    "failed_check": figure(
        "A failed check",
        "failed_check",
        show.share,
        "A fidelity check that makes the graph unusable",
    ),
    "warning": figure("A warning", "warning", show.share, "A fidelity check that warns"),
    "score": figure("The score", "score", show.share, "The overall score drops by 0.02 or more"),
    "nothing": figure("Nothing", "nothing", show.share, "The change goes unnoticed"),
    "mean_drop": figure("Mean drop", "mean_drop", show.score, "Of the overall score"),
}


def audit_sentences(audit: Audit) -> Iterator[str]:
    """What limits the scores of this run, in plain-text sentences."""
    ceiling = show.share_of(audit.at_ceiling, audit.cells)
    yield f"{ceiling} of the valid graphs are at the ceiling of the overall score: it does not distinguish them."
    if audit.constant_sub_scores:
        names = show.first_of([one.replace("_", " ") for one in audit.constant_sub_scores])
        yield f"The same in every cell, so without influence on the ranking: {names}."
    if audit.indifferent_briefs:
        yield f"Briefs that separate no two models: {show.first_of(audit.indifferent_briefs)}."


TITLE = "How often people agree with the score"
NOT_MEASURED = "Not measured: nobody has compared graphs yet. python -m stages.review makes a page for that; see docs/reviews.md."
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and said which they would rather work with. Agreed: the "
    "preferred graph has the higher score. Ties and pairs with equal scores are counted beside the share and are not part of it."
)


def sentences(found: Agreement) -> Iterator[str]:
    """The findings as plain text."""
    overall, between = found.overall, found.between
    counted = sum(reviewer.counted for reviewer in found.reviewers)
    if overall.decided:
        agreed, reviewed = (
            show.share_of(overall.agreed, overall.decided),
            show.counted(counted, "review"),
        )
        limits = (
            ""
            if overall.low is None
            else f" (95% interval {show.share_interval(overall.low, overall.high)})"
        )
        briefs = show.counted(overall.briefs, "brief")
        yield f"{agreed} of the decided judgements agree with the score{limits}, in {reviewed} of {briefs}."
    if between.alpha is not None:
        limits = (
            f" (95% interval {between.low:.2f} to {between.high:.2f})"
            if between.low is not None
            else ""
        )
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
        label = (
            f"scores differ by {low} or more"
            if one.below >= 1
            else f"scores differ by {low} to {high}"
        )
        rows.append(
            (f"scores differ by less than {high}" if one.at_least == 0 else label, one.agreement)
        )
    return _frame(rows)


def sub_scores(found: Agreement) -> pd.DataFrame:
    """The same for each sub-score that separates two of the graphs."""
    return _frame(
        [(one.name, one.agreement) for one in found.by_sub_score if one.agreement.decided]
    )


def reviewers(found: Agreement) -> pd.DataFrame:
    """A row per review file: `name`, `review`, `counted`, the counts of a `Reviewer`, and `agreed`, `decided`, `share`."""
    rows = [
        one.model_dump(exclude={"agreement"}) | one.agreement.model_dump()
        for one in found.reviewers
    ]
    return pd.DataFrame(rows)


SHARE_FIELDS: Mapping[str, Field] = {
    "what": Field("Pairs", lambda row: row.what),
    "sub_score": Field("Sub-score", lambda row: row.what, code=True),
    "share": Field(
        "Agreed",
        lambda row: show.share_of(row.agreed, row.decided),
        "share",
        "Of the decided judgements",
    ),
    "interval": Field(
        "95% interval",
        lambda row: show.share_interval(row.low, row.high),
        "low",
        "The brief is the unit",
    ),
    "briefs": figure("Briefs", "briefs", show.count),
    "ties": figure("No difference", "ties", show.count, "The reviewer saw no difference"),
    "equal": figure(
        "Equal scores", "score_ties", show.count, "A person chose, but the scores are equal"
    ),
}
SHARE_COLUMNS, SUB_SCORE_COLUMNS = (
    "what share interval briefs ties equal",
    "sub_score share interval briefs equal",
)
REVIEWER_FIELDS: Mapping[str, Field] = {
    "name": Field("Reviewer", lambda row: row.name),
    "share": SHARE_FIELDS["share"],
    "counted": Field("Counted", lambda row: "yes" if row.counted else "no"),
    "missed": Field(
        "Controls missed", lambda row: f"{row.controls_missed} of {row.controls}", "controls_missed"
    ),
    "alike": Field(
        "Repeated alike", lambda row: f"{row.repeated_alike} of {row.repeats}", "repeated_alike"
    ),
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
