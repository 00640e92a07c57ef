"""Which model to take for each target mode: one whose lead is real, else the set that cannot be told apart and its cheapest."""

import math
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from stages.report.cells import Row, rows_of
from stages.report.ranking import RankBy, by_model_and_brief, estimate, score_name
from stages.shell import numbers as show

Verdict = Literal["leads", "tied", "only_candidate", "nothing_scored"]
MODES = ("fast", "normal", "deep", None)
"""The order in which modes are shown; None is for models without a config."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The advice for one mode, with the reason in a sentence (plain text: escape it where it is shown).

    `model_id` is the model to take: the leader when its lead is real or it is the only candidate, the cheapest of `tied`
    otherwise, None when nothing was scored or no cost is known; `name` is its name. `tied` holds the ids of the leader and of
    every candidate that is not shown to be worse, in order of rank.

    `rivals` has a row per other candidate, in order of rank, paired with the leader by brief: model_id, name, leader_name, n
    (briefs that both have a score for), difference (leader minus rival), low, high (its interval), behind (True when the
    interval lies above zero: the rival is really worse).
    """

    mode: str | None
    verdict: Verdict
    model_id: str | None
    name: str | None
    leader: str | None
    tied: tuple[str, ...]
    rivals: pd.DataFrame
    reason: str


def recommend(
    cells: pd.DataFrame, models: pd.DataFrame, rank_by: RankBy, confidence: float
) -> tuple[Recommendation, ...]:
    """The advice for every mode that has a model, in the order of `MODES`.

    The leader is compared with each other candidate over the briefs that both have a score for. The intervals of the
    differences hold together at the confidence (Bonferroni over the rivals), since the leader was picked among them.
    """
    scores = by_model_and_brief(cells).pivot(index="brief_id", columns="model_id", values=rank_by)
    advice = []
    for mode in MODES:
        of_mode = models["target_mode"].isna() if mode is None else models["target_mode"] == mode
        if of_mode.any():
            advice.append(_for_mode(mode, models[of_mode & (models["score"] > 0)], scores, rank_by, confidence))
    return tuple(advice)


def _for_mode(
    mode: str | None, scored: pd.DataFrame, scores: pd.DataFrame, rank_by: RankBy, confidence: float
) -> Recommendation:
    """The advice among the models with a score above 0, in order of rank; `scores` by brief and model."""
    candidates = list(rows_of(scored))
    rivals = _rivals(candidates, scores, confidence)
    if not candidates:
        reason = "No candidate has drafted a usable graph, so there is nothing to recommend."
        return Recommendation(mode, "nothing_scored", None, None, None, (), rivals, reason)
    leader = candidates[0]
    behind = set(rivals.loc[rivals["behind"], "model_id"])
    tied = [one for one in candidates if one.model_id not in behind]
    verdict: Verdict
    if len(candidates) == 1:
        verdict, chosen = "only_candidate", leader
        reason = f"{leader.name} is the only candidate with a score: {_score(leader, rank_by, confidence)}."
    elif len(tied) == 1:
        verdict, chosen = "leads", leader
        reason = f"{leader.name} leads with {_score(leader, rank_by, confidence)}; {_lead(next(rows_of(rivals)))}."
    else:
        verdict, chosen = "tied", _cheapest(tied)
        reason = _tie(tied, chosen, int(rivals.loc[~rivals["behind"], "n"].min()), rank_by)
    return Recommendation(
        mode=mode,
        verdict=verdict,
        model_id=chosen.model_id if chosen else None,
        name=chosen.name if chosen else None,
        leader=leader.model_id,
        tied=tuple(one.model_id for one in tied),
        rivals=rivals,
        reason=reason,
    )


def _rivals(candidates: list[Row], scores: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Each candidate but the first, paired with the first."""
    level = 1 - (1 - confidence) / max(1, len(candidates) - 1)
    rows = []
    for other in candidates[1:]:
        leader = candidates[0]
        mean, low, high, n = estimate(scores[leader.model_id] - scores[other.model_id], level, bounds=(-1.0, 1.0))
        rows.append((other.model_id, other.name, leader.name, n, mean, low, high, low > 0))
    columns = ["model_id", "name", "leader_name", "n", "difference", "low", "high", "behind"]
    return pd.DataFrame(rows, columns=columns).astype({"behind": bool})


def _cheapest(tied: list[Row]) -> Row:
    priced = [one for one in tied if not math.isnan(one.cost_per_usable_usd)]
    return min(priced, key=lambda one: one.cost_per_usable_usd, default=None)


def _score(model: Row, rank_by: RankBy, confidence: float) -> str:
    known = not math.isnan(model.score_low)
    interval = (
        f", {show.share(confidence)} interval {show.interval(model.score_low, model.score_high)}" if known else ""
    )
    return f"an {score_name(rank_by)} of {show.score(model.score)} ({show.counted(model.score_n, 'brief')}{interval})"


def _lead(rival: Row) -> str:
    return (
        f"the next, {rival.name}, is behind by {show.score(rival.difference)} "
        f"({show.interval(rival.low, rival.high)}) on the same {show.counted(rival.n, 'brief')}"
    )


def _tie(tied: list[Row], chosen: Row, briefs: int, rank_by: RankBy) -> str:
    names = [one.name for one in tied]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    same = f"{listed} cannot be told apart by {score_name(rank_by)} on {show.counted(briefs, 'brief')}"
    if chosen is None:
        return f"{same}, and none of them has a known cost per usable graph."
    among = "of those whose cost is known" if any(math.isnan(one.cost_per_usable_usd) for one in tied) else "of them"
    return (
        f"{same}; {chosen.name} is the cheapest {among}, at {show.money(chosen.cost_per_usable_usd)} per usable graph."
    )
