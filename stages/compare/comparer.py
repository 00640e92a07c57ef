"""Compares revisions by their names: two of them, two models of one, the runs along a branch."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from stages.compare.comparison import Comparison, Unmeasured, compare
from stages.compare.history import Step, distinct, history
from stages.compare.loading import Loader
from stages.compare.policies import side_of_policy
from stages.compare.revisions import Revisions
from stages.compare.sides import ComparedSide, NamedRevision, NotMeasured, require_models
from stages.compare.verdict import level
from stages.compare.wording import figures_of_side
from stages.contracts.errors import InputError
from stages.contracts.params import Params
from stages.contracts.run import Run
from stages.shell import numbers
from stages.shell.files import parse_record

AnyRevision = TypeVar("AnyRevision", bound=NamedRevision)


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
