"""One side of a comparison: a revision with its scored cells; the inputs in which two differ."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from graph_evaluator.records.errors import Problem, nearest, refuse
from graph_evaluator.records.response import Run
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.shell import numbers

SETTINGS = ("samples", "round", "unparsed_draws")
"""The settings of `generate` that a manifest has."""


class NoResults(Exception):
    """Why there are no results of the inputs, and what to do.

    `not_run`: inputs of the working tree were changed since the run.
    """

    def __init__(self, *reasons: str, not_run: bool = False) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.not_run = not_run


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRevision:
    """A revision by the name that the user wrote.

    `revision` is its commit (None: the working tree), `date` the commit's, ISO 8601.
    """

    name: str
    revision: str | None
    date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide(NamedRevision):
    """The results of a revision.

    `rescored`: its answers were scored now. `model`: the only model of the side, where two are
    compared.
    """

    run: Run
    cells: tuple[ScoredCell, ...]
    rescored: bool = False
    model: str | None = None

    @property
    def models(self) -> frozenset[str]:
        """The ids of the models that have cells."""
        return frozenset(cell.model_id for cell in self.cells)

    @property
    def prompt(self) -> str:
        """The path of the prompt that was answered: a recorded model's own, else that of
        the run.
        """
        recorded = self.run.recorded.get(self.model or "")
        own_prompt = recorded.prompt if recorded else None
        return own_prompt or self.run.prompt.path

    @property
    def rules(self) -> frozenset[str]:
        """The hashes of the scoring rules that made the scores."""
        return frozenset(cell.scoring_rules for cell in self.cells)

    def of_model(self, model: str) -> "ComparedSide":
        """The side with the cells of one model."""
        cells = tuple(cell for cell in self.cells if cell.model_id == model)
        return replace(self, name=model, model=model, cells=cells)


def require_models(named: Iterable[str], known: Collection[str]) -> None:
    """Raise InputError for the models given to `--models` that a run does not have."""
    others = f"it has {', '.join(sorted(known))}"
    refuse(
        Problem("--models", model, f"is not in the run{nearest(model, known)}; {others}")
        for model in named
        if model not in known
    )


def unchanged_recordings(before: ComparedSide, after: ComparedSide) -> frozenset[str]:
    """Recorded models with equal answers on both sides of a change of the prompt: they are no
    evidence about the prompt.
    """
    if before.run.prompt.sha256 == after.run.prompt.sha256:
        return frozenset()
    common = before.models & after.models
    old, new = before.run.recorded, after.run.recorded
    return frozenset(
        model
        for model in common & old.keys() & new.keys()
        if old[model].answers_sha256 == new[model].answers_sha256
    )


def changed_inputs(before: Run, after: Run) -> Iterator[str]:
    """The prompt, models, briefs and settings in which two runs differ, by name."""
    if before.prompt != after.prompt:
        yield f"prompt {', '.join(sorted({before.prompt.path, after.prompt.path}))}"
    inputs = {"model": (before.models, after.models), "brief": (before.briefs, after.briefs)}
    for noun, (old, new) in inputs.items():
        differing = {name for name, _ in old.items() ^ new.items()}
        changes = {
            noun: differing & old.keys() & new.keys(),
            f"added {noun}": new.keys() - old.keys(),
            f"removed {noun}": old.keys() - new.keys(),
        }
        for change, names in changes.items():
            if names:
                yield f"{change} {numbers.first_of(sorted(names), 5)}"
    for name in SETTINGS:
        value = getattr(after, name)
        if value != getattr(before, name):
            yield f"generate.{name} {value}"
