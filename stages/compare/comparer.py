"""Compares revisions by their names: two of them, two models of one, the experiments of a commit, the runs along a branch."""

from collections.abc import Iterable

from stages.compare.comparison import Comparison, Unmeasured, compare
from stages.compare.history import Step, distinct, history
from stages.compare.loading import Loader, NotMeasured
from stages.compare.revisions import Revision, Revisions
from stages.compare.sides import Side, equally_rounded, models_of_one_run
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.params import CompareParams, Params
from stages.score import rules_sha256


class Comparer:
    """Compares the revisions of a repository.

    Args:
        revisions: The repository.
        params: Today's settings; the scoring rules among them score again where the rules of two sides differ.
        settings: How two sides are compared.
    """

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
        revisions = self._revisions.runs(branch or self._revisions.main_branch())[-limit:]
        recorded, skipped = self._load(revisions)
        kept = [recorded[index] for index in distinct([side for _, side in recorded])]
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

    def _load(self, revisions: Iterable[Revision]) -> tuple[list[tuple[Revision, Side]], list[str]]:
        found: list[tuple[Revision, Side]] = []
        skipped = []
        for revision in revisions:
            try:
                found.append((revision, self._loader.load(revision)))
            except NotMeasured as error:
                skipped.append(str(error))
        return found, skipped
