"""Audit of the instrument: what the scores and checks of this run can see, measured by attacks on the run's own graphs."""

import hashlib
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.scorecard import AttackResult, Audit, CheckResult, Scorecard
from stages.score.attacks import ATTACKS, MUTATIONS, Graph, Target, changed, example_graph

SEED: Final = 20_260_101
MAX_SAMPLE: Final = 200
"""How many usable graphs are attacked at most; about 20 changed graphs each, two milliseconds a graph."""
NOTICED_DROP: Final = 0.02
"""The least drop of `overall_score` that counts as noticed; also the least distance of two models' means that counts."""
CEILING: Final = 0.995
"""`overall_score` from which a cell is at the ceiling: it has no room to be better."""


@dataclass(frozen=True, slots=True)
class AuditedCell:
    """A cell with a structurally valid graph: its scores, and how to get the graph as parsed JSON."""

    cell: Cell
    load_graph: Callable[[], Graph]
    overall_score: float
    sub_scores: Mapping[str, float]
    usable: bool = True


def audit(
    cells: Iterable[AuditedCell], judge: Callable[[JsonValue, str], Scorecard], prompt: str, *, seed: int = SEED
) -> Audit:
    """Attack a sample of the run's usable graphs and count what notices it.

    Args:
        cells: The cells with a valid graph.
        judge: Scores a graph (parsed JSON) as an answer to a brief (its id).
        prompt: The text of the prompt, for its example graph.
        seed: Of the sample and of every draw in an attack.
    """
    ordered = sorted(cells, key=lambda audited: audited.cell)
    attackable = [audited for audited in ordered if audited.usable]
    sample = [
        (audited.cell, audited.load_graph())
        for audited in sorted(attackable, key=lambda audited: _digest(seed, audited.cell))[:MAX_SAMPLE]
    ]
    before = [judge(graph, cell.brief_id) for cell, graph in sample]
    example = example_graph(prompt)
    targets = [
        Target(graph, _other_graph(sample, index), example, _digest(seed, cell))
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
    return Audit(
        sampled=len(sample),
        cells=len(ordered),
        at_ceiling=sum(cell.overall_score >= CEILING for cell in ordered),
        constant_sub_scores=_constant_sub_scores(ordered),
        indifferent_briefs=_indifferent_briefs(ordered),
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
    """The graph of the next cell of the sample that has another brief."""
    turned = (*sample[index + 1 :], *sample[:index])
    return next((graph for cell, graph in turned if cell.brief_id != sample[index][0].brief_id), None)


def _constant_sub_scores(cells: Sequence[AuditedCell]) -> tuple[str, ...]:
    values: dict[str, set[float]] = {}
    for cell in cells:
        for name, value in cell.sub_scores.items():
            values.setdefault(name, set()).add(value)
    return tuple(name for name, found in values.items() if len(found) == 1)


def _indifferent_briefs(cells: Sequence[AuditedCell]) -> tuple[str, ...]:
    """Briefs with two models or more whose means are all alike."""
    scores: dict[str, dict[str, list[float]]] = {}
    for audited in cells:
        models = scores.setdefault(audited.cell.brief_id, {})
        models.setdefault(audited.cell.model_id, []).append(audited.overall_score)
    means = {brief: [statistics.fmean(found) for found in models.values()] for brief, models in scores.items()}
    return tuple(
        brief for brief, found in sorted(means.items()) if len(found) > 1 and max(found) - min(found) < NOTICED_DROP
    )


def _digest(seed: int, cell: Cell) -> str:
    key = f"{seed}/{cell.model_id}/{cell.brief_id}/{cell.sample}"
    return hashlib.sha256(key.encode("utf-8")).hexdigest()
