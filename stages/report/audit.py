"""What the scores of a run can and cannot see, from `results/audit.json`, for the summary and the site."""

from collections.abc import Iterator

import pandas as pd

from stages.contracts.scorecard import Audit
from stages.report.tables import Field, first_of
from stages.shell import numbers as show

INTRODUCTION = "Usable graphs of this run, a sample, were changed on purpose and scored again: the table shows what noticed it first."
UNSEEN = (
    "Nothing here can see a sign and a direction that are flipped together, a wrong causal link under right labels, a number "
    "of the brief on the wrong factor, or labels made of the brief's words in any order. A high score says that the form is "
    "right and the words and numbers are the brief's, not that the graph is true."
)


def attack_rows(audit: Audit) -> pd.DataFrame:
    """A row per attack, in the order of the audit; shares are of the changed graphs, 0..1, and sum to 1.

    Columns: attack (in words), graphs, violation, failed_check, warning, score, nothing, mean_drop (of `overall_score` over the
    graphs that stay valid; NaN where none does).
    """
    names = ["violation", "failed_check", "warning", "score", "nothing"]
    columns = ["attack", "graphs", *(f"by_{name}" for name in names), "mean_drop"]
    found = pd.DataFrame([one.model_dump() for one in audit.attacks if one.graphs], columns=columns)
    found[names] = found[columns[2:-1]].div(found["graphs"], axis=0)
    return found.assign(attack=found["attack"].str.replace("_", " ")).astype({"mean_drop": "float64"})


def attack_fields() -> dict[str, Field]:
    """Everything that a table of `attack_rows` may show, by a short name."""
    hints = {
        "violation": ("A violation", "A broken structural rule: the graph is invalid"),
        "failed_check": ("A failed check", "A fidelity check that makes the graph unusable"),
        "warning": ("A warning", "A fidelity check that warns"),
        "score": ("The score", "The overall score drops by 0.02 or more"),
        "nothing": ("Nothing", "The change goes unnoticed"),
    }
    shares = {
        name: Field(title, lambda row, name=name: show.share(getattr(row, name)), name, hint)  # type: ignore[misc]
        for name, (title, hint) in hints.items()
    }
    return {
        "attack": Field("Change", lambda row: row.attack),
        "graphs": Field("Graphs", lambda row: show.count(row.graphs), "graphs", "Graphs that were changed"),
        **shares,
        "mean_drop": Field("Mean drop", lambda row: show.score(row.mean_drop), "mean_drop", "Of the overall score"),
    }


def audit_sentences(audit: Audit) -> Iterator[str]:
    """What limits the scores of this run, in plain-text sentences."""
    ceiling = show.share_of(audit.at_ceiling, audit.cells)
    yield f"{ceiling} of the valid graphs are at the ceiling of the overall score: it does not distinguish them."
    if audit.constant_sub_scores:
        names = first_of([one.replace("_", " ") for one in audit.constant_sub_scores])
        yield f"The same in every cell, so without influence on the ranking: {names}."
    if audit.indifferent_briefs:
        yield f"Briefs that separate no two models: {first_of(audit.indifferent_briefs)}."
