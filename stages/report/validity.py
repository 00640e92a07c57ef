"""How far the score can be trusted: what it sees of deliberate damage, and whether people agree
with it.

Sentences and tables of `results/audit.json` and `results/agreement.json` for the summary and the
site.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from stages.contracts.response import Cell
from stages.contracts.review import Agreement, AgreementShare, ChosenGraph, Disagreement
from stages.contracts.scorecard import Audit
from stages.report.tables import Fields, figure, words
from stages.shell import numbers as show

INTRODUCTION = (
    "Usable graphs of this run, a sample, were changed on purpose and scored again: "
    "the table shows what noticed it first."
)
UNSEEN = (
    "Nothing here can see a sign and a direction that are flipped together, a wrong causal link under right labels, a number "
    "of the brief on the wrong factor, or labels made of the brief's words in any order. A high score says that the form is "
    "right and the words and numbers are the brief's, not that the graph is true."
)
UNCHECKED_TITLE = "Graphs that were not checked"
UNCHECKED = (
    "Nothing could compare these usable graphs with their brief: they count, and they did not pass. "
    "A longer brief is checked by its words; `target`, `options`, `concepts` and `effects` in the front-matter are checked at any length."
)
ATTACKS: Fields = {
    "attack": words("Change", "attack"),
    "graphs": figure("Graphs", "graphs", show.count, "Graphs that were changed"),
    "violation": figure("A violation", "violation", show.share, "A broken structural rule: the graph is invalid"),
    "failed_check": figure("A failed check", "failed_check", show.share, "A fidelity check that makes the graph unusable"),
    "warning": figure("A warning", "warning", show.share, "A fidelity check that warns"),
    "score": figure("The score", "score", show.share, "The overall score drops by 0.02 or more"),
    "nothing": figure("Nothing", "nothing", show.share, "The change goes unnoticed"),
    "mean_drop": figure("Mean drop", "mean_drop", show.score, "Of the overall score"),
}  # fmt: skip
"""Of `attack_rows`."""


def attack_rows(audit: Audit) -> pd.DataFrame:
    """A row per attack, in the order of the audit; shares are of the changed graphs, 0..1, and
    sum to 1; see `ATTACKS`.
    """
    rows = [
        {
            "attack": attack.attack.replace("_", " "),
            "graphs": attack.graphs,
            "violation": attack.by_violation / attack.graphs,
            "failed_check": attack.by_failed_check / attack.graphs,
            "warning": attack.by_warning / attack.graphs,
            "score": attack.by_score / attack.graphs,
            "nothing": attack.by_nothing / attack.graphs,
            "mean_drop": attack.mean_drop,
        }
        for attack in audit.attacks
        if attack.graphs
    ]
    return pd.DataFrame(rows, columns=list(ATTACKS)).astype({"mean_drop": "float64"})


def audit_sentences(audit: Audit) -> Iterator[str]:
    """What limits the scores of this run, in plain-text sentences."""
    ceiling = show.share_of(audit.at_ceiling, audit.cells)
    yield (
        f"{ceiling} of the valid graphs are at the ceiling of the overall score: "
        "it does not distinguish them."
    )
    if audit.constant_sub_scores:
        names = [name.replace("_", " ") for name in audit.constant_sub_scores]
        listed = show.first_of(names)
        yield f"The same in every cell, so without influence on the ranking: {listed}."
    if audit.indifferent_briefs:
        yield f"Briefs that separate no two models: {show.first_of(audit.indifferent_briefs)}."
    for model in audit.reliability:
        usable = show.share_of(model.answers - len(model.unusable), model.answers)
        yield f"Answers of {model.model_id} to briefs that only count for reliability: {usable} usable."


TITLE = "How often people agree with the score"
NOT_MEASURED = (
    "Not measured: nobody has compared graphs yet. "
    "python -m stages.review makes a page for that; see docs/reviews.md."
)
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and said which they would rather work with. Agreed: the "
    "preferred graph has the higher score. Ties and pairs with equal scores are counted beside the share and are not part of it."
)


def sentences(agreement: Agreement) -> Iterator[str]:
    """The agreement as plain text."""
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


SHARES: Fields = {
    "what": words("Pairs", "what"),
    "sub_score": words("Sub-score", "what", code=True),
    "share": figure("Agreed", "agreed decided", show.share_of, "Of the decided judgements", sort="share"),
    "interval": figure("95% interval", "low high", show.share_interval, "The brief is the unit"),
    "briefs": figure("Briefs", "briefs", show.count),
    "ties": figure("No difference", "ties", show.count, "The reviewer saw no difference"),
    "equal": figure("Equal scores", "score_ties", show.count, "A person chose, but the scores are equal"),
}  # fmt: skip
"""Of `shares` and `sub_scores`."""
SHARE_COLUMNS = "what share interval briefs ties equal"
SUB_SCORE_COLUMNS = "sub_score share interval briefs equal"


def shares(agreement: Agreement) -> pd.DataFrame:
    """A row for all pairs and for each size of difference: `what` and the fields of an
    `AgreementShare`.
    """
    rows = [("all pairs", agreement.overall)]
    for size in agreement.by_size:
        rows.append((_size_label(size.at_least, size.below), size.agreement))
    return _frame(rows)


def _size_label(at_least: float, below: float) -> str:
    if at_least == 0:
        return f"scores differ by less than {below:.2f}"
    if below >= 1:
        return f"scores differ by {at_least:.2f} or more"
    return f"scores differ by {at_least:.2f} to {below:.2f}"


def sub_scores(agreement: Agreement) -> pd.DataFrame:
    """The same for each sub-score that separates two of the graphs."""
    subs = [sub for sub in agreement.by_sub_score if sub.agreement.decided]
    return _frame([(sub.name, sub.agreement) for sub in subs])


def _frame(rows: Sequence[tuple[str, AgreementShare]]) -> pd.DataFrame:
    columns = ["what", *AgreementShare.model_fields]
    return pd.DataFrame(
        [{"what": what} | share.model_dump() for what, share in rows], columns=columns
    )


def _yes_or_no(counted: bool) -> str:
    return "yes" if counted else "no"


def _part_of(part: int, whole: int) -> str:
    return f"{part} of {whole}"


REVIEWERS: Fields = {
    "name": words("Reviewer", "name"),
    "share": SHARES["share"],
    "counted": words("Counted", "counted", _yes_or_no),
    "missed": figure("Controls missed", "controls_missed controls", _part_of),
    "alike": figure("Repeated alike", "repeated_alike repeats", _part_of),
    "review": words("Pairs", "review", code=True),
}
"""Of `reviewers`."""
REVIEWER_COLUMNS = "name share counted missed alike review"


def reviewers(agreement: Agreement) -> pd.DataFrame:
    """A row per review file: the fields of a `Reviewer` and of its `AgreementShare`."""
    rows = [
        reviewer.model_dump(exclude={"agreement"}) | reviewer.agreement.model_dump()
        for reviewer in agreement.reviewers
    ]
    return pd.DataFrame(rows)


def votes(item: Disagreement) -> str:
    """How people chose in a disagreement, as plain text."""
    return (
        f"{item.lower.preferred} for the lower score, {item.higher.preferred} for the higher, "
        f"{item.ties} for neither"
    )


def cell_of(item: Disagreement, graph: ChosenGraph) -> Cell:
    """The cell of a graph in a disagreement."""
    return Cell(graph.model_id, item.brief_id, graph.sample)
