"""The verdict on paired cells, overall and for each model, and what form and content show."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias, get_args

from graph_evaluator.analysis.interval import step_down
from graph_evaluator.analysis.paired_test import (
    MIN_BRIEFS,
    JointTest,
    PairedTest,
    Verdict,
    joint_test,
)
from graph_evaluator.analysis.summary import Summary, are_at_ceiling, count_top, group
from graph_evaluator.compare.pairs import (
    Pair,
    PairEnd,
    Pairing,
    brief_means,
    content_differences,
    form_differences,
    summarise_side,
)
from graph_evaluator.records.params import CompareParams
from graph_evaluator.shell import numbers

NumberName: TypeAlias = Literal["form", "content"]
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
NOTHING_SHARED = (
    "No model was asked the same brief on both sides: compare runs of the same models, or two "
    "models of one run (--models A B)."
)
ONLY_RECORDED = (
    "Both sides share only recorded models with equal answers, which say nothing about the prompt."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on pairs, by the tests of form and content.

    `reason` is one or more sentences; `content` is None where form decides alone, and then
    `content_left_out` says why and what to do.
    """

    verdict: Verdict
    reason: str
    form: PairedTest
    content: PairedTest | None
    content_left_out: str | None

    @property
    def tests(self) -> dict[NumberName, PairedTest]:
        """Those that decide."""
        tests: dict[NumberName, PairedTest] = {"form": self.form}
        return tests if self.content is None else {**tests, "content": self.content}

    @property
    def open_tests(self) -> dict[NumberName, PairedTest]:
        """Those that stand in the way of a verdict."""
        if self.verdict != "cannot tell":
            return {}
        return {name: test for name, test in self.tests.items() if test.change == "open"}


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
    tests = step_down(measured, params.confidence, _is_settled)
    return tuple(
        of.comparison(tests.get(of.model_id) or of.test(params.confidence)) for of in models
    )


def _is_settled(test: JointTest) -> bool:
    return test.verdict in ("better", "worse", "mixed")


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
        contents = content_differences(self.pairs)
        return joint_test(form_differences(self.pairs), contents, self.params, confidence)

    def comparison(self, test: JointTest) -> ModelComparison:
        """The verdict: the first that applies.

        1. *Could not measure*: fewer than six briefs with an answer on both sides, or less than
           half of those that both sides asked.
        2. *Unchanged*: both sides have the same answers, scored by the same rules and alike.
        3. That of the test.
        """
        briefs = test.form.difference.n
        verdict = test.verdict
        reason = " ".join(self._findings(test))
        if not self.asked:
            verdict, reason = "could not measure", self.nothing
        elif briefs < MIN_BRIEFS or 2 * briefs < self.asked:
            verdict = "could not measure"
            asked = numbers.counted(self.asked, "brief")
            reason = (
                f"Both sides have an answer to {briefs} of the {asked} that both asked. A verdict "
                f"needs {MIN_BRIEFS}, and half of them."
            )
        elif all(pair.unchanged for pair in self.pairs):
            verdict, reason = "unchanged", "Both sides have the same answers."
        judgement = Judgement(
            verdict=verdict,
            reason=reason,
            form=test.form,
            content=test.content,
            content_left_out=None if test.content else self._content_left_out(),
        )
        baseline = summarise_side([pair.baseline for pair in self.pairs], self.params.confidence)
        candidate = summarise_side([pair.candidate for pair in self.pairs], self.params.confidence)
        return ModelComparison(self.model_id, judgement, baseline, candidate)

    def _findings(self, test: JointTest) -> Iterator[str]:
        """One sentence for each number."""
        sides = [[getattr(pair, side) for pair in self.pairs] for side in ("baseline", "candidate")]
        scores = [_answer_scores(ends) for ends in sides]
        if test.form.change not in ("up", "down") and all(map(are_at_ceiling, scores)):
            top = sum(map(count_top, scores))
            answers = numbers.counted(sum(map(len, scores)), "answer")
            yield f"Form cannot separate them: {top} of {answers} have the top form, 1.000."
        else:
            yield _Finding(
                "Form", self._briefs(lambda end: end.form), test.form, test.verdict
            ).text()
        if test.content:
            yield _Finding(
                "Content", self._briefs(lambda end: end.content), test.content, test.verdict
            ).text()

    def _briefs(self, value_of: Callable[[PairEnd], float | None]) -> list[tuple[float, float]]:
        """The means over models of baseline and candidate, of each brief that has both."""
        known = [
            pair
            for pair in self.pairs
            if None not in (value_of(pair.baseline), value_of(pair.candidate))
        ]
        before = brief_means(known, lambda pair: value_of(pair.baseline))
        after = brief_means(known, lambda pair: value_of(pair.candidate))
        return [(before[brief], after[brief]) for brief in before]

    def _content_left_out(self) -> str:
        """Why form decides alone, and what to do."""
        measured = numbers.counted(len(content_differences(self.pairs)), "brief")
        return (
            f"content was not measured: both sides have it on {measured}, {MIN_BRIEFS} are needed "
            "(`graph-evaluator briefs code`, about $0.02 a brief)"
        )


