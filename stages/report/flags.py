"""What would mislead a reader of the tables: notices, shown at the top of everything, and flags."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.report.failures import failures_of
from stages.report.ranking import BriefResult, Candidate
from stages.shared.analysis.policy_estimate import tries_by_model
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.records.graph import read
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.response import Cell, Response, Run
from stages.shared.records.scorecard import CHECKS
from stages.shared.shell import numbers as show

SIMULATED = (
    "These are results of simulated models: they show how the tool works and say nothing about "
    "real models."
)
PARTLY_SIMULATED = (
    "The models that are marked simulated show how the tool works: their results say nothing about "
    "real models."
)
FEW_USABLE = 0.5
"""Share of answered cells with a usable graph below which a model is flagged."""
CEILING = 0.995
"""A score from which a graph has no room to be better."""
CEILING_SHARE = 0.8
"""With so many of its usable graphs at the ceiling, a model can hardly be told from another."""
TELLING_GRAPHS = 6
"""Of fewer graphs such a share says nothing."""
MIN_LABELS = 3
"""Different labels of a graph, from which on two graphs with the same ones are suspicious."""
NOTES = frozenset({"not_recorded", "policy_on_fewer_briefs", "constant_sub_scores"})
"""Kinds of flags that ask a reader for nothing."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What only the response of a cell knows: the model snapshot that the endpoint named, and the
    different labels of the graph as lines, without regard to case and order.
    """

    model: str | None
    labels: str


@dataclass(frozen=True, slots=True)
class Flag:
    """One thing to look at, in a sentence (plain text: escape it where it is shown)."""

    kind: str
    message: str
    model_id: str | None = None
    brief_id: str | None = None


def answered(response: Response) -> Answered:
    """What the analysis needs of a response."""
    graph, _ = read(response.answer.graph)
    labels = {node.label.casefold().strip() for node in graph.nodes if node.label}
    return Answered(response.answer.answered_model, "\n".join(sorted(labels)))


def flags_of(
    cells: Sequence[ScoredCell],
    candidates: Sequence[Candidate],
    briefs: Iterable[BriefResult],
    answers: Mapping[Cell, Answered],
    *,
    configs: Mapping[str, ModelConfig],
    run: Run,
) -> tuple[Flag, ...]:
    """Everything worth a look.

    Models by rank, then recorded ones, then briefs, shutdown dates, the score itself, and policies.
    """
    models = [candidate for candidate in candidates if not candidate.is_policy]
    of_models = [flag for model in models for flag in _of_model(model)]
    of_labels = [flag for model in models for flag in _of_labels(model, answers)]
    return (
        *of_models,
        *_of_recordings(models, run),
        *of_labels,
        *_of_briefs(briefs),
        *_of_shutdowns(cells, models, configs),
        *_of_scores(cells),
        *_of_policies(candidates, run),
    )


def _of_model(model: Candidate) -> Iterator[Flag]:
    answered, usable = model.summary.answered, model.summary.usable
    unfaithful = model.summary.unfaithful
    counts = [
        f"{failure.code.replace('_', ' ')} {show.count(len(failure.cells))}"
        for failure in failures_of(model.cells, {model.id: model.name})
        if failure.code in CHECKS
    ]
    checks = f": {', '.join(counts)}" if counts else ""
    if usable < FEW_USABLE * answered:
        share = show.share_of(usable, answered)
        message = f"{model.name} gave a usable graph in only {share} of its answers"
        failed = f"; {show.count(unfaithful)} failed a fidelity check{checks}" if unfaithful else ""
        yield Flag("few_usable", f"{message}{failed}.", model.id)
    elif unfaithful:
        share = show.share_of(unfaithful, answered)
        message = (
            f"{model.name} failed a fidelity check in {share} of its answers, which do not belong "
            f"to their briefs{checks}."
        )
        yield Flag("unfaithful", message, model.id)


def _of_labels(model: Candidate, answers: Mapping[Cell, Answered]) -> Iterator[Flag]:
    """One model's graphs with the same labels for several briefs: at most one of them can belong
    to its brief.
    """
    by_labels: defaultdict[str, set[str]] = defaultdict(set)
    for cell in model.cells:
        answer = answers.get(cell.cell)
        if answer and cell.structural_valid and answer.labels.count("\n") >= MIN_LABELS - 1:
            by_labels[answer.labels].add(cell.brief_id)
    groups = sorted(sorted(briefs) for briefs in by_labels.values())
    repeated = max(groups, key=len, default=[])
    if len(repeated) > 1:
        message = (
            f"{model.name} gave graphs with the same labels for {len(repeated)} briefs: "
            f"{show.first_of(repeated)}."
        )
        yield Flag("repeated_labels", message, model.id)


def _of_recordings(models: Iterable[Candidate], run: Run) -> Iterator[Flag]:
    """Recorded models without an answer to some briefs, which are no cells of theirs."""
    for model in models:
        recorded = run.recorded.get(model.id)
        if recorded is not None and recorded.not_recorded:
            briefs = show.counted(recorded.not_recorded, "brief")
            message = f"{model.name} has no recorded answer to {briefs} of the run: not a failure."
            yield Flag("not_recorded", message, model.id)


def _of_briefs(briefs: Iterable[BriefResult]) -> Iterator[Flag]:
    for brief in briefs:
        if not brief.summary.usable:
            message = f"No model drafted a usable graph for {brief.brief_id}."
            yield Flag("brief_without_graph", message, brief_id=brief.brief_id)


def _of_shutdowns(
    cells: Iterable[ScoredCell], models: Iterable[Candidate], configs: Mapping[str, ModelConfig]
) -> Iterator[Flag]:
    """No clock: a shutdown date is compared with the day of the newest answer of any model."""
    newest = max((cell.measured.created_at or "" for cell in cells), default="")[:10]
    for model in sorted(models, key=lambda model: model.id):
        config = configs.get(model.id)
        if config is None or config.deprecated_on is None:
            continue
        day = config.deprecated_on.isoformat()
        if newest >= day:
            outcome = f"was switched off on {day}: its results can no longer be reproduced."
            yield Flag("shut_down", f"{model.name} {outcome}", model.id)
        else:
            outcome = f"is switched off on {day}; from then on its results cannot be reproduced."
            yield Flag("shutdown_date", f"{model.name} {outcome}", model.id)


def _of_scores(cells: Iterable[ScoredCell]) -> Iterator[Flag]:
    """Sub-scores that have no influence on this run."""
    valid = [cell for cell in cells if cell.overall_score is not None]
    if len(valid) < TELLING_GRAPHS:
        return
    values: defaultdict[str, set[float]] = defaultdict(set)
    for cell in valid:
        for key, value in cell.sub_scores.items():
            values[key].add(value)
    constant = [key.partition(".")[2] for key, found in values.items() if len(found) == 1]
    if constant:
        names = show.first_of([name.replace("_", " ") for name in constant])
        message = f"The same in every valid graph, so without influence on the ranking: {names}."
        yield Flag("constant_sub_scores", message)


def _of_policies(candidates: Iterable[Candidate], run: Run) -> Iterator[Flag]:
    """Policies without an estimate on some briefs, and the samples that they need; recorded answers
    cannot be added to.
    """
    for candidate in candidates:
        policy, runs = candidate.policy, candidate.runs
        if policy is None or runs is None or not runs.missing:
            continue
        missing, asked = len(runs.missing), len(runs.missing) + len(runs.briefs)
        briefs = f"{show.count(missing)} of {show.counted(asked, 'brief')}"
        tries = tries_by_model(policy)
        needed = max((tries[model] for model in tries.keys() - run.recorded.keys()), default=0)
        kind, advice = "policy_on_fewer_briefs", ""
        if needed > run.samples:
            kind, advice = "policy_missing", f": generate.samples would have to be {needed}"
        lack = f"has no estimate on {briefs}, with fewer answers than it may call"
        yield Flag(kind, f"{candidate.name} {lack}{advice}.", policy.id)


def notices_of(
    cells: Sequence[ScoredCell],
    models: Iterable[Candidate],
    briefs: Sequence[BriefResult],
    flags: Iterable[Flag],
) -> Iterator[str]:
    """What a reader must know first; that answers are missing comes last, where it is seen."""
    simulated = {cell.measured.simulated for cell in cells}
    if simulated == {True}:
        yield SIMULATED
    elif True in simulated:
        yield PARTLY_SIMULATED
    yield from _of_meaning(models, briefs)
    rules = len({cell.scoring_rules for cell in cells})
    if rules > 1:
        yield (
            f"The scores come from {rules} different sets of scoring rules and must not be "
            "compared: run dvc repro -f score."
        )
    yield from (flag.message for flag in flags if flag.kind == "shut_down")
    missing = sum(not cell.answered for cell in cells)
    if missing:
        yield (
            f"{show.counted(missing, 'cell has', 'cells have')} no answer; dvc repro -f calls "
            "only those."
        )


def _of_meaning(models: Iterable[Candidate], briefs: Sequence[BriefResult]) -> Iterator[str]:
    """That nothing is known of content, or that the score does not tell the models apart."""
    unstated = [brief.brief_id for brief in briefs if brief.form_only]
    if 2 * len(unstated) > len(briefs):
        count = show.share_of(len(unstated), len(briefs))
        yield (
            f"Form only: {count} of the briefs state no effects, so nothing is known of whether "
            "graphs are right. graph-evaluator briefs draft ID --by MODEL proposes effects."
        )
    equal = [model.name for model in models if _is_at_ceiling(model)]
    if len(equal) > 1:
        yield (
            f"The score no longer tells {show.first_of(equal)} apart: four fifths of their usable "
            "graphs are at its ceiling. Compare their content."
        )


def _is_at_ceiling(model: Candidate) -> bool:
    """Whether nearly every usable graph has the highest score, among enough to say so."""
    scores = [cell.score for cell in model.cells if cell.usable]
    at_ceiling = sum(score >= CEILING for score in scores)
    return len(scores) >= TELLING_GRAPHS and at_ceiling >= CEILING_SHARE * len(scores)
