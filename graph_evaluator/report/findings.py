"""Everything that the reports say, computed once from the scored cells; with what would mislead a
reader of the tables: notices, shown at the top of everything, and notes, which are worth a look.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from graph_evaluator.analysis.summary import Summary, are_at_ceiling, summarise
from graph_evaluator.present.table import Section, Table
from graph_evaluator.records.codes import code_name
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import CompareParams, ReportParams
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.records.run_results import CheckCards, Decision, Run
from graph_evaluator.records.scorecard import Scorecard, ScoredCell
from graph_evaluator.report.check_cards import checks_section
from graph_evaluator.report.columns import FAILURES, counts_text, table_of
from graph_evaluator.report.decision import decide
from graph_evaluator.report.options import reading_section
from graph_evaluator.report.ranking import (
    BriefResult,
    Candidate,
    failures_of,
    rank_briefs,
    rank_candidates,
)
from graph_evaluator.report.reviews import Notes, ReviewFile, agreement_section, notes_section
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.text import clip

ReadCell: TypeAlias = Callable[[Cell], tuple[Scorecard, Response | None]]
"""Reads the scorecard and the response of a cell; None when its file is missing."""
RANKING_NOTE = (
    "Ranked by form, the mean over briefs. An answer without a usable graph counts 0, in content "
    "too; a missing answer does not count."
)
SIMULATED = (
    "These are results of simulated models: they show how the tool works and say nothing about "
    "real models."
)
PARTLY_SIMULATED = (
    "The models that are marked simulated show how the tool works: their results say nothing about "
    "real models."
)
FEW_USABLE = 0.5
"""Share of answered cells with a usable graph below which a model is worth a look."""
TELLING_GRAPHS = 6
"""The usable graphs of a model by which its form is said to be at the ceiling."""
MAX_NAME = 60
"""Maximum columns of a model's name."""
_SNAPSHOT = re.compile(r"[-@:](?:latest|[0-9]{3,8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$")
"""The end of a name that says which version of a model it is."""


