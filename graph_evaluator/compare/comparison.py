"""A comparison of two sides: the verdict first, then everything that it rests on, and what would
settle an open question; and of the runs along a branch, each with the one before. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from graph_evaluator.analysis.paired_test import NumberName, PairedTest, Verdict, paired_test
from graph_evaluator.analysis.summary import Summary, summarise
from graph_evaluator.compare.outlook import Outlook, outlook_of, rerun_changes
from graph_evaluator.compare.pairs import Pair, Pairing, brief_means, pair
from graph_evaluator.compare.revisions import ComparedSide, unchanged_recordings
from graph_evaluator.compare.verdict import (
    NOTHING_SHARED,
    ONLY_RECORDED,
    ModelComparison,
    judge_models,
    judge_overall,
)
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.run_results import Run
from graph_evaluator.shell import numbers

OTHER_SET = "*"
"""Marks a run of other models or briefs than the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceComparison:
    """Whether two sides recommend the same options, over pairs of model and brief.

    Of `compared` pairs `same` have an option in common; in `not_compared` the options of the two
    sides do not pair. `reruns` is how often two answers of the baseline agree, the mean over
    briefs. `excess` tests how much less often answers of the two sides agree than that, by brief;
    not measured without two answers of the baseline.
    """

    compared: int
    same: int
    not_compared: int
    reruns: Measurement
    excess: PairedTest

    @property
    def changed(self) -> bool:
        """Whether more choices changed than reruns of the baseline explain."""
        return self.excess.change == "up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides compared; `overall` is over all models. `outlook` says what would settle an open
    question, `reruns` what a rerun of the baseline alone changes each number by.
    """

    baseline: ComparedSide
    candidate: ComparedSide
    overall: ModelComparison
    outlook: Outlook | None
    reruns: Mapping[NumberName, float]
    models: tuple[ModelComparison, ...]
    choices: ChoiceComparison
    pairing: Pairing
    settings: CompareParams

    @property
    def verdict(self) -> Verdict:
        """That over all models."""
        return self.overall.judgement.verdict

    @property
    def reason(self) -> str:
        """Why it has its verdict, as a part of a sentence."""
        return self.overall.judgement.reason

    @property
    def rows(self) -> list[ModelComparison]:
        """All models together, then each; one model alone has one row."""
        return [*self.models] if len(self.models) == 1 else [self.overall, *self.models]

    @property
    def moved(self) -> list[Pair]:
        """The pairs that moved: those that recommend another option first, then the largest change
        of score; equal ones by brief and model.
        """
        moved = [pair for pair in self.pairing.pairs if pair.moved]
        moved.sort(key=lambda pair: (-abs(pair.difference), pair.brief_id, pair.model_id))
        return sorted(moved, key=lambda pair: not pair.choice.changed)


def compare_choices(
    pairs: Sequence[Pair], baseline: Summary, confidence: float
) -> ChoiceComparison:
    """The choices of paired cells; `baseline` is the summary of that side."""
    choices = [pair.choice for pair in pairs]
    same = Counter(choice.same for choice in choices if choice.baseline and choice.candidate)
    return ChoiceComparison(
        compared=same[True] + same[False],
        same=same[True],
        not_compared=same[None],
        reruns=baseline.same_choice,
        excess=paired_test(brief_means(pairs, lambda pair: pair.choice.excess), 0.0, confidence),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared:
    """Why two sides, by their names, could not be compared.

    `not_run`: inputs of the working tree were changed and not run since.
    """

    baseline: str
    candidate: str
    reasons: tuple[str, ...]
    not_run: bool = False
    verdict: Verdict = "could not measure"


def compare(baseline: ComparedSide, candidate: ComparedSide, params: CompareParams) -> Comparison:
    """Judge the candidate against the baseline, brief by brief, by form and content over all models
    that both sides have, but for `unchanged_recordings`.

    Raises:
        ValueError: the sides were scored by different rules; the caller scores the answers again
        first.
    """
    if len(baseline.rules | candidate.rules) > 1:
        raise ValueError("scores made by different rules cannot be compared")
    left_out = unchanged_recordings(baseline, candidate)
    pairing = pair(
        [cell for cell in baseline.cells if cell.model_id not in left_out],
        [cell for cell in candidate.cells if cell.model_id not in left_out],
        paired_as=candidate.model,
    )
    nothing = ONLY_RECORDED if left_out else NOTHING_SHARED
    overall, models = judge_overall(pairing, params, nothing=nothing), judge_models(pairing, params)
    return Comparison(
        baseline=baseline,
        candidate=candidate,
        overall=overall,
        outlook=outlook_of(overall, pairing.pairs),
        reruns=rerun_changes(overall, pairing.pairs),
        models=models,
        choices=compare_choices(pairing.pairs, overall.baseline, params.confidence),
        pairing=pairing,
        settings=params,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run.

    `form` is the mean over its models, `cost_usd` the cost of all its answers, as
    far as it is known. `verdict` and `difference` are against the run before, by what both have;
    None for the first, and where the rules differ. `other_set` names models and briefs that only
    one of the two has; empty where they have the same.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    form: Measurement
    usable_share: float | None
    cost_usd: float | None
    simulated: bool
    verdict: Verdict | None
    difference: float | None
    other_set: str = ""

    @property
    def commit(self) -> str:
        """The first digits of its commit."""
        return self.revision[:7] if self.revision else "workspace"


def distinct(sides: Iterable[ComparedSide]) -> list[ComparedSide]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    groups = groupby(sides, key=lambda side: (side.run.run_id, side.cells))
    return [next(same) for _, same in groups]


def history(sides: Sequence[ComparedSide], params: CompareParams) -> list[Step]:
    """The steps from one side to the next, the oldest first."""
    pairs = zip((None, *sides), sides, strict=False)
    return [_step(before, side, params) for before, side in pairs]


def _step(before: ComparedSide | None, side: ComparedSide, params: CompareParams) -> Step:
    comparison: Comparison | None = None
    if before is not None and len(before.rules | side.rules) <= 1:
        comparison = compare(before, side, params)
    summary = summarise(
        [cell for cell in side.cells if cell.answered], confidence=params.confidence
    )
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        form=summary.form,
        usable_share=summary.usable_share,
        cost_usd=summary.cost.usd,
        simulated=summary.simulated,
        verdict=comparison.verdict if comparison else None,
        difference=comparison.overall.judgement.form.difference.value if comparison else None,
        other_set=_other_set(before.run, side.run) if before else "",
    )


def _other_set(before: Run, after: Run) -> str:
    """The models and briefs that only one of two runs has."""
    differing = before.models.keys() ^ after.models.keys()
    return numbers.first_of(sorted(differing | before.briefs.keys() ^ after.briefs.keys()))
