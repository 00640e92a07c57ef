"""The verdict on paired cells, overall and for each model, why, and what to do next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Literal, get_args

from stages.commands.compare.changes import brief_differences
from stages.commands.compare.pairing import Pair, PairEnd, Pairing, by_brief, by_model
from stages.shared.analysis.error_rate import divided, step_down
from stages.shared.analysis.paired_test import FEW_BRIEFS, MIN_BRIEFS, PairedTest, paired_test
from stages.shared.records.measurement import Measurement
from stages.shared.records.params import CompareParams
from stages.shared.shell import numbers

Verdict = Literal[
    "could not measure",
    "unchanged",
    "better",
    "worse",
    "no meaningful difference",
    "cannot tell",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
EXIT_CODES: Mapping[str, int] = {
    "could not measure": 4,
    "unchanged": 0,
    "better": 0,
    "worse": 1,
    "no meaningful difference": 0,
    "cannot tell": 3,
}
"""The exit code of each verdict; 2 is for wrong input."""
NEXT_STEPS: Mapping[Verdict, str] = {
    "could not measure": "run both sides on more briefs, or again for what is missing",
    "unchanged": "there is nothing to choose",
    "better": "take the candidate",
    "worse": "keep the baseline",
    "no meaningful difference": "take the side that costs less or answers faster",
    "cannot tell": "keep the baseline, or run more briefs or samples",
}
REASONS: Mapping[Verdict, str] = {
    "better": "the interval of the difference lies above 0: it is more than noise",
    "worse": "the interval of the difference lies below 0: it is more than noise",
    "no meaningful difference": (
        "the interval of the difference lies within ±{0:g}, which is too small to matter"
    ),
    "cannot tell": (
        "the interval of the difference holds 0, so that it may be noise, and reaches beyond "
        "±{0:g}, so that it may matter"
    ),
}
"""Why a test has its verdict; {0} is the difference that matters."""
CAVEAT = (
    "Few briefs with rare large losses; a failure that these briefs do not show would undo this."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on pairs, by the mean `difference` over briefs; `reason` is a part of a sentence,
    `caveat` a sentence that limits the verdict.
    """

    verdict: Verdict
    reason: str
    difference: Measurement
    caveat: str | None = None


def judge_pairing(pairing: Pairing, params: CompareParams) -> Judgement:
    """The verdict over all models: the mean over models on each brief."""
    asked = len({brief for _, brief in pairing.asked})
    test = _test_of(pairing.pairs, params, level(params))
    return judge(pairing.pairs, test, asked, params.min_difference)


def judge_models(pairing: Pairing, params: CompareParams) -> dict[str, Judgement]:
    """The verdict on each model that both sides asked; the intervals share one error rate, by
    Holm's procedure.
    """
    asked = Counter(model for model, _ in pairing.asked)
    groups = by_model(pairing.pairs)
    pairs = {model: groups.get(model, []) for model in sorted(asked)}
    tests = {model: partial(_test_of, group, params) for model, group in pairs.items()}
    measured = {model: tests[model] for model, group in pairs.items() if len(group) >= MIN_BRIEFS}
    judged = step_down(measured, level(params))
    return {
        model: judge(
            group,
            judged.get(model) or tests[model](level(params)),
            asked[model],
            params.min_difference,
        )
        for model, group in pairs.items()
    }


def level(params: CompareParams) -> float:
    """The confidence of each interval: the planned looks share the error rate."""
    return divided(params.confidence, params.planned_looks)


def _test_of(pairs: Sequence[Pair], params: CompareParams, confidence: float) -> PairedTest:
    differences = list(brief_differences(pairs).values())
    return paired_test(differences, params.min_difference, confidence)


def content_difference(pairing: Pairing, params: CompareParams) -> Measurement:
    """Candidate less baseline of the share of stated effects that usable graphs have right, over
    the briefs that have it on both sides.
    """
    differences = []
    for pairs in by_brief(pairing.pairs).values():
        moved = [pair.content_difference for pair in pairs]
        known = [difference for difference in moved if difference is not None]
        if known:
            differences.append(fmean(known))
    return paired_test(differences, params.min_difference, level(params)).difference


def judge(pairs: Sequence[Pair], test: PairedTest, asked: int, min_difference: float) -> Judgement:
    """The verdict: the first that applies.

    1. *Could not measure*: fewer than six briefs with a score on both sides, or less than half of
       those that both sides asked.
    2. *Unchanged*: both sides hold the same answers, scored by the same rules and alike.
    3. That of the paired test.
    """
    briefs = test.difference.n
    verdict: Verdict = "could not measure"
    caveat = None
    if briefs < MIN_BRIEFS:
        counted = numbers.counted(briefs, "brief")
        reason = f"{counted} with a score on both sides, and a verdict requires {MIN_BRIEFS}"
    elif 2 * briefs < asked:
        reason = (
            f"only {briefs} of the {asked} briefs that both sides asked have a score on both: "
            "answers are missing"
        )
    elif all(pair.unchanged for pair in pairs):
        verdict, reason = "unchanged", "both sides hold the same answers"
    else:
        verdict, reason = test.verdict, REASONS[test.verdict].format(min_difference)
        caveat = _caveat(pairs, test)
    return Judgement(verdict=verdict, reason=reason, difference=test.difference, caveat=caveat)


def _caveat(pairs: Sequence[Pair], test: PairedTest) -> str | None:
    """With fewer than 25 briefs, a long tail or failures on one side only."""
    if test.verdict == "cannot tell" or test.difference.n >= FEW_BRIEFS:
        return None
    baseline_fails = any(_has_failures(pair.baseline) for pair in pairs)
    candidate_fails = any(_has_failures(pair.candidate) for pair in pairs)
    return CAVEAT if test.has_long_tail or baseline_fails != candidate_fails else None


def _has_failures(end: PairEnd) -> bool:
    return end.summary.usable_rate.value != 1