def _answer_scores(ends: Iterable[PairEnd]) -> list[float]:
    return [cell.form for end in ends for cell in end.cells if cell.answered]


@dataclass(frozen=True, slots=True)
class _Finding:
    """A number with its values by brief, baseline and candidate, and what its test shows in a
    comparison with this verdict.
    """

    name: str
    briefs: Sequence[tuple[float, float]]
    test: PairedTest
    verdict: Verdict

    def text(self) -> str:
        """The sentence."""
        if self.test.change in ("up", "down"):
            return f"{self.name} {self._shown()}."
        if self.test.change == "too small to matter":
            return (
                f"{self.name} differs too little to matter: {self._measured()} {self._between()}."
            )
        if self.verdict == "better":
            worst = numbers.score(max(0.0, -self._ends[0]))
            return f"{self.name} {self._guard('fall')}, at worst {worst} lower."
        if self.verdict == "worse":
            best = numbers.score(max(0.0, self._ends[1]))
            return f"{self.name} {self._guard('rise')}, at best {best} higher."
        if self.test.fell or self.test.rose:
            direction = "lower" if self.test.fell else "higher"
            moved = f"{numbers.score(abs(self._value))} {direction}, {self._sides(' to ')}"
            return f"{self.name} was {moved}, which may be chance {self._between()}."
        return f"{self.name} is undecided: {self._measured()} {self._between()}."

    @property
    def _value(self) -> float:
        """The difference as it is printed."""
        return round(self.test.difference.value or 0.0, 3)

    @property
    def _ends(self) -> tuple[float, float]:
        return self.test.difference.ends or (0.0, 0.0)

    def _sides(self, join: str) -> str:
        return join.join(numbers.score(fmean(values)) for values in zip(*self.briefs, strict=True))

    def _measured(self) -> str:
        return f"{self._sides(' to ')}, {numbers.difference(self._value)}"

    def _between(self) -> str:
        low, high = map(numbers.difference, self._ends)
        return f"(between {low} and {high})"

    def _change(self) -> str:
        direction = "rose" if self._value > 0 else "fell"
        return f"{direction} from {self._sides(' to ')}: {numbers.difference(self._value)}"

    def _shown(self) -> str:
        """A change whose interval is on one side of 0."""
        if self.test.change == {"better": "down", "worse": "up"}.get(self.verdict):
            return f"{self._change()} {self._between()}, less than the {self._least} that matters"
        same = [brief for brief in self.briefs if (brief[1] - brief[0]) * self._value > 0]
        on = f"{len(same)} of {numbers.counted(len(self.briefs), 'brief')}"
        return f"{self._change()} {self._between()}, on {on}"

    def _guard(self, against: Literal["fall", "rise"]) -> str:
        """An open change of the number that must not have gone against the other."""
        went_against = self._value < 0 if against == "fall" else self._value > 0
        if went_against:
            return f"{self._change()}, less than the {self._least} that matters"
        return f"did not {against}: {self._sides(' to ')}"

    @property
    def _least(self) -> str:
        return f"{self.test.min_difference:g}"
