"""The models of a run by rank, its briefs, and what failed and why."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graph_evaluator.analysis.choices import Choice, OptionReader
from graph_evaluator.analysis.summary import Summary, content_coverage, group, summarise
from graph_evaluator.records.model_config import ModelConfig, TargetMode
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.shell.text import visible


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model, its cells and their summary.

    * name: in all reports
    * config: None where `models/` has no such file
    * rank: by form, from 1; equal values (to 1e-9) share one, None without an answer
    """

    id: str
    name: str
    config: ModelConfig | None
    rank: int | None
    summary: Summary
    cells: tuple[ScoredCell, ...]

    @property
    def mode(self) -> TargetMode | None:
        """The mode that it is a candidate for; None without a config."""
        return self.config.target_mode if self.config else None

    @property
    def shutdown_date(self) -> str | None:
        """The day on which it is switched off, ISO 8601; None where no such day is known."""
        date = self.config.deprecated_on if self.config else None
        return date.isoformat() if date else None


class BriefResult(NamedTuple):
    """The figures of a brief. `scores` has the form of each model that was asked, by id in order of
    rank; None without an answer. `choices` are what its usable graphs recommend.

    `form_only`: it states no effects, so nothing is known of the content of its graphs.
    """

    brief_id: str
    form_only: bool
    summary: Summary
    cells: tuple[ScoredCell, ...]
    scores: Mapping[str, float | None]
    choices: tuple[Choice, ...]


class Occurrence(NamedTuple):
    """A status, a violation or a failed check, with the cells that it occurs in, and of how many;
    `models` are the names of the models with the number of their cells.
    """

    code: str
    cells: tuple[ScoredCell, ...]
    of_cells: int
    models: Mapping[str, int]


def rank_candidates(
    cells: Sequence[ScoredCell],
    configs: Mapping[str, ModelConfig],
    *,
    prompt: str | None,
    confidence: float,
) -> tuple[Candidate, ...]:
    """The models by rank; of equals the cheaper first, then the faster, then by id.

    `configs` are those by id, as far as there are any; `prompt` is the path of the run's.
    """
    by_model = group(cells, lambda cell: cell.model_id)
    names = _names_of(by_model, configs, prompt)
    summaries = {
        model: summarise(of_model, confidence=confidence) for model, of_model in by_model.items()
    }
    # What rounding adds to a sum makes no difference.
    forms = {
        model: round(summary.form.value, 9)
        for model, summary in summaries.items()
        if summary.form.value is not None
    }
    from_best = sorted(forms.values(), reverse=True)
    candidates = [
        Candidate(
            id=model,
            name=names[model],
            config=configs.get(model),
            rank=1 + from_best.index(forms[model]) if model in forms else None,
            summary=summary,
            cells=tuple(by_model[model]),
        )
        for model, summary in summaries.items()
    ]
    candidates.sort(key=lambda model: (model.rank or math.inf, *model.summary.price, model.id))
    return tuple(candidates)


def _names_of(
    models: Mapping[str, Sequence[ScoredCell]],
    configs: Mapping[str, ModelConfig],
    prompt: str | None,
) -> dict[str, str]:
    """The `display_name` of the config, with the id where two are equal; else the id. Recorded
    answers to another prompt say to which, and simulated models are marked where real ones took
    part.
    """
    names = {}
    simulated = {model: cells[0].cost.simulated for model, cells in models.items()}
    for model in models:
        config = configs.get(model)
        name = visible(config.display_name if config else model)
        if config and config.prompt not in (None, prompt):
            name += f" (with {visible(config.prompt)})"
        is_marked = "simulated" in name.casefold() or all(simulated.values())
        if simulated[model] and not is_marked:
            name += " (simulated)"
        names[model] = name
    times = Counter(names.values())
    return {
        key: name if times[name] == 1 else f"{name} ({visible(key)})" for key, name in names.items()
    }


def rank_briefs(
    cells: Sequence[ScoredCell], models: Sequence[Candidate]
) -> tuple[BriefResult, ...]:
    """The briefs by id; `models` are in order of rank."""
    covered = content_coverage(cells)
    results = []
    for brief, of_brief in group(cells, lambda cell: cell.brief_id).items():
        asked = {cell.model_id for cell in of_brief}
        known = {model.id: model.summary.briefs.get(brief) for model in models if model.id in asked}
        scores = {model_id: score.form if score else None for model_id, score in known.items()}
        result = BriefResult(
            brief_id=brief,
            form_only=not of_brief[0].states_effects,
            summary=summarise(of_brief, covered=covered),
            cells=tuple(of_brief),
            scores=scores,
            choices=tuple(OptionReader().read(of_brief)),
        )
        results.append(result)
    return tuple(results)


def failures_of(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> list[Occurrence]:
    """Why cells have no usable graph: cells without an answer first, then the most frequent code.
    `names` are those of the models, by id.
    """
    by_code: defaultdict[str, list[ScoredCell]] = defaultdict(list)
    for cell in cells:
        for code in dict.fromkeys(cell.codes):
            by_code[code].append(cell)
    occurrences = []
    for code, found in by_code.items():
        counts = Counter(names[cell.model_id] for cell in found)
        occurrences.append(Occurrence(code, tuple(found), len(cells), counts))
    return sorted(
        occurrences,
        key=lambda occurrence: (
            occurrence.cells[0].answered,
            -len(occurrence.cells),
            occurrence.code,
        ),
    )
