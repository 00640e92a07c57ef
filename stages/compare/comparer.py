"""Compares revisions by their names: two of them, two models of one, the runs along a branch."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from stages.compare.comparison import Comparison, Unmeasured, compare
from stages.compare.effect import level
from stages.compare.loading import Loader
from stages.compare.pairing import mean_score
from stages.compare.policies import side_of_policy
from stages.compare.revisions import Revisions
from stages.compare.sides import ComparedSide, NamedRevision, NotMeasured, require_models
from stages.compare.verdict import Verdict
from stages.compare.wording import figures_of_side
from stages.contracts.errors import InputError
from stages.contracts.params import CompareParams, Params
from stages.contracts.run import Run
from stages.shell import numbers
from stages.shell.files import parse_record
from stages.statistics.estimates import ScoreEstimate

AnyRevision = TypeVar("AnyRevision", bound=NamedRevision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run.

    `score` is the mean expected score over its `models`, `cost_usd` the cost of all its answers, as
    far as it is known. `verdict` is against the run before, by the scores shown; None for the
    first, and where the rules differed. `then` is that by the scores as they were recorded, when
    these were scored again.
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
    simulated: bool
    verdict: Verdict | None
    difference: float | None
    then: Verdict | None = None

    @property
    def commit(self) -> str:
        """The first digits of its commit."""
        return self.revision[:7] if self.revision else "workspace"

    @property
    def changed(self) -> bool:
        """True when today's rules give another verdict than the rules of that time did."""
        return self.then is not None and self.verdict is not None and self.then != self.verdict


class Comparer:
    """Compares the revisions of a repository by `params`, whose rules score again where those of
    two sides differ.

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
        """Compare two models or policies of one revision's run, paired by brief; InputError if the
        run lacks one of them.
        """
        revision = self._revisions.resolve(name)
        try:
            (side,) = self._loader.load_comparable(revision)
            policies = side.decision.policies if side.decision else {}
            require_models((base_model, head_model), {*side.models, *policies})
            pair = f"{head_model} against {base_model}"
            base, head = (
                side_of_policy(side, policies[name], pair)
                if name in policies
                else side.of_model(name, pair)
                for name in (base_model, head_model)
            )
        except NotMeasured as error:
            return _unmeasured(base_model, head_model, error)
        return compare(base, head, self._settings)

    def history(
        self, branch: str | None, *, rescore: bool, limit: int
    ) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """The runs along a branch, and why some are left out."""
        skipped: list[str] = []
        runs = self._revisions.runs(branch or self._revisions.main_branch())[-limit:]
        sides = distinct(_load_readable(self._loader.load, runs, skipped))
        if not rescore:
            return history(sides, self._settings), tuple(skipped)
        now = _load_readable(self._loader.by_todays_rules, sides, skipped)
        shown = {side.revision for side in now}
        recorded = [side for side in sides if side.revision in shown]
        return history(now, self._settings, recorded=recorded), tuple(skipped)

    def _compare(self, base: NamedRevision, head: NamedRevision) -> Comparison | Unmeasured:
        try:
            first, second = self._loader.load_comparable(base, head)
            self._require_common_model(first, second)
        except NotMeasured as error:
            return _unmeasured(base.name, head.name, error)
        looks = self._looks(first.run, second.run)
        return compare(first, second, self._settings, looks=looks)

    def _require_common_model(self, base: ComparedSide, head: ComparedSide) -> None:
        """Raise NotMeasured, with what to compare instead, where no model is on both sides."""
        if base.models & head.models:
            return
        head_name = "the working tree" if head.revision is None else head.name
        reason = (
            f"no model in common: {base.name} ran {numbers.first_of(sorted(base.models))}, "
            f"{head_name} {numbers.first_of(sorted(head.models))}; compare runs of the same models "
            "(commit this run and compare later ones with it), or two models of one run: "
            "--models A B"
        )
        confidence = level(self._settings)
        raise NotMeasured(reason, *(figures_of_side(side, confidence) for side in (base, head)))

    def _looks(self, base: Run, head: Run) -> int:
        """How often git knows the head's prompt to be looked at; 0 where both sides have the same
        prompt.

        Looks differ in samples, round or briefs.
        """
        if base.prompt.sha256 == head.prompt.sha256:
            return 0
        runs = [head]
        for content in self._revisions.recorded_manifests():
            with suppress(InputError):
                runs.append(parse_record(content, Run, ""))
        same = [run for run in runs if run.prompt.sha256 == head.prompt.sha256]
        return len({(run.samples, run.round, *sorted(run.briefs)) for run in same})


def _unmeasured(base: str, head: str, error: NotMeasured) -> Unmeasured:
    return Unmeasured(base=base, head=head, reasons=error.reasons, not_run=error.not_run)


def _load_readable(
    load: Callable[[AnyRevision], ComparedSide],
    revisions: Iterable[AnyRevision],
    skipped: list[str],
) -> list[ComparedSide]:
    """The sides of revisions; why others cannot be read is added to `skipped`."""
    sides = []
    for revision in revisions:
        try:
            sides.append(load(revision))
        except NotMeasured as error:
            skipped.append(str(error))
    return sides


def distinct(sides: Iterable[ComparedSide]) -> list[ComparedSide]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    groups = groupby(sides, key=lambda side: (side.run.run_id, side.scorecards))
    return [next(same) for _, same in groups]


def history(
    sides: Sequence[ComparedSide],
    params: CompareParams,
    *,
    recorded: Sequence[ComparedSide] = (),
) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first.

    `recorded` are the same runs as recorded, when they were scored again.
    """
    now = _against_previous(sides, params)
    then = _against_previous(recorded, params) if recorded else [None] * len(sides)
    rows = zip(sides, now, then, strict=True)
    return tuple(_step(side, params, *comparisons) for side, *comparisons in rows)


def _against_previous(
    sides: Sequence[ComparedSide], params: CompareParams
) -> list[Comparison | None]:
    """Each side against the one before; None for the first, and where the rules differ."""
    comparisons: list[Comparison | None] = []
    for before, side in zip((None, *sides), sides, strict=False):
        comparable = before is not None and len(before.rules | side.rules) <= 1
        comparisons.append(compare(before, side, params) if before and comparable else None)
    return comparisons


def _step(
    side: ComparedSide,
    params: CompareParams,
    now: Comparison | None,
    then: Comparison | None,
) -> Step:
    answered = [card for card in side.scorecards if card.answered]
    costs = [card.measured.est_cost_usd for card in answered]
    known = [cost for cost in costs if cost is not None]
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        score=mean_score(answered, level(params)),
        models=len({card.model_id for card in answered}),
        answered=len(answered),
        usable=sum(card.usable for card in answered),
        cost_usd=math.fsum(known) if known else None,
        simulated=any(card.measured.simulated for card in answered),
        verdict=now.verdict if now else None,
        difference=now.scores.difference.value if now else None,
        then=then.verdict if then else None,
    )
