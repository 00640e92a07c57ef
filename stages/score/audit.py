"""Audit of the instrument: what the scores and checks of this run can see, measured by attacks on the run's own graphs."""

import hashlib
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from stages.contracts.json_text import JsonValue
from stages.contracts.response import Cell
from stages.contracts.scorecard import AttackResult, Audit, CheckResult, Scorecard
from stages.score.attacks import ATTACKS, MUTATIONS, Graph, Target, changed, example_graph

SEED: Final = 20_260_101
"""Of the sample and of every draw in an attack."""
MAX_SAMPLE: Final = 200
"""How many usable graphs are attacked at most; about 20 changed graphs each, two milliseconds a graph."""
NOTICED_DROP: Final = 0.02
"""The least drop of `overall_score` that counts as noticed; also the least distance of two models' means that counts."""
CEILING: Final = 0.995
"""`overall_score` from which a cell is at the ceiling: it has no room to be better."""


@dataclass(frozen=True, slots=True, order=True)
class ScoredFile:
    """A response file that was scored: its cell, its line of the scorecards file, and the scores of a valid graph."""

    cell: Cell
    line: bytes
    file: str
    overall_score: float | None = None
    sub_scores: Mapping[str, float] = field(default_factory=dict, compare=False)
    usable: bool = False


def audit(
    scored: Iterable[ScoredFile],
    load_graph: Callable[[str], Graph],
    judge: Callable[[JsonValue, str], Scorecard],
    prompt: str,
) -> Audit:
    """Attack a sample of the run's usable graphs and count what notices it; files without a valid graph are left out.

    `load_graph` reads the graph (parsed JSON) in a file, `judge` scores a graph as an answer to a brief (its id), and `prompt` may hold an
    example graph.
    """
    valid = sorted(one for one in scored if one.overall_score is not None)
    scores = {one.cell: one.overall_score for one in valid if one.overall_score is not None}
    drawn = sorted((one for one in valid if one.usable), key=lambda one: _digest(one.cell))[
        :MAX_SAMPLE
    ]
    sample = [(one.cell, load_graph(one.file)) for one in drawn]
    before = [judge(graph, cell.brief_id) for cell, graph in sample]
    example = example_graph(prompt)
    targets = [
        Target(graph, _other_graph(sample, index), example, _digest(cell))
        for index, (cell, graph) in enumerate(sample)
    ]
    found = []
    for attack in (*ATTACKS, *MUTATIONS):
        pairs: list[tuple[Scorecard, Scorecard]] = []
        for (cell, _), target, was in zip(sample, targets, before, strict=True):
            graph = changed(attack, target)
            if graph is not None:
                pairs.append((was, judge(graph, cell.brief_id)))
        found.append(_attack_result(attack.__name__, pairs))
    names = dict.fromkeys(name for one in valid for name in one.sub_scores)
    return Audit(
        sampled=len(sample),
        cells=len(valid),
        at_ceiling=sum(score >= CEILING for score in scores.values()),
        constant_sub_scores=tuple(
            name for name in names if len({one.sub_scores[name] for one in valid}) == 1
        ),
        indifferent_briefs=_indifferent_briefs(scores),
        attacks=tuple(found),
    )


def _attack_result(attack: str, pairs: Sequence[tuple[Scorecard, Scorecard]]) -> AttackResult:
    reasons = Counter(_reason(was, now) for was, now in pairs)
    drops = [
        was.overall_score - now.overall_score
        for was, now in pairs
        if was.overall_score is not None and now.overall_score is not None
    ]
    return AttackResult(
        attack=attack,
        graphs=len(pairs),
        by_violation=reasons["violation"],
        by_failed_check=reasons["fail"],
        by_warning=reasons["warn"],
        by_score=reasons["score"],
        by_nothing=reasons["nothing"],
        mean_drop=statistics.fmean(drops) if drops else None,
    )


def _reason(was: Scorecard, now: Scorecard) -> str:
    if now.violation_codes:
        return "violation"
    earlier = {check.name: check for check in was.fidelity}
    worse = {check.outcome for check in now.fidelity if _is_worse(check, earlier[check.name])}
    for outcome in ("fail", "warn"):
        if outcome in worse:
            return outcome
    drop = (was.overall_score or 0.0) - (now.overall_score or 0.0)
    return "score" if drop >= NOTICED_DROP else "nothing"


def _is_worse(now: CheckResult, was: CheckResult) -> bool:
    """True if a check newly fails or warns, or does so again with a smaller share."""
    if now.outcome == was.outcome:
        return now.share is not None and was.share is not None and now.share < was.share
    return now.outcome == "fail" or (now.outcome == "warn" and was.outcome != "fail")


def _other_graph(sample: Sequence[tuple[Cell, Graph]], index: int) -> Graph | None:
    turned = (*sample[index + 1 :], *sample[:index])
    return next(
        (graph for cell, graph in turned if cell.brief_id != sample[index][0].brief_id), None
    )


def _indifferent_briefs(scores: Mapping[Cell, float]) -> tuple[str, ...]:
    def brief_and_model(cell: Cell) -> tuple[str, str]:
        return cell.brief_id, cell.model_id

    means: defaultdict[str, list[float]] = defaultdict(list)
    for (brief, _), cells in groupby(sorted(scores, key=brief_and_model), key=brief_and_model):
        means[brief].append(statistics.fmean(scores[cell] for cell in cells))
    return tuple(
        brief
        for brief, found in means.items()
        if len(found) > 1 and max(found) - min(found) < NOTICED_DROP
    )


def _digest(cell: Cell) -> str:
    key = f"{SEED}/{cell.model_id}/{cell.brief_id}/{cell.sample}"
    return hashlib.sha256(key.encode("utf-8")).hexdigest()
