"""How often each verdict falls: the error when nothing changed, and the power when something did."""

import math
from typing import NamedTuple

import numpy as np

from bench.calibration.populations import Population, Scores
from stages.compare.effect import model_effects, overall_effect
from stages.compare.pairing import Pair, Pairing
from stages.compare.verdict import VERDICTS, Verdict
from stages.contracts.params import CompareParams

PARAMS = CompareParams.model_validate({})
MODELS = 4


class Verdicts(NamedTuple):
    """The shares of repetitions by the overall verdict, and of those with any model *better* or *worse* by its own."""

    population: str
    effect: float
    briefs: int
    samples: int
    overall: dict[Verdict, float]
    any_better: float
    any_worse: float


def verdicts(population: Population, effect: float, briefs: int, samples: int, *, repetitions: int) -> Verdicts:
    """Run whole comparisons of four models over drawn briefs."""
    generator = np.random.default_rng([briefs, samples, round(effect * 1000), *population.name.encode()])
    shape = (repetitions, briefs, samples)
    drawn = [population.draw(generator, shape, effect) for _ in range(MODELS)]
    overall: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    better = worse = 0
    for index in range(repetitions):
        pairing = _pairing([(base[index], head[index]) for base, head in drawn])
        overall[overall_effect(pairing, PARAMS).judgement.verdict] += 1
        found = {effect.judgement.verdict for effect in model_effects(pairing, PARAMS).values()}
        better += "better" in found
        worse += "worse" in found
    shares = {verdict: number / repetitions for verdict, number in overall.items()}
    return Verdicts(population.name, effect, briefs, samples, shares, better / repetitions, worse / repetitions)


def _pairing(sides: list[tuple[Scores, Scores]]) -> Pairing:
    pairs, unpaired = [], []
    for model, (base, head) in enumerate(sides):
        for brief in range(len(base)):
            scores = [tuple(float(value) for value in side[brief] if not math.isnan(value)) for side in (base, head)]
            key = (f"m{model}", f"b{brief:03}")
            if scores[0] and scores[1]:
                pairs.append(_pair(key, scores[0], scores[1]))
            else:
                unpaired.append(key)
    return Pairing(
        pairs=tuple(pairs), only_base=(), only_head=(), unpaired=tuple(unpaired), base_unanswered=0, head_unanswered=0
    )


def _pair(key: tuple[str, str], base: tuple[float, ...], head: tuple[float, ...]) -> Pair:
    return Pair(model_id=key[0], brief_id=key[1], base_cards=(), head_cards=(), base_scores=base, head_scores=head)
