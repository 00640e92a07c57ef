"""The verdict on paired cells, overall and for each model, why, and what to do next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from graph_evaluator.analysis.interval import step_down
from graph_evaluator.analysis.paired_test import (
    FEW_BRIEFS,
    MIN_BRIEFS,
    JointTest,
    PairedTest,
    Verdict,
    joint_test,
)
from graph_evaluator.analysis.summary import Summary, group
from graph_evaluator.compare.pairs import (
    Pair,
    PairEnd,
    Pairing,
    content_differences,
    score_differences,
    together,
)
from graph_evaluator.records.params import CompareParams
from graph_evaluator.shell import numbers

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EXIT_CODES: Mapping[str, int] = {
    "could not measure": 4,
    "unchanged": 0,
    "better": 0,
    "worse": 1,
    "mixed": 3,
    "no meaningful difference": 0,
    "cannot tell": 3,
}
"""The exit code of each verdict; 2 is for wrong input."""
NEXT_STEPS: Mapping[Verdict, str] = {
    "could not measure": "run both sides on more briefs, or again for what is missing",
    "unchanged": "there is nothing to choose",
    "better": "take the candidate",
    "worse": "keep the baseline",
    "mixed": "decide which of the two numbers matters more; the briefs that moved show why",
    "no meaningful difference": "take the side that costs less or answers faster",
    "cannot tell": "keep the baseline, or run more briefs or samples",
}
CAVEAT = (
    "Few briefs with rare large losses; a failure that these briefs do not show would undo this."
)
NOTHING_SHARED = "no model was asked the same brief on both sides"
SHARE_SOMETHING = (
    "both sides need a model and briefs in common: compare runs of the same models, or two models "
    "of one run (--models A B)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on pairs, by the tests of the expected score and of content.

    `reason` is a part of a sentence; `content_left_out` says why content decides nothing, None
    where it does; `caveat` is a sentence that limits the verdict.
    """

    verdict: Verdict
    reason: str
    score: PairedTest
    content: PairedTest
    content_left_out: str | None
    caveat: str | None = None

    @property
    def open_test(self) -> PairedTest | None:
        """The test that leaves the question open, that of the score first; None where none does."""
        if self.verdict != "cannot tell":
            return None
        is_open = self.score.verdict == "cannot tell" or self.content_left_out
        return self.score if is_open else self.content


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model, or all together, on both sides: the verdict, and what the cells of the pairs come
    to.
    """

    model_id: str
    judgement: Judgement
    baseline: Summary
    candidate: Summary


def judge_overall(
    pairing: Pairing, params: CompareParams, *, by_score: bool = False
) -> ModelComparison:
    """The comparison over all models: the mean over models on each brief. `by_score`: content
    decides nothing.
    """
    asked = len({brief for _, brief in pairing.asked})
    judged = _Judged("all models", pairing.pairs, asked, params, by_score)
    return judged.comparison(judged.test(params.confidence))


def judge_models(pairing: Pairing, params: CompareParams) -> tuple[ModelComparison, ...]:
    """The comparison of each model that both sides asked; their verdicts share one error rate, by
    Holm's procedure.
    """
    asked = Counter(model for model, _ in pairing.asked)
    groups = group(pairing.pairs, lambda pair: pair.model_id)
    models = [_Judged(name, groups.get(name, ()), asked[name], params) for name in sorted(asked)]
    measured = {of.model_id: of.test for of in models if len(of.pairs) >= MIN_BRIEFS}
    tests = step_down(measured, params.confidence, _is_settled)
    return tuple(
        of.comparison(tests.get(of.model_id) or of.test(params.confidence)) for of in models
    )


def _is_settled(test: JointTest) -> bool:
    return test.verdict in ("better", "worse", "mixed")


@dataclass(frozen=True, slots=True)
class _Judged:
    """The pairs of one model, or of all, of so many briefs that were asked."""

    model_id: str
    pairs: Sequence[Pair]
    asked: int
    params: CompareParams
    by_score: bool = False

    def test(self, confidence: float) -> JointTest:
        """The test of both numbers, or of the score where content is left out."""
        scores, contents = score_differences(self.pairs), content_differences(self.pairs)
        by_score = self.content_left_out is not None
        return joint_test(scores, contents, self.params, confidence, by_score=by_score)

    @property
    def content_left_out(self) -> str | None:
        """Why content decides nothing, and what to do; None where it was measured."""
        briefs = len(content_differences(self.pairs))
        if self.by_score:
            return "this command decides by it"
        if briefs < MIN_BRIEFS:
            counted = numbers.counted(briefs, "brief")
            return (
                f"{counted} with stated effects on both sides, and {MIN_BRIEFS} are needed "
                "(graph-evaluator briefs draft, then briefs code)"
            )
        return None

    def comparison(self, test: JointTest) -> ModelComparison:
        """The verdict: the first that applies.

        1. *Could not measure*: fewer than six briefs with a score on both sides, or less than half
           of those that both sides asked.
        2. *Unchanged*: both sides hold the same answers, scored by the same rules and alike.
        3. That of the test.
        """
        briefs = test.score.difference.n
        verdict: Verdict = "could not measure"
        caveat = None
        if not self.asked:
            reason = NOTHING_SHARED
        elif briefs < MIN_BRIEFS or 2 * briefs < self.asked:
            reason = (
                f"{numbers.counted(briefs, 'brief')} with a score on both sides, of {self.asked} "
                f"that both asked, and a verdict requires {MIN_BRIEFS} and half of them"
            )
        elif all(pair.unchanged for pair in self.pairs):
            verdict, reason = "unchanged", "both sides hold the same answers"
        else:
            verdict, caveat = test.verdict, _caveat(self.pairs, test)
            reason = f"score {_finding(test.score)}"
            if not self.content_left_out:
                reason += f"; content {_finding(test.content)}"
        judgement = Judgement(
            verdict=verdict,
            reason=reason,
            score=test.score,
            content=test.content,
            content_left_out=self.content_left_out,
            caveat=caveat,
        )
        baseline = together([pair.baseline for pair in self.pairs], self.params.confidence)
        candidate = together([pair.candidate for pair in self.pairs], self.params.confidence)
        return ModelComparison(self.model_id, judgement, baseline, candidate)


def _finding(test: PairedTest) -> str:
    """What a test shows of its number."""
    least = f"{test.min_difference:g}"
    if test.verdict == "better":
        return "is better: its interval lies above 0"
    if test.verdict == "worse":
        return "is worse: its interval lies below 0"
    if test.not_worse and test.not_better:
        return f"differs too little to matter: its interval lies within ±{least}"
    if test.not_worse:
        return f"is not worse, its interval lies above -{least}, but may be no better"
    if test.not_better:
        return f"is not better, its interval lies below {least}, but may be no worse"
    return f"may be better or worse: its interval holds 0 and reaches beyond ±{least}"


def _caveat(pairs: Sequence[Pair], test: JointTest) -> str | None:
    """With fewer than 25 briefs, a long tail or failures on one side only."""
    if test.verdict == "cannot tell" or test.score.difference.n >= FEW_BRIEFS:
        return None
    baseline_fails = any(_has_failures(pair.baseline) for pair in pairs)
    candidate_fails = any(_has_failures(pair.candidate) for pair in pairs)
    return CAVEAT if test.score.has_long_tail or baseline_fails != candidate_fails else None


def _has_failures(end: PairEnd) -> bool:
    return end.summary.usable_rate.value != 1
