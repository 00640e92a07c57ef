"""The audit of a run, `results/audit.json`: what its scores and checks can see, measured by attacks on its own graphs."""

from typing import Annotated

from pydantic import Field

from stages.contracts.record import Record


class AttackResult(Record):
    """How the changed graphs of one attack were noticed. The counts of each graph's first reason sum to `graphs`.

    A check counts where its result is worse than for the unchanged graph. `mean_drop` is the mean drop of `overall_score` over
    the graphs that stay valid, None where none does.
    """

    attack: str
    graphs: int
    by_violation: int
    by_failed_check: int
    by_warning: int
    by_score: int
    by_nothing: int
    mean_drop: float | None


class Audit(Record):
    """What the scores of a run can and cannot see.

    `cells` counts the cells with a valid graph, of which `at_ceiling` have no room to be better. `sampled` usable graphs were attacked.
    `constant_sub_scores` have the same value in every cell; `indifferent_briefs` separate no two models.
    """

    sampled: int
    cells: int
    at_ceiling: int
    constant_sub_scores: Annotated[tuple[str, ...], Field(strict=False)]
    indifferent_briefs: Annotated[tuple[str, ...], Field(strict=False)]
    attacks: Annotated[tuple[AttackResult, ...], Field(strict=False)]
