"""Which model to take for each target mode: one whose lead is real, else the set that cannot be told apart and its cheapest."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from stages.contracts.model_config import TargetMode
from stages.report import number_formats as show
from stages.report.estimate import estimate
from stages.report.leaderboard import Leaderboard, RankBy, Standing
from stages.report.ranking import ranking_score

Verdict = Literal["leads", "tied", "only_candidate", "nothing_scored"]
MODES: tuple[TargetMode | None, ...] = ("fast", "normal", "deep", None)
"""The order in which modes are shown; None stands for models without a config."""


class Rival(msgspec.Struct, frozen=True, kw_only=True):
    """The leader against another candidate of the mode, paired by brief: leader minus rival, over `n` shared briefs."""

    model_id: str
    n: int
    difference: float | None
    low: float | None
    high: float | None
    behind: bool
    """True when the interval lies above zero: the rival is really worse."""


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """The advice for one mode, with the reason in a sentence (plain text: escape it where it is shown).

    `model_id` is the model to take: the leader when its lead is real or it is the only candidate, the cheapest of `tied`
    otherwise, None when nothing was scored or no cost is known. `tied` holds the leader and whoever is not shown to be
    worse, in order of rank.
    """

    mode: TargetMode | None
    verdict: Verdict
    model_id: str | None
    leader: str | None
    tied: tuple[str, ...]
    rivals: tuple[Rival, ...]
    reason: str
    simulated: bool


def recommend(leaderboard: Leaderboard) -> tuple[Recommendation, ...]:
    """The advice for every mode that has a model, in the order of `MODES`.

    The leader is compared with each other candidate over the briefs that both have a score for. The intervals of the
    differences hold together at the leaderboard's confidence (Bonferroni over the rivals), since the leader was picked
    among them.
    """
    advice: list[Recommendation] = []
    for mode in MODES:
        candidates = [standing for standing in leaderboard.standings if standing.target_mode == mode]
        if candidates:
            advice.append(_for_mode(mode, candidates, leaderboard.rank_by, leaderboard.confidence))
    return tuple(advice)


def score_name(rank_by: RankBy) -> str:
    """The name of the score that ranks, as a reader knows it."""
    return "expected score" if rank_by == "expected_score" else "overall score"


def _for_mode(
    mode: TargetMode | None, candidates: Sequence[Standing], rank_by: RankBy, confidence: float
) -> Recommendation:
    scored = [standing for standing in candidates if (standing.ranking(rank_by).mean or 0.0) > 0.0]
    simulated = any(standing.simulated for standing in candidates)
    if not scored:
        return Recommendation(
            mode=mode, verdict="nothing_scored", model_id=None, leader=None, tied=(), rivals=(),
            reason="No candidate has drafted a valid graph, so there is nothing to recommend.", simulated=simulated,
        )  # fmt: skip
    leader, others = scored[0], scored[1:]
    level = 1 - (1 - confidence) / max(1, len(others))
    rivals = tuple(_rival(leader, other, rank_by, level) for other in others)
    tied = [leader, *(other for other, rival in zip(others, rivals, strict=True) if not rival.behind)]
    if not others:
        verdict: Verdict = "only_candidate"
        chosen: Standing | None = leader
        reason = f"{leader.model_id} is the only candidate with a score: {_score(leader, rank_by, confidence)}."
    elif len(tied) == 1:
        verdict, chosen = "leads", leader
        reason = f"{leader.model_id} leads with {_score(leader, rank_by, confidence)}; {_lead(rivals[0])}."
    else:
        verdict, chosen = "tied", _cheapest(tied)
        reason = _tie(tied, chosen, min(rival.n for rival in rivals if not rival.behind), rank_by)
    return Recommendation(
        mode=mode,
        verdict=verdict,
        model_id=chosen.model_id if chosen else None,
        leader=leader.model_id,
        tied=tuple(standing.model_id for standing in tied),
        rivals=rivals,
        reason=reason,
        simulated=simulated,
    )


def _rival(leader: Standing, other: Standing, rank_by: RankBy, level: float) -> Rival:
    theirs = {mean.brief_id: ranking_score(mean, rank_by) for mean in other.briefs}
    differences = [
        ours - their
        for mean in leader.briefs
        if (ours := ranking_score(mean, rank_by)) is not None and (their := theirs.get(mean.brief_id)) is not None
    ]
    paired = estimate(differences, level, bounds=(-1.0, 1.0))
    return Rival(
        model_id=other.model_id,
        n=paired.n,
        difference=paired.mean,
        low=paired.low,
        high=paired.high,
        behind=paired.low is not None and paired.low > 0,
    )


def _cheapest(tied: Sequence[Standing]) -> Standing | None:
    priced = [(cost, standing) for standing in tied if (cost := standing.usage.cost_per_valid_usd) is not None]
    return min(priced, key=lambda pair: pair[0], default=(0.0, None))[1]


def _score(standing: Standing, rank_by: RankBy, confidence: float) -> str:
    value = standing.ranking(rank_by)
    briefs = show.things(value.n, "brief")
    interval = (
        f", {show.share(confidence)} interval {show.span(value.low, value.high)}" if value.low is not None else ""
    )
    return f"an {score_name(rank_by)} of {show.score(value.mean)} ({briefs}{interval})"


def _lead(rival: Rival) -> str:
    return (
        f"the next, {rival.model_id}, is behind by {show.score(rival.difference)} "
        f"({show.span(rival.low, rival.high)}) on the same {show.things(rival.n, 'brief')}"
    )


def _tie(tied: Sequence[Standing], chosen: Standing | None, briefs: int, rank_by: RankBy) -> str:
    names = [standing.model_id for standing in tied]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    told = f"{listed} cannot be told apart by {score_name(rank_by)} on {show.things(briefs, 'brief')}"
    if chosen is None:
        return f"{told}, and none of them has a known cost per valid graph."
    unpriced = sum(standing.usage.cost_per_valid_usd is None for standing in tied)
    among = "of those whose cost is known" if unpriced else "of them"
    return f"{told}; {chosen.model_id} is the cheapest {among}, at {show.money(chosen.usage.cost_per_valid_usd)} per valid graph."
