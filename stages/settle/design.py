"""The plan of a settlement, and the verdict at each of its looks: that of `compare`, with the longer interval of the look. Pure.

Looks add samples, not briefs: the difference has the variance `(brief_sd^2 + 2 answer_sd^2 / (models samples)) / briefs`, of which
samples reduce the second part alone.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from statistics import fmean

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit

from stages.compare.effect import POWER, paired_difference
from stages.compare.pairing import Pair, Pairing, by_brief
from stages.compare.verdict import judge
from stages.contracts.settlement import (
    PlannedLook,
    SettleDesign,
    Settlement,
    SettlementEnding,
    Spread,
    TakenLook,
)
from stages.settle.spending import chances, confidences
from stages.shell import numbers
from stages.statistics.error_rate import look_confidences
from stages.statistics.estimates import Difference, Scores, Side, difference_of, side_of

REFERENCE = 0.05
"""The difference for which the plan states the chance of a verdict."""
ASSUMED = Spread(brief_sd=0.03, answer_sd=0.1, usable_rate=1.0, quality=0.75, assumed=())
LEAST_REACHED = 0.005
"""A look whose chance of a verdict is lower than this is named as one without."""
LEAST_SD = 0.01
"""What a standard deviation is taken to be at least: a few equal answers do not show that all are."""
LEAST_BRIEFS, LEAST_FREEDOM, LEAST_ANSWERS = 6, 8, 16
"""What the stored answers must hold before they replace an assumption: paired briefs, repeated answers, answers."""
LEAST_CHANCE = 0.02
"""Below this chance of a verdict at the last look the briefs alone keep the question open, and the settlement ends."""


def spread_of(pairs: Sequence[Pair], cells: Sequence[Scores]) -> Spread:
    """How much scores vary, from the cells that have answers on both sides and from all cells of either; the rest is assumed."""
    groups = [[score or 0.0 for score in scores] for scores in cells]
    graphs = [[score for score in scores if score is not None] for scores in cells]
    answers, usable = sum(map(len, groups)), [score for scores in graphs for score in scores]
    freedom = sum(len(group) - 1 for group in groups if group)
    found: dict[str, float] = {}
    if answers >= LEAST_ANSWERS and usable:
        found |= {"usable_rate": len(usable) / answers, "quality": fmean(usable)}
    if freedom >= LEAST_FREEDOM:
        squares = math.fsum((score - fmean(group)) ** 2 for group in groups for score in group)
        found["answer_sd"] = max(LEAST_SD, math.sqrt(squares / freedom))
    briefs = by_brief(pairs).values()
    if len(briefs) >= LEAST_BRIEFS:
        noise = found.get("answer_sd", ASSUMED.answer_sd) ** 2 * fmean(
            math.fsum(1 / len(each.base_scores) + 1 / len(each.head_scores) for each in group)
            / len(group) ** 2
            for group in briefs
        )
        found["brief_sd"] = max(LEAST_SD, math.sqrt(max(0.0, _differences_variance(pairs) - noise)))
    assumed = tuple(name for name in Spread.model_fields if name != "assumed" and name not in found)
    return ASSUMED.model_copy(update={**found, "assumed": assumed})


def planned(draft: SettleDesign, samples: Sequence[int]) -> SettleDesign:
    """The design with its looks, of so many samples per cell, and the smallest difference that is found four times in five."""
    information = [
        1 / _variance(draft.spread, draft.models, draft.briefs, count) for count in samples
    ]
    normal = float(ndtri(0.5 + draft.confidence / 2))
    levels = confidences(information, draft.confidence, draft.boundary)
    widenings = [float(ndtri(0.5 + each / 2)) / normal for each in levels]
    halves = [
        _half_width(draft, count)
        + (widening - 1) * _student(draft.briefs, draft.confidence) / math.sqrt(each)
        for widening, count, each in zip(widenings, samples, information, strict=True)
    ]
    stops = [verdict_ranges(half, draft.margin) for half in halves]

    def found(difference: float) -> tuple[float, ...]:
        return chances(information, difference, [ranges[1:2] for ranges in stops])

    smallest = None
    if sum(found(1.0)) > POWER:
        smallest = float(brentq(lambda value: sum(found(value)) - POWER, 0.0, 1.0, xtol=5e-4))
    at_smallest = found(smallest or 0.0)
    equal, changed = (
        list(accumulate(chances(information, each, stops))) for each in (0.0, draft.reference)
    )
    looks = tuple(
        PlannedLook(
            samples=count,
            widening=widenings[index] if math.isfinite(widenings[index]) else None,
            half_width=halves[index] if math.isfinite(halves[index]) else None,
            reachable=smallest is not None and at_smallest[index] >= LEAST_REACHED,
            chance_if_equal=min(1.0, equal[index]),
            chance_if_changed=min(1.0, changed[index]),
        )
        for index, count in enumerate(samples)
    )
    return draft.model_copy(update={"smallest": smallest, "looks": looks})


def verdict_ranges(half: float, margin: float) -> list[tuple[float, float]]:
    """The estimates with which an interval of `half` to either side gives a verdict: worse, better, no meaningful difference.

    >>> verdict_ranges(0.03, 0.02)
    [(-inf, -0.03), (0.03, inf)]
    """
    outer = max(half, margin)
    inner = [(half - margin, margin - half)] if half < margin else []
    return [(-math.inf, -outer), (outer, math.inf), *inner]


def chance_left(design: SettleDesign, index: int, found: Difference, spread: Spread) -> float:
    """The chance of a verdict at the last look, given the estimate at an earlier one.

    With the same briefs the estimate moves only by what the further samples add: a normal distribution around the estimate, its
    variance the part that they remove. What the briefs contribute to the variance remains, and with it the interval's length.
    """
    last = design.looks[-1]
    if found.value is None or last.widening is None:
        return 0.0
    models, briefs = max(1, len(found.models)), found.briefs
    final = _variance(spread, models, briefs, last.samples)
    moves = math.sqrt(_variance(spread, models, briefs, design.looks[index].samples) - final)
    half = last.widening * _student(briefs, design.confidence) * math.sqrt(final)
    ranges = verdict_ranges(half, design.margin)
    return float(
        sum(
            ndtr((high - found.value) / moves) - ndtr((low - found.value) / moves)
            for low, high in ranges
        )
    )


def take_look(
    design: SettleDesign, index: int, pairing: Pairing, *, cells: int, answers: int
) -> TakenLook:
    """Judge the answers of a look, counted from 0; so many `cells` of both sides have so many `answers`."""
    planned, pairs = design.looks[index], pairing.pairs
    levels = look_confidences([look.samples for look in design.looks], design.confidence)
    found = paired_difference(pairs, levels[index])
    judgement = judge(
        found,
        briefs=len({pair.brief_id for pair in pairs}),
        asked=len({brief for _, brief in pairing.asked}),
        same_answers=bool(pairs) and all(pair.same_answers for pair in pairs),
        min_difference=design.margin,
        confidence=design.confidence,
    )
    spread = spread_of(
        pairs, [scores for pair in pairs for scores in (pair.base_scores, pair.head_scores)]
    )
    last = planned is design.looks[-1]
    known = judgement.verdict == "cannot tell" and not last and "answer_sd" not in spread.assumed
    return TakenLook(
        samples=planned.samples,
        cells=cells,
        answers=answers,
        value=found.value,
        low=found.low,
        high=found.high,
        briefs=found.briefs,
        verdict=judgement.verdict,
        reason=judgement.reason,
        chance_left=chance_left(design, index, found, spread) if known else None,
    )


def ending_of(design: SettleDesign, look: TakenLook) -> SettlementEnding | None:
    """How a look ends the settlement; None when the next look is to be taken."""
    if look.verdict == "could not measure":
        return "failures"
    if look.verdict != "cannot tell":
        return "verdict"
    if look.samples == design.looks[-1].samples:
        return "looks"
    return "briefs" if look.chance_left is not None and look.chance_left < LEAST_CHANCE else None


def recorded_look(settlement: Settlement, ending: SettlementEnding) -> TakenLook | None:
    """The last look of which all calls were made; None when there is none."""
    looks = settlement.looks[:-1] if ending in ("budget", "failures") else settlement.looks
    return looks[-1] if looks else None


def finished(
    settlement: Settlement, ending: SettlementEnding, failure: str | None, commands: tuple[str, ...]
) -> Settlement:
    """The settlement after its last look; `failure` says why answers are missing, with the endings "budget" and "failures"."""
    look, number = settlement.looks[-1], len(settlement.looks)
    verdict, reason = look.verdict, look.reason
    if failure is not None:
        verdict = "cannot tell" if number > 1 else "could not measure"
        cause = "the cap on the cost ended" if ending == "budget" else "failures ended"
        reason = (
            f"{cause} look {number} with {look.answers:,} of {look.cells:,} answers ({failure})"
        )
        reason += "" if ending == "budget" else "; the same command continues"
    elif ending == "briefs":
        reason = (
            f"it cannot be settled with these briefs and at most {settlement.design.looks[-1].samples} samples per cell: "
            f"the samples that remain would give a verdict with a chance of {numbers.share(look.chance_left)}"
        )
    elif ending == "looks":
        reason = f"{reason}, and this was the last look"
    update = {"verdict": verdict, "reason": reason, "ended": ending, "commands": commands}
    return settlement.model_copy(update=update)


def _student(briefs: int, confidence: float) -> float:
    return float(stdtrit(briefs - 1, 0.5 + confidence / 2))


def _differences_variance(pairs: Sequence[Pair]) -> float:
    """The variance over briefs of the mean difference over models."""
    return float(
        np.var(
            [fmean(pair.difference for pair in group) for group in by_brief(pairs).values()], ddof=1
        )
    )


def _variance(spread: Spread, models: int, briefs: int, samples: int) -> float:
    return (spread.brief_sd**2 + 2 * spread.answer_sd**2 / (models * samples)) / briefs


def _half_width(design: SettleDesign, samples: int) -> float:
    """Of the interval of typical answers: differences at the quantiles of a normal distribution, failures spread evenly."""
    spread, models, briefs = design.spread, design.models, design.briefs
    rate, quality = spread.usable_rate, spread.quality
    noise = max(0.0, spread.answer_sd**2 - rate * (1 - rate) * quality**2)
    normal = [float(ndtri((index + 0.5) / briefs)) for index in range(briefs)]
    scale = math.sqrt(
        (spread.brief_sd**2 + 2 * noise / (models * samples)) / float(np.var(normal, ddof=1))
    )

    def side(sign: int, offset: float) -> Mapping[str, Side]:
        steps = [
            math.floor(index * (1 - rate) + offset)
            for index in range(models * briefs * samples + 1)
        ]
        fails = (later > earlier for earlier, later in pairwise(steps))
        return {
            f"m{model}": side_of(
                {
                    f"b{brief:03}": [
                        None if next(fails) else quality + sign * scale * z / 2
                        for _ in range(samples)
                    ]
                    for brief, z in enumerate(normal)
                }
            )
            for model in range(models)
        }

    found = difference_of(side(-1, 0.25), side(1, 0.75), design.confidence)
    return ((found.high or 1.0) - (found.low or -1.0)) / 2
