"""The verdict on paired cells, overall and for each model, and what form and content show."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import get_args

from graph_evaluator.analysis.interval import step_down
from graph_evaluator.analysis.paired_test import (
    MIN_BRIEFS,
    JointTest,
    NumberName,
    PairedTest,
    Verdict,
    joint_test,
)
from graph_evaluator.analysis.summary import Summary, are_at_ceiling, count_top, group
from graph_evaluator.compare.pairs import Pair, PairEnd, Pairing, brief_values, summarise_side
from graph_evaluator.records.params import CompareParams
from graph_evaluator.shell import numbers

EXIT_CODES: Mapping[Verdict, int] = {
    "could not measure": 4,
    "unchanged": 0,
    "better": 0,
    "worse": 1,
    "mixed": 3,
    "no meaningful difference": 0,
    "cannot tell": 3,
}
"""The exit code of each verdict; 2 is for wrong input."""
NOTHING_SHARED = (
    "No model was asked the same brief on both sides: compare runs of the same models, or two "
    "models of one run (--models A B)."
)
ONLY_RECORDED = (
    "Both sides share only recorded models with equal answers, which say nothing about the prompt."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(JointTest):
    """The verdict on pairs, by the tests of form and content.

    `reason` is one or more sentences; where form decides alone, `content_left_out` says why and
    what to do.
    """

    verdict: Verdict
    reason: str
    content_left_out: str | None


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """One model, or all together, on both sides: the verdict, and the summaries of the cells."""

    model_id: str
    judgement: Judgement
    baseline: Summary
    candidate: Summary


def judge_overall(
    pairing: Pairing,
    params: CompareParams,
    confidence: float | None = None,
    nothing: str = NOTHING_SHARED,
) -> ModelComparison:
    """The comparison over all models: the mean over models on each brief; at the confidence of the
    settings, unless another one is given. `nothing` is the reason where there is none to compare.
    """
    asked = len({brief for _, brief in pairing.asked})
    judged = _Judged("all models", pairing.pairs, asked, params, nothing)
    return judged.comparison(judged.test(confidence or params.confidence))


def judge_models(pairing: Pairing, params: CompareParams) -> tuple[ModelComparison, ...]:
    """The comparison of each model that both sides asked; their verdicts share one error rate, by
    Holm's procedure.
    """
    asked = Counter(model for model, _ in pairing.asked)
    groups = group(pairing.pairs, lambda pair: pair.model_id)
    models = [_Judged(name, groups.get(name, ()), asked[name], params) for name in sorted(asked)]
    measured = {of.model_id: of.test for of in models if len(of.pairs) >= MIN_BRIEFS}
    settled = ("better", "worse", "mixed")
    tests = step_down(measured, params.confidence, lambda test: test.outcome in settled)
    return tuple(
        of.comparison(tests.get(of.model_id) or of.test(params.confidence)) for of in models
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """The pairs of one model, or of all, among `asked` briefs."""

    model_id: str
    pairs: Sequence[Pair]
    asked: int
    params: CompareParams
    nothing: str = NOTHING_SHARED

    def test(self, confidence: float) -> JointTest:
        """The test of both numbers, or of form where content is left out."""
        forms, contents = (
            [after - before for before, after in brief_values(self.pairs, number)]
            for number in get_args(NumberName)
        )
        return joint_test(forms, contents, self.params, confidence)

    def comparison(self, test: JointTest) -> ModelComparison:
        """The verdict: the first that applies.

        1. *Could not measure*: fewer than six briefs with an answer on both sides, or less than
           half of those that both sides asked.
        2. *Unchanged*: both sides have the same answers, scored by the same rules and alike.
        3. That of the test.
        """
        baseline = [pair.baseline for pair in self.pairs]
        candidate = [pair.candidate for pair in self.pairs]
        briefs = test.form.difference.n
        verdict: Verdict = "could not measure"
        if not self.asked:
            reason = self.nothing
        elif briefs < MIN_BRIEFS or 2 * briefs < self.asked:
            asked = numbers.counted(self.asked, "brief")
            reason = (
                f"Both sides have an answer to {briefs} of the {asked} that both asked. A verdict "
                f"needs {MIN_BRIEFS}, and half of them."
            )
        elif all(pair.unchanged for pair in self.pairs):
            verdict, reason = "unchanged", "Both sides have the same answers."
        else:
            verdict = test.outcome
            reason = " ".join(self._findings(test, baseline, candidate))
        content_left_out = None
        if test.content is None:
            measured = len(brief_values(self.pairs, "content"))
            content_left_out = (
                "Content was not measured: both sides have it on "
                f"{numbers.counted(measured, 'brief')}, {MIN_BRIEFS} are needed "
                "(`graph-evaluator briefs code`, about $0.02 a brief)."
            )
        return ModelComparison(
            self.model_id,
            Judgement(
                form=test.form,
                content=test.content,
                verdict=verdict,
                reason=reason,
                content_left_out=content_left_out,
            ),
            summarise_side(baseline, self.params.confidence),
            summarise_side(candidate, self.params.confidence),
        )

    def _findings(self, joint: JointTest, *sides: Sequence[PairEnd]) -> Iterator[str]:
        """One sentence for each number."""
        scores = [[cell.form for end in side for cell in end.answers] for side in sides]
        is_at_ceiling = all(map(are_at_ceiling, scores))
        for number, test in joint.tests.items():
            name = number.capitalize()
            if number == "form" and is_at_ceiling and test.change not in ("up", "down"):
                top = sum(map(count_top, scores))
                answers = numbers.counted(sum(map(len, scores)), "answer")
                yield f"{name} cannot separate them: {top} of {answers} have the top form, 1.000."
            else:
                finding = _describe(test, joint.outcome, brief_values(self.pairs, number))
                yield f"{name} {finding}."


def _describe(test: PairedTest, verdict: Verdict, briefs: Sequence[tuple[float, float]]) -> str:
    """What the test of a number shows in a comparison with this verdict; `briefs` are its values of
    baseline and candidate.
    """
    value = round(test.difference.value or 0.0, 3)
    low, high = test.difference.ends or (0.0, 0.0)
    sides = " to ".join(numbers.score(fmean(values)) for values in zip(*briefs, strict=True))
    between = f"(between {numbers.difference(low)} and {numbers.difference(high)})"
    direction = "rose" if value > 0 else "fell"
    change = f"{direction} from {sides}: {numbers.difference(value)}"
    too_small = f"less than the {test.min_difference:g} that matters"
    if test.change == "too small to matter":
        return f"differs too little to matter: {sides}, {numbers.difference(value)} {between}"
    if test.change == {"better": "down", "worse": "up"}.get(verdict):
        return f"{change} {between}, {too_small}"
    if test.change in ("up", "down"):
        same = [before for before, after in briefs if (after - before) * value > 0]
        return f"{change} {between}, on {len(same)} of {numbers.counted(len(briefs), 'brief')}"
    if verdict not in ("better", "worse"):
        return f"is undecided: {sides}, {numbers.difference(value)} {between}"
    sign, against, limit = -1, "fall", f"at worst {numbers.score(max(0.0, -low))} lower"
    if verdict == "worse":
        sign, against, limit = 1, "rise", f"at best {numbers.score(max(0.0, high))} higher"
    if value * sign > 0:
        return f"{change}, {too_small}, {limit}"
    return f"did not {against}: {sides}, {limit}"
