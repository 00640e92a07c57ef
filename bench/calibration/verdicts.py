"""How often each verdict of a whole comparison falls, and of any of its models: the error when nothing changed, and the power."""

from typing import NamedTuple

from bench.calibration.coverage import draw, sides
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


def verdicts(
    population: Population, effect: float, briefs: int, samples: int, *, repetitions: int
) -> Verdicts:
    """Run whole comparisons of four models over drawn briefs."""
    base, head = draw(population, MODELS, briefs, samples, effect, repetitions, 1)
    overall: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    better = worse = 0
    for old, new in zip(base, head, strict=True):
        pairing = pairing_of(old, new)
        overall[overall_effect(pairing, PARAMS).judgement.verdict] += 1
        found = {effect.judgement.verdict for effect in model_effects(pairing, PARAMS).values()}
        better += "better" in found
        worse += "worse" in found
    shares = {verdict: number / repetitions for verdict, number in overall.items()}
    return Verdicts(
        population.name, effect, briefs, samples, shares, better / repetitions, worse / repetitions
    )


def pairing_of(base: Scores, head: Scores) -> Pairing:
    """One repetition's (models, briefs, samples) of both sides, paired."""
    old, new = sides(base), sides(head)
    keys = [(model, brief) for model, briefs in old.items() for brief in briefs]
    paired = [key for key in keys if old[key[0]][key[1]] and new[key[0]][key[1]]]
    return Pairing(
        pairs=tuple(_pair(key, old[key[0]][key[1]], new[key[0]][key[1]]) for key in paired),
        only_base=(),
        only_head=(),
        unpaired=tuple(key for key in keys if key not in set(paired)),
        base_unanswered=0,
        head_unanswered=0,
    )


def _pair(key: tuple[str, str], base: list[float | None], head: list[float | None]) -> Pair:
    return Pair(
        model_id=key[0],
        brief_id=key[1],
        base_cards=(),
        head_cards=(),
        base_scores=tuple(base),
        head_scores=tuple(head),
    )
