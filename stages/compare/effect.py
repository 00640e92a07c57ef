"""The effect on scores: the difference, its interval, its p-value and the verdict, of one model or overall."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stages.compare.contrast import Contrast, contrasts
from stages.compare.outlook import Outlook, outlook
from stages.compare.pairing import Pair, Pairing, by_model
from stages.compare.statistics import SignFlip, holm, sign_flip
from stages.compare.verdict import Judgement, judge, least_briefs
from stages.contracts.interval import Interval, mean_interval
from stages.contracts.params import CompareParams


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A difference of mean scores over briefs, head less base. None: could not be measured.

    `p` is the sign-flip test's, `p_adjusted` the same after Holm's correction over the models. The `interval` is None too where
    both sides hold the very same answers: nothing changed, in whatever briefs.
    """

    briefs: int
    base: float | None
    head: float | None
    difference: float | None
    interval: Interval | None
    p: float | None
    p_adjusted: float | None
    exact: bool
    judgement: Judgement
    outlook: Outlook | None


def overall_effect(pairing: Pairing, params: CompareParams) -> Effect:
    """The effect on the mean over models: one test, at the whole error rate."""
    asked = len({brief for _, brief in _asked(pairing)})
    each_brief = contrasts(pairing.pairs)
    return _effect(pairing.pairs, each_brief, asked, params, _test(each_brief, params), adjusted=None, tests=1)


def model_effects(pairing: Pairing, params: CompareParams) -> dict[str, Effect]:
    """The effect on each model that both sides have: tests that share one error rate, by Holm's correction."""
    groups = by_model(pairing.pairs)
    asked = Counter(model for model, _ in _asked(pairing))
    each_brief = {model: contrasts(groups.get(model, ())) for model in sorted(asked)}
    tests = {model: _test(found, params) for model, found in each_brief.items()}
    enough = least_briefs(1 - params.confidence)
    family = {model: test.p for model, test in tests.items() if test is not None and len(each_brief[model]) >= enough}
    adjusted = holm(family)
    return {
        model: _effect(
            groups.get(model, ()),
            found,
            asked[model],
            params,
            tests[model],
            adjusted=adjusted.get(model),
            tests=max(1, len(family)),
        )
        for model, found in each_brief.items()
    }


def _asked(pairing: Pairing) -> list[tuple[str, str]]:
    return [(each.model_id, each.brief_id) for each in pairing.pairs] + list(pairing.unpaired)


def _test(each_brief: Sequence[Contrast], params: CompareParams) -> SignFlip | None:
    return sign_flip([each.difference for each in each_brief], seed=params.seed) if each_brief else None


def _effect(
    pairs: Sequence[Pair],
    each_brief: Sequence[Contrast],
    asked: int,
    params: CompareParams,
    test: SignFlip | None,
    *,
    adjusted: float | None,
    tests: int,
) -> Effect:
    count = len(each_brief)
    alpha = 1 - params.confidence
    differences = [each.difference for each in each_brief]
    difference = math.fsum(differences) / count if count else None
    interval = mean_interval(differences, params.confidence, bounds=(-1.0, 1.0))
    p_adjusted = adjusted if adjusted is not None else (test.p if test else None)
    same = bool(pairs) and all(each.same_answers for each in pairs)
    judgement = judge(
        count=count,
        asked=asked,
        difference=difference,
        interval=interval,
        p=p_adjusted,
        same_answers=same,
        min_difference=params.min_difference,
        alpha=alpha,
    )
    open_question = judgement.verdict == "cannot tell" and not judgement.equivalent
    return Effect(
        briefs=count,
        base=math.fsum(each.base for each in each_brief) / count if count else None,
        head=math.fsum(each.head for each in each_brief) / count if count else None,
        difference=difference,
        interval=None if same and difference == 0.0 else interval,
        p=test.p if test else None,
        p_adjusted=p_adjusted,
        exact=test.exact if test else False,
        judgement=judgement,
        outlook=outlook(each_brief, min_difference=params.min_difference, alpha=alpha / tests)
        if open_question
        else None,
    )
