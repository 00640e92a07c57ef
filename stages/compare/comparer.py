"""Compares revisions by their names: two of them, two models of one, the experiments of a commit, the runs along a branch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stages.compare.comparison import Comparison, Unmeasured, compare
from stages.compare.effect import level
from stages.compare.loading import Loader, NotMeasured
from stages.compare.pairing import scores_by_model
from stages.compare.revisions import Revision, Revisions
from stages.compare.sides import Side, equally_rounded, models_of_one_run
from stages.compare.verdict import Verdict
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.estimates import ScoreEstimate, mean_score_of
from stages.contracts.params import CompareParams, Params
from stages.score import rules_sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run. `score` is the mean expected score over its `models`, `cost_usd` the cost of all its answers, as far as it is known.

    `verdict` is against the run before, by the scores shown; None for the first, and where the two were scored by different
    rules. `then` is the verdict by the scores as they were recorded, when these were scored again.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    score: ScoreEstimate
    models: int
    answered: int
    usable: int
    cost_usd: float | None
    verdict: Verdict | None
    difference: float | None
    then: Verdict | None = None

    @property
    def changed(self) -> bool:
        """True when today's rules give another verdict than the rules of that time did."""
        return self.then is not None and self.verdict is not None and self.then != self.verdict


class Comparer:
    """Compares the revisions of a repository by `settings`; today's `params` score again where the rules of two sides differ."""

    def __init__(self, revisions: Revisions, params: Params, settings: CompareParams) -> None:
        self._revisions = revisions
        self._loader = Loader(revisions, params)
        self._rules = rules_sha256(params.score)
        self._settings = settings

    def compare(self, base_name: str, head_name: str) -> Comparison | Unmeasured:
        """Compare two revisions by their names.

        Raises:
            InputError: no revision has one of the names.
        """
        return self._compare(*self._revisions.resolve_all((base_name, head_name)))

    def models(self, name: str, base_model: str, head_model: str) -> Comparison | Unmeasured:
        """Compare two models of one revision's run.

        Raises:
            InputError: no revision has that name, or its run has no such model.
        """
        revision = self._revisions.resolve(name)
        try:
            (side,) = self._loader.load_comparable(revision)
        except NotMeasured as error:
            return Unmeasured(base=base_model, head=head_model, reasons=error.reasons, not_run=error.not_run)
        known = sorted({card.model_id for card in side.scorecards})
        problems = [
            Problem(
                "--models", model, f"is no model of {name}{nearest(model, known)}; its models are {', '.join(known)}"
            )
            for model in (base_model, head_model)
            if model not in known
        ]
        if problems:
            raise InputError(problems)
        return compare(*models_of_one_run(side, base_model, head_model), self._settings, today=self._rules)

    def experiments(self, base_name: str) -> tuple[str, tuple[Comparison | Unmeasured, ...]]:
        """The name of a commit, and each experiment that was started from it compared with it, sorted by name.

        Raises:
            InputError: no revision has that name.
        """
        base = self._revisions.resolve(base_name)
        return base.name, tuple(self._compare(base, each) for each in self._revisions.experiments(base))

    def history(self, branch: str | None, *, rescore: bool, limit: int) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """The runs along a branch, and why some are left out.

        Raises:
            InputError: no branch has that name.
        """
        found: list[tuple[Revision, Side]] = []
        skipped: list[str] = []
        for revision in self._revisions.runs(branch or self._revisions.main_branch())[-limit:]:
            try:
                found.append((revision, self._loader.load(revision)))
            except NotMeasured as error:
                skipped.append(str(error))
        kept = [found[index] for index in distinct([side for _, side in found])]
        if not rescore:
            return history(equally_rounded([side for _, side in kept]), self._settings), tuple(skipped)
        now: list[Side] = []
        then: list[Side] = []
        for revision, side in kept:
            try:
                now.append(side if side.rules == {self._rules} else self._loader.rescore(side, revision))
                then.append(side)
            except NotMeasured as error:
                skipped.append(str(error))
        steps = history(equally_rounded(now), self._settings, recorded=equally_rounded(then))
        return steps, tuple(skipped)

    def _compare(self, base: Revision, head: Revision) -> Comparison | Unmeasured:
        try:
            first, second = self._loader.load_comparable(base, head)
        except NotMeasured as error:
            return Unmeasured(base=base.name, head=head.name, reasons=error.reasons, not_run=error.not_run)
        return compare(first, second, self._settings, today=self._rules, looks=self._loader.looks(first, second))


def history(sides: Sequence[Side], params: CompareParams, *, recorded: Sequence[Side] = ()) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first; `recorded` are the same runs as recorded, when they were scored again."""
    now, then = _compared(sides, params), _compared(recorded, params) if recorded else [None] * len(sides)
    return tuple(_step(side, params, *found) for side, *found in zip(sides, now, then, strict=True))


def distinct(sides: Sequence[Side]) -> tuple[int, ...]:
    """The indices of the sides that differ from the one before: a commit that changed no score is not a run."""
    runs = [None, *((side.run.run_id, side.scorecards) for side in sides)]
    return tuple(index for index, run in enumerate(runs[1:]) if run != runs[index])


def _compared(sides: Sequence[Side], params: CompareParams) -> list[Comparison | None]:
    """Each side against the one before; None for the first, and where the two were scored by different rules."""
    pairs = zip((None, *sides), sides, strict=False)
    return [
        compare(before, side, params) if before is not None and len(before.rules | side.rules) <= 1 else None
        for before, side in pairs
    ]


def _step(side: Side, params: CompareParams, found: Comparison | None, then: Comparison | None) -> Step:
    answered = [card for card in side.scorecards if card.answered]
    scores = scores_by_model(answered)
    costs = [card.measured.est_cost_usd for card in answered if card.measured.est_cost_usd is not None]
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        score=mean_score_of(scores, level(params)),
        models=len(scores),
        answered=len(answered),
        usable=sum(card.usable for card in answered),
        cost_usd=math.fsum(costs) if costs else None,
        verdict=found.verdict if found else None,
        difference=found.scores.found.value if found else None,
        then=then.verdict if then else None,
    )
