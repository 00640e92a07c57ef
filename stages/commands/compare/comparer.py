"""Compares revisions by their names: two of them, two models of one, the runs along a branch."""

from stages.commands.compare.comparison import Comparison, Unmeasured, compare
from stages.commands.compare.history import Step, distinct, history
from stages.commands.compare.loading import Loader
from stages.commands.compare.revisions import Revisions
from stages.commands.compare.sides import ComparedSide, NotMeasured, require_models
from stages.commands.compare.verdict import level
from stages.commands.compare.wording import side_alone
from stages.shared.records.params import Params
from stages.shared.records.response import Run
from stages.shared.shell import numbers
from stages.shared.shell.results import run_if_readable


class Comparer:
    """Compares the revisions of a repository by `params`, whose rules score again where those of
    two sides differ.

    Every method raises InputError where no revision has a name that it is given.
    """

    def __init__(self, revisions: Revisions, params: Params) -> None:
        self._revisions = revisions
        self._loader = Loader(revisions, params)
        self._settings = params.compare

    def compare(self, baseline: str, candidate: str) -> Comparison | Unmeasured:
        """Compare two revisions by their names."""
        before, after = self._revisions.resolve_all((baseline, candidate))
        try:
            first, second = self._loader.load_comparable(before, after)
            self._require_common_model(first, second)
        except NotMeasured as error:
            return _unmeasured(before.name, after.name, error)
        known = self._known_comparisons(first.run, second.run)
        return compare(first, second, self._settings, known_comparisons=known)

    def models(self, name: str, baseline: str, candidate: str) -> Comparison | Unmeasured:
        """Compare two models or policies of one revision's run, paired by brief; InputError if the
        run lacks one of them.
        """
        revision = self._revisions.resolve(name)
        try:
            (side,) = self._loader.load_comparable(revision)
            policies = side.decision.policies if side.decision else {}
            require_models((baseline, candidate), {*side.models, *policies})
            first, second = (
                side.of_policy(policies[name], candidate)
                if name in policies
                else side.of_model(name, candidate)
                for name in (baseline, candidate)
            )
        except NotMeasured as error:
            return _unmeasured(baseline, candidate, error)
        return compare(first, second, self._settings)

    def history(
        self, branch: str | None, *, limit: int
    ) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """The runs along a branch by today's rules, and why some are left out."""
        skipped: dict[str, list[str]] = {}
        sides = []
        for revision in self._revisions.runs(branch or self._revisions.main_branch())[-limit:]:
            try:
                sides.append(self._loader.load(revision))
            except NotMeasured as error:
                reason = str(error).replace(f" of {revision.name}", "")
                skipped.setdefault(reason, []).append(revision.name)
        lines = (f"{numbers.first_of(names)}: {reason}" for reason, names in skipped.items())
        return history(self._loader.by_todays_rules(distinct(sides)), self._settings), tuple(lines)

    def _require_common_model(self, baseline: ComparedSide, candidate: ComparedSide) -> None:
        """Raise NotMeasured, with what to compare instead, where no model is on both sides."""
        if baseline.models & candidate.models:
            return
        name = "the working tree" if candidate.revision is None else candidate.name
        reason = (
            f"no model in common: {baseline.name} ran {numbers.first_of(sorted(baseline.models))}, "
            f"{name} {numbers.first_of(sorted(candidate.models))}; compare runs of the same models "
            "(commit this run and compare later ones with it), or two models of one run: "
            "--models A B"
        )
        confidence = level(self._settings)
        sides = (side_alone(side, confidence) for side in (baseline, candidate))
        raise NotMeasured(reason, *sides)

    def _known_comparisons(self, baseline: Run, candidate: Run) -> int:
        """How many runs of the candidate's prompt git knows, which differ in samples, round or
        briefs; 0 where both sides have the same prompt.
        """
        if baseline.prompt.sha256 == candidate.prompt.sha256:
            return 0
        runs = [candidate]
        manifests = map(run_if_readable, self._revisions.recorded_manifests())
        runs += [run for run in manifests if run is not None]
        same = [run for run in runs if run.prompt.sha256 == candidate.prompt.sha256]
        return len({(run.samples, run.round, *sorted(run.briefs)) for run in same})


def _unmeasured(baseline: str, candidate: str, error: NotMeasured) -> Unmeasured:
    return Unmeasured(
        baseline=baseline, candidate=candidate, reasons=error.reasons, not_run=error.not_run
    )
