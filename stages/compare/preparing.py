"""Adapter: from two names to a comparison, and from a branch to its history: reads, rescores where needed, compares."""

from collections.abc import Iterable

from stages.compare.comparison import Comparison, compare
from stages.compare.freshness import stale, unscored
from stages.compare.history import Step, distinct, history
from stages.compare.loading import load_briefs, load_fingerprints, load_responses, load_side
from stages.compare.recorded import alike
from stages.compare.rescoring import rescored, to_rescore
from stages.compare.revision import NotStored, Revision
from stages.compare.revisions import Revisions
from stages.compare.side import Missing, Side
from stages.compare.unmeasured import Unmeasured
from stages.contracts.params import CompareParams, Params, ScoringRules
from stages.score.scorer import Scorer
from stages.shell import paths
from stages.shell.inputs import load_inputs


class Workbench:
    """Everything that a comparison is made with: the revisions, today's settings, and the score stage's rules at work."""

    def __init__(self, revisions: Revisions, params: Params, settings: CompareParams) -> None:
        self._revisions = revisions
        self._params = params
        self._settings = settings
        self._scorer = Scorer(params.score)

    def compare(self, base_name: str, head_name: str) -> Comparison | Unmeasured:
        """Compare two revisions by their names; sides scored under different rules are rescored first.

        Raises:
            InputError: there is no such revision.
        """
        return self._compared(*self._revisions.resolve_all((base_name, head_name)))

    def experiments(self, base_name: str) -> tuple[str, tuple[Comparison | Unmeasured, ...]]:
        """The name of a commit, and each experiment that began from it compared with it, in the order of their names.

        Raises:
            InputError: there is no such revision.
        """
        base = self._revisions.resolve(base_name)
        return base.name, tuple(self._compared(base, each) for each in self._revisions.experiments(base))

    def history(self, branch: str | None, *, rescore: bool, limit: int) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        """The runs along a branch, and why some are left out.

        Raises:
            InputError: there is no such branch.
        """
        revisions = self._revisions.runs(branch or self._revisions.main_branch(), paths.RUN)[-limit:]
        recorded, skipped = self._load(revisions)
        kept = [recorded[index] for index in distinct([side for _, side in recorded])]
        if not rescore:
            return history(alike([side for _, side in kept]), self._settings), tuple(skipped)
        afresh: list[Side] = []
        then: list[Side] = []
        for revision, side in kept:
            try:
                afresh.append(side if side.rules == {self._rules.sha256} else self._rescored(side, revision))
                then.append(side)
            except NotStored as error:
                skipped.append(str(error))
        return history(alike(afresh), self._settings, recorded=alike(then)), tuple(skipped)

    def _compared(self, base_revision: Revision, head_revision: Revision) -> Comparison | Unmeasured:
        base, head = load_side(self._revisions, base_revision), load_side(self._revisions, head_revision)
        reasons = [side.reason for side in (base, head) if isinstance(side, Missing)]
        reasons += [found for side in (base, head) if isinstance(side, Side) and (found := self._stale(side))]
        if isinstance(base, Missing) or isinstance(head, Missing) or reasons:
            return Unmeasured(base=base_revision.name, head=head_revision.name, reasons=tuple(dict.fromkeys(reasons)))
        first, second = to_rescore(base, head, self._rules.sha256)
        try:
            base = self._rescored(base, base_revision) if first else base
            head = self._rescored(head, head_revision) if second else head
        except NotStored as error:
            rules = "different rules" if len(base.rules | head.rules) > 1 else "rules that are not today's"
            reason = f"the sides were scored under {rules}, and {error}"
            return Unmeasured(base=base.name, head=head.name, reasons=(reason,))
        base, head = alike((base, head))
        return compare(base, head, self._settings, today=self._rules.sha256)

    @property
    def _rules(self) -> ScoringRules:
        return self._params.score

    def _load(self, revisions: Iterable[Revision]) -> tuple[list[tuple[Revision, Side]], list[str]]:
        found: list[tuple[Revision, Side]] = []
        skipped = []
        for revision in revisions:
            side = load_side(self._revisions, revision)
            if isinstance(side, Missing):
                skipped.append(side.reason)
            else:
                found.append((revision, side))
        return found, skipped

    def _rescored(self, side: Side, revision: Revision) -> Side:
        briefs = load_briefs(self._revisions, revision)
        return rescored(side, load_responses(self._revisions, revision), briefs, self._scorer)

    def _stale(self, side: Side) -> str | None:
        if side.revision is not None:
            return None
        inputs = load_inputs(self._params)
        return stale(
            side.run,
            prompt_path=inputs.prompt.path,
            prompt_sha256=inputs.prompt.sha256,
            models=inputs.models,
            briefs=inputs.briefs,
            settings=self._params.generate,
        ) or unscored(side.scorecards, load_fingerprints(self._revisions, self._revisions.resolve(side.name)))
