"""Audit of the instrument: what the scores and checks of this run can see, measured by attacks on
the run's own graphs.
"""

import hashlib
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stages.contracts.graph import example_graph
from stages.contracts.json_text import JsonValue
from stages.contracts.response import Cell
from stages.contracts.scorecard import AttackResult, Audit, CheckResult, ReliabilityCount, Scorecard
from stages.score.attacks import ATTACKS, MUTATIONS, AttackTarget, GraphJson, changed

SEED = 20_260_101
"""Of the sample and of every random number in an attack."""
MAX_SAMPLE = 200
"""How many usable graphs are attacked at most; about 20 changed graphs each, two milliseconds a
graph."""
NOTICED_DROP = 0.02
"""The least drop of `overall_score` that counts as noticed; also the least distance of two models'
means that counts."""
CEILING = 0.995
"""`overall_score` from which a cell is at the ceiling: it has no room to be better."""


@dataclass(frozen=True, slots=True, order=True)
class ScoredFile:
    """A response file that was scored: its cell, its line of the scorecards file, and the scores of
    a valid graph.
    """

    cell: Cell
    line: bytes
    file: str
    overall_score: float | None = None
    sub_scores: Mapping[str, float] = field(default_factory=dict, compare=False)
    usable: bool = False
    answered: bool = True


def audit(
    scored: Iterable[ScoredFile],
    load_graph: Callable[[str], GraphJson],
    judge: Callable[[JsonValue, str], Scorecard],
    prompt: str,
    briefs: Mapping[str, str],
) -> Audit:
    """Attack a sample of the run's usable graphs and count what notices it; files without a valid
    graph are left out.

    `load_graph` reads the graph (parsed JSON) in a file, `judge` scores a graph as an answer to a
    brief (its id), `prompt` may hold an example graph, and `briefs` are the texts of the briefs.
    """
    valid = sorted(entry for entry in scored if entry.overall_score is not None)
    scores = {entry.cell: entry.overall_score or 0.0 for entry in valid}
    usable = [entry for entry in valid if entry.usable]
    drawn = sorted(usable, key=lambda entry: _digest(entry.cell))[:MAX_SAMPLE]
    sample = [(entry.cell, load_graph(entry.file)) for entry in drawn]
    example = example_graph(prompt)
    targets: list[tuple[AttackTarget, Scorecard]] = []
    for index, (cell, graph) in enumerate(sample):
        other = _other_graph(sample, index)
        body = briefs.get(cell.brief_id, "")
        target = AttackTarget(graph, other, example, _digest(cell), body)
        targets.append((target, judge(graph, cell.brief_id)))
    results: list[AttackResult] = []
    for attack in (*ATTACKS, *MUTATIONS):
        pairs: list[tuple[Scorecard, Scorecard]] = []
        for target, before in targets:
            graph_after = changed(attack, target)
            if graph_after is not None:
                pairs.append((before, judge(graph_after, before.brief_id)))
        results.append(_attack_result(attack.__name__, pairs))
    return Audit(
        sampled=len(sample),
        cells=len(valid),
        at_ceiling=len([score for score in scores.values() if score >= CEILING]),
        constant_sub_scores=_constant_sub_scores(valid),
        indifferent_briefs=_indifferent_briefs(scores),
        attacks=tuple(results),
    )


def count_usable(entries: Iterable[ScoredFile]) -> tuple[ReliabilityCount, ...]:
    """The answers of each model, and those without a usable graph; a cell without an answer does
    not count.
    """
    models: defaultdict[str, list[ScoredFile]] = defaultdict(list)
    for entry in sorted(entries):
        if entry.answered:
            models[entry.cell.model_id].append(entry)
    return tuple(
        ReliabilityCount(
            model_id=model_id,
            answers=len(answers),
            unusable=tuple(entry.cell.brief_id for entry in answers if not entry.usable),
        )
        for model_id, answers in models.items()
    )


def _attack_result(attack: str, pairs: Sequence[tuple[Scorecard, Scorecard]]) -> AttackResult:
    reasons = Counter(_reason(before, after) for before, after in pairs)
    drops: list[float] = []
    for before, after in pairs:
        if before.overall_score is not None and after.overall_score is not None:
            drops.append(before.overall_score - after.overall_score)
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


def _reason(before: Scorecard, after: Scorecard) -> str:
    """What notices the change first."""
    if after.violation_codes:
        return "violation"
    results_before = {check.name: check for check in before.fidelity}
    worse: set[str] = set()
    for check in after.fidelity:
        if _is_worse(check, results_before[check.name]):
            worse.add(check.outcome)
    for outcome in ("fail", "warn"):
        if outcome in worse:
            return outcome
    drop = (before.overall_score or 0.0) - (after.overall_score or 0.0)
    return "score" if drop >= NOTICED_DROP else "nothing"


def _is_worse(after: CheckResult, before: CheckResult) -> bool:
    """True if a check newly fails or warns, or does so again with a smaller share."""
    if after.outcome == before.outcome:
        return after.share is not None and before.share is not None and after.share < before.share
    return after.outcome == "fail" or (after.outcome == "warn" and before.outcome != "fail")


def _other_graph(sample: Sequence[tuple[Cell, GraphJson]], index: int) -> GraphJson | None:
    """The next graph of another brief, from the start again after the last one."""
    own_cell, _ = sample[index]
    for cell, graph in (*sample[index + 1 :], *sample[:index]):
        if cell.brief_id != own_cell.brief_id:
            return graph
    return None


def _constant_sub_scores(valid: Sequence[ScoredFile]) -> tuple[str, ...]:
    values: defaultdict[str, set[float]] = defaultdict(set)
    for entry in valid:
        for name, value in entry.sub_scores.items():
            values[name].add(value)
    return tuple(name for name, distinct in values.items() if len(distinct) == 1)


def _indifferent_briefs(scores: Mapping[Cell, float]) -> tuple[str, ...]:
    """The briefs whose models have the same mean score, within what counts as noticed."""
    scores_by_model: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for cell, score in scores.items():
        scores_by_model[cell.brief_id, cell.model_id].append(score)
    means: defaultdict[str, list[float]] = defaultdict(list)
    for (brief_id, _), of_model in scores_by_model.items():
        means[brief_id].append(statistics.fmean(of_model))
    indifferent: list[str] = []
    for brief_id, of_brief in sorted(means.items()):
        distance = max(of_brief) - min(of_brief)
        if len(of_brief) > 1 and distance < NOTICED_DROP:
            indifferent.append(brief_id)
    return tuple(indifferent)


def _digest(cell: Cell) -> str:
    key = f"{SEED}/{cell.model_id}/{cell.brief_id}/{cell.sample}"
    return hashlib.sha256(key.encode("utf-8")).hexdigest()
