"""What a person should look at: not failures of single cells, but what would mislead a reader of the tables."""

from collections.abc import Iterator

import msgspec

from stages.report import number_formats as show
from stages.report.leaderboard import Leaderboard, Standing

MANY_DEFAULTS = 0.25
"""Mean share of edges at default parameters from which a model is flagged."""
FEW_VALID = 0.5
"""Share of answered cells with a valid graph below which a model is flagged."""
MANY_TRUNCATED = 0.1
"""Share of answered cells that were cut off from which a model is flagged."""


class Flag(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a person should look at, in a sentence (plain text: escape it where it is shown)."""

    kind: str
    message: str
    model_id: str | None = None
    brief_id: str | None = None


def flags_of(board: Leaderboard) -> tuple[Flag, ...]:
    """Everything worth a look: models in order of rank, then briefs by id."""
    return (*_of_ranking(board), *(flag for one in board.standings for flag in _of_model(one)), *_of_briefs(board))


def _of_ranking(board: Leaderboard) -> Iterator[Flag]:
    means = [(one.overall_mean, one) for one in board.standings if one.overall_mean is not None]
    best = max(means, key=lambda pair: pair[0], default=(0.0, None))[1]
    if best is not None and board.rank_by == "expected_score" and best.rank != 1:
        name, valid = best.model_id, show.share_of(best.counts.scored, best.counts.cells)
        highest = f"{name} has the highest mean over scored cells, {show.score(best.overall_mean)}"
        message = f"{highest}, but a valid graph in only {valid} of its cells."
        yield Flag(kind="flattered_mean", model_id=name, message=message)


def _of_model(one: Standing) -> Iterator[Flag]:
    counts, name = one.counts, one.model_id
    if counts.unanswered:
        none = show.share_of(counts.unanswered, counts.cells)
        message = f"{name} has no answer for {none} of its cells: they count nowhere in its scores."
        yield Flag(kind="unanswered", model_id=name, message=message)
    if counts.answered and counts.scored / counts.answered < FEW_VALID:
        message = f"{name} gave a valid graph in only {show.share_of(counts.scored, counts.answered)} of its answers."
        yield Flag(kind="few_valid", model_id=name, message=message)
    if one.default_share is not None and one.default_share >= MANY_DEFAULTS:
        message = (
            f"{name} left {show.share(one.default_share)} of its causal edges at the default strength, on average."
        )
        yield Flag(kind="many_defaults", model_id=name, message=message)
    truncated = counts.of("truncated")
    if counts.answered and truncated / counts.answered >= MANY_TRUNCATED:
        cut = show.share_of(truncated, counts.answered)
        message = f"{name} was cut off in {cut} of its answers: raise its max_output_tokens."
        yield Flag(kind="truncated", model_id=name, message=message)
    if one.usage.cost_unknown:
        unknown = show.share_of(one.usage.cost_unknown, counts.answered)
        message = f"{name} has no known cost for {unknown} of its answers: its total is too low."
        yield Flag(kind="cost_unknown", model_id=name, message=message)


def _of_briefs(board: Leaderboard) -> Iterator[Flag]:
    for brief in board.briefs:
        counts = brief.counts
        if not counts.answered:
            yield Flag(kind="brief_unanswered", brief_id=brief.brief_id, message=f"No model answered {brief.brief_id}.")
        elif not counts.scored:
            message = f"No model drafted a valid graph for {brief.brief_id}."
            yield Flag(kind="brief_without_graph", brief_id=brief.brief_id, message=message)
