"""Compares revisions by their names: two of them, two models of one, the experiments of a commit, the runs along a branch."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from pydantic import ValidationError

from stages.compare.comparison import Comparison, Unmeasured, compare
from stages.compare.effect import level
from stages.compare.loading import Loader
from stages.compare.pairing import scores_by_model
from stages.compare.revisions import Revisions
from stages.compare.sides import NamedRevision, NotMeasured, Side, equally_rounded
from stages.compare.verdict import Verdict
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.json_text import NotJson, parse
from stages.contracts.params import CompareParams, Params
from stages.contracts.run import Run
from stages.statistics.estimates import mean_score_of
from stages.statistics.interval import ScoreEstimate

At = TypeVar("At", bound=NamedRevision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run. `score` is the mean expected score over its `models`, `cost_usd` the cost of all its answers, as far as it is known.

    `verdict` is against the run before, by the scores shown; None for the first, and where the rules differed. `then` is that by the scores
    as they were recorded, when these were scored again.
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
    """Compares the revisions of a repository by `params`, whose rules score again where those of two sides differ.

    Every method raises InputError where no revision has a name that it is given.
    """

    def __init__(self, revisions: Revisions, params: Params) -> None:
        self._revisions = revisions
        self._loader = Loader(revisions, params)
        self._settings = params.compare

    def compare(self, base_name: str, head_name: str) -> Comparison | Unmeasured:
        """Compare two revisions by their names."""
        return self._compare(*self._revisions.resolve_all((base_name, head_name)))

    def models(self, name: str, base_model: str, head_model: str) -> Comparison | Unmeasured:
        """Compare two models of one revision's run, paired by brief; InputError if the run lacks one of them."""
        revision = self._revisions.resolve(name)
        try:
            (side,) = self._loader.load_comparable(revision)
        except NotMeasured as error:
            return Unmeasured(
                base=base_model, head=head_model, reasons=error.reasons, not_run=error.not_run
            )
        known = sorted({card.model_id for card in side.scorecards})
        problems = [
            Problem(
                "--models",
                model,
                f"is no model of {name}{nearest(model, known)}; its models are {', '.join(known)}",
            )
            for model in (base_model, head_model)
            if model not in known
        ]
        if problems:
            raise InputError(problems)
        pair = f"{head_model} against {base_model}"
        base, head = (side.of_model(model, pair) for model in (base_model, head_model))
        return compare(base, head, self._settings, today=self._loader.rules)

    def experiments(self, base_name: str) -> tuple[str, tuple[Comparison | Unmeasured, ...]]:
        """The name of a commit, and each experiment that was started from it compared with it, sorted by name."""
        base = self._revisions.resolve(base_name)
        return base.name, tuple(
            self._compare(base, each) for each in self._revisions.experiments(base)
        )

    def history(
        self, branch: str | None, *, rescore: bool, limit: int
    ) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """The runs along a branch, and why some are left out."""
        skipped: list[str] = []

        def readable(read: Callable[[At], Side], wanted: Iterable[At]) -> list[tuple[At, Side]]:
            found = []
            for each in wanted:
                try:
                    found.append((each, read(each)))
                except NotMeasured as error:
                    skipped.append(str(error))
            return found

        runs = self._revisions.runs(branch or self._revisions.main_branch())[-limit:]
        sides = distinct(side for _, side in readable(self._loader.load, runs))
        recorded: list[Side] = []
        if rescore:
            both = readable(self._by_todays_rules, sides)
            recorded, sides = [then for then, _ in both], [now for _, now in both]
        return history(
            equally_rounded(sides), self._settings, recorded=equally_rounded(recorded)
        ), tuple(skipped)

    def _by_todays_rules(self, side: Side) -> Side:
        return side if side.rules == {self._loader.rules} else self._loader.rescore(side)

    def _compare(self, base: NamedRevision, head: NamedRevision) -> Comparison | Unmeasured:
        try:
            first, second = self._loader.load_comparable(base, head)
        except NotMeasured as error:
            return Unmeasured(
                base=base.name, head=head.name, reasons=error.reasons, not_run=error.not_run
            )
        return compare(
            first,
            second,
            self._settings,
            today=self._loader.rules,
            looks=self._looks(first.run, second.run),
        )

    def _looks(self, base: Run, head: Run) -> int:
        """How many distinct samples, rounds and brief sets of the head's prompt git knows; 0 where both sides have the same prompt."""
        if base.prompt.sha256 == head.prompt.sha256:
            return 0
        runs = [head]
        for content in self._revisions.recorded_manifests():
            with suppress(NotJson, ValidationError):
                runs.append(Run.read(parse(content)))
        same = (run for run in runs if run.prompt.sha256 == head.prompt.sha256)
        return len({(run.samples, run.round, *sorted(run.briefs)) for run in same})


def distinct(sides: Iterable[Side]) -> list[Side]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    return [
        next(same)
        for _, same in groupby(sides, key=lambda side: (side.run.run_id, side.scorecards))
    ]


def history(
    sides: Sequence[Side], params: CompareParams, *, recorded: Sequence[Side] = ()
) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first; `recorded` are the same runs as recorded, when they were scored again."""
    now, then = (
        _compared(sides, params),
        _compared(recorded, params) if recorded else [None] * len(sides),
    )
    return tuple(_step(side, params, *found) for side, *found in zip(sides, now, then, strict=True))


def _compared(sides: Sequence[Side], params: CompareParams) -> list[Comparison | None]:
    """Each side against the one before; None for the first, and where the two were scored by different rules."""
    pairs = zip((None, *sides), sides, strict=False)
    return [
        compare(before, side, params)
        if before is not None and len(before.rules | side.rules) <= 1
        else None
        for before, side in pairs
    ]


def _step(
    side: Side, params: CompareParams, found: Comparison | None, then: Comparison | None
) -> Step:
    answered = [card for card in side.scorecards if card.answered]
    scores = scores_by_model(answered)
    costs = [
        card.measured.est_cost_usd for card in answered if card.measured.est_cost_usd is not None
    ]
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