class Note(NamedTuple):
    """One thing to look at, in a sentence, and the model or the brief that it is about."""

    message: str
    model_id: str | None = None
    brief_id: str | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of a run.

    `cells` are sorted by model, brief and sample, `candidates` (the models) by rank, `briefs` by
    id. `notices` are plain-text lines that are shown wherever results are, `notes` are worth a
    look, `sections` are about what graphs say, failures, checks and what people said.
    """

    run: Run
    cells: Sequence[ScoredCell]
    candidates: tuple[Candidate, ...]
    briefs: tuple[BriefResult, ...]
    total: Summary
    failures: Table
    decision: Decision
    notices: tuple[str, ...]
    notes: tuple[Note, ...]
    sections: tuple[Section, ...]

    @property
    def names(self) -> dict[str, str]:
        """The one name of each model, by id."""
        return {candidate.id: candidate.name for candidate in self.candidates}


def build_findings(
    run: Run,
    cells: Iterable[ScoredCell],
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    *,
    reviews: Sequence[ReviewFile] = (),
    answer_notes: Notes | None = None,
    notes_on_briefs: Iterable[str] = (),
    cards: CheckCards | None = None,
) -> Findings:
    """All findings of a run; `notes_on_briefs` are shown with the notices."""
    ordered = sorted(cells, key=lambda cell: cell.cell)
    candidates = rank_candidates(
        ordered, configs, prompt=run.prompt.path, confidence=compare.confidence
    )
    briefs = rank_briefs(ordered, candidates)
    failed = failures_of(ordered, {model.id: model.name for model in candidates})
    failures = table_of(failed, FAILURES, title="Failures", name="codes", root="")
    sections = [
        reading_section(ordered, candidates),
        Section("failed", "What failed and why", (), [failures]),
    ]
    if cards:
        sections.append(checks_section(cards, ordered, candidates))
    if reviews:
        sections.append(agreement_section(reviews, ordered, compare.confidence))
    if answer_notes:
        sections.append(notes_section(answer_notes, ordered, candidates))
    return Findings(
        run=run,
        cells=ordered,
        candidates=candidates,
        briefs=briefs,
        total=summarise(ordered),
        failures=failures,
        decision=decide(candidates, run, params, compare),
        notices=(
            *(f"{note}." for note in notes_on_briefs),
            *notices_of(ordered, candidates, briefs),
        ),
        notes=tuple(notes_of(candidates, briefs)),
        sections=tuple(sections),
    )


def notices_of(
    cells: Sequence[ScoredCell], models: Sequence[Candidate], briefs: Sequence[BriefResult]
) -> Iterator[str]:
    """The notices at the top of a report; missing answers come last, where they are seen."""
    simulated = {cell.cost.simulated for cell in cells}
    if True in simulated:
        yield SIMULATED if simulated == {True} else PARTLY_SIMULATED
    unstated = sum(brief.form_only for brief in briefs)
    if 2 * unstated > len(briefs):
        yield (
            f"Form only: {show.share_of(unstated, len(briefs))} of the briefs state no effects, so "
            "their graphs may be right or wrong. "
            "`graph-evaluator briefs draft ID --by MODEL` proposes effects."
        )
    equal = [model.name for model in models if _is_at_ceiling(model)]
    if len(equal) > 1:
        yield (
            f"Form cannot separate {show.first_of(equal)}: at least 80 % of their usable graphs "
            "have the top form. Compare their content."
        )
    rules = len({cell.scoring_rules for cell in cells})
    if rules > 1:
        yield (
            f"The scores come from {rules} different sets of scoring rules and must not be "
            "compared: run dvc repro -f score."
        )
    missing = sum(not cell.answered for cell in cells)
    if missing:
        answers = show.counted(missing, "answer is", "answers are")
        yield f"{answers} missing; dvc repro -f calls only for these."


def _is_at_ceiling(model: Candidate) -> bool:
    """Whether nearly every usable graph has the highest form, among enough graphs."""
    scores = [cell.form for cell in model.cells if cell.usable]
    return len(scores) >= TELLING_GRAPHS and are_at_ceiling(scores)


def notes_of(candidates: Iterable[Candidate], briefs: Iterable[BriefResult]) -> Iterator[Note]:
    """Everything worth a look: models by rank, then briefs."""
    for candidate in candidates:
        for message in _of_model(candidate):
            yield Note(message, candidate.id)
    for brief in briefs:
        if brief.summary.answered and not brief.summary.usable:
            message = f"No model drafted a usable graph for {brief.brief_id}."
            yield Note(message, brief_id=brief.brief_id)


def _of_model(model: Candidate) -> Iterator[str]:
    """Few usable graphs and why, other models that answered, unmeasured content, shutdown date."""
    summary = model.summary
    if summary.usable < FEW_USABLE * summary.answered or summary.outcomes["unfaithful"]:
        usable = show.share_of(summary.usable, summary.answered)
        unfaithful = [cell for cell in model.cells if cell.outcome == "unfaithful"]
        failed = Counter(code for cell in unfaithful for code in cell.codes)
        checks = [f"{code_name(code)} in {count}" for code, count in failed.most_common()]
        why = f"; failed checks: {', '.join(checks)}" if checks else ""
        yield f"{model.name}: {usable} of its answers have a usable graph{why}."
    others = other_models_text(model.name, model.cells)
    if others:
        yield others
    unmeasured = [cell for cell in model.cells if cell.content_is_unmeasured]
    if unmeasured:
        graphs = show.share_of(len(unmeasured), summary.usable)
        foreign = sum(cell.unchecked for cell in unmeasured)
        others = f" ({foreign} in another language than the brief)" if foreign else ""
        yield (
            f"{model.name}: the content of {graphs} of its usable graphs is not measured{others}. "
            "`graph-evaluator briefs code` codes their labels."
        )
    day = model.shutdown_date
    if day:
        yield f"{model.name} is switched off on {day}; later its results cannot be reproduced."


def other_models_text(name: str, cells: Iterable[ScoredCell]) -> str:
    """How many answers to `name` another model gave, and which; empty where none is known to.

    Only answers count that say which model gave them.
    """
    answers = 0
    others: Counter[str] = Counter()
    for cell in cells:
        asked, answered = cell.asked_model, cell.measured.answered_model
        if asked and answered:
            answers += 1
            if not is_same_model(asked, answered):
                others[clip(answered, MAX_NAME)] += 1
    if not others:
        return ""
    share, models = show.share_of(others.total(), answers), counts_text(others)
    return f"{name}: {share} of the answers are from another model than requested: {models}."


def is_same_model(asked: str, answered: str) -> bool:
    """Whether two names mean one model. Capitals and the path of a provider make no difference, nor
    does a snapshot that only one of the names states.

    >>> is_same_model("gpt-x", "openai/gpt-x-2026-10-01"), is_same_model("gpt-x", "gpt-x-mini")
    (True, False)
    """
    first, second = (name.rpartition("/")[2].casefold() for name in (asked, answered))
    return second in (first, _SNAPSHOT.sub("", first)) or first == _SNAPSHOT.sub("", second)
