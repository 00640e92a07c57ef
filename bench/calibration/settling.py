"""How settlements end: their wrong verdicts over all looks, what they find, what they save, and how often they stop too early."""

from collections import Counter
from typing import NamedTuple

from bench.calibration.coverage import draw
from bench.calibration.populations import Population
from bench.calibration.verdicts import pairing_of
from stages.contracts.settlement import Boundary, SettleDesign
from stages.settle.design import ASSUMED, REFERENCE, ending_of, planned, take_look

SAMPLES = (1, 2, 4, 8)
MARGIN, CONFIDENCE = 0.02, 0.95


class Settled(NamedTuple):
    """Shares of the repetitions: the verdicts over all looks; `fixed` is *better* at once with as many samples as the last look.

    `stopped` ended because the briefs keep it open, `wrong_stops` those for which the fixed number of samples has a verdict.
    `saved` is the share of the last look's calls that were not made.
    """

    better: float
    worse: float
    no_difference: float
    stopped: float
    wrong_stops: float
    saved: float
    fixed: float


def settled(
    population: Population,
    boundary: Boundary,
    effect: float,
    models: int,
    briefs: int,
    *,
    repetitions: int,
    seed: int = 5,
) -> Settled:
    """Settle again and again: planned by the assumptions, judged as the command judges."""
    base, head = draw(population, models, briefs, SAMPLES[-1], effect, repetitions, seed)
    design, fixed = (
        _design(boundary, models, briefs, samples) for samples in (SAMPLES, SAMPLES[-1:])
    )
    endings: Counter[str] = Counter()
    calls = 0
    for old, new in zip(base, head, strict=True):
        for index, samples in enumerate(SAMPLES):
            look = take_look(
                design,
                index,
                pairing_of(old[..., :samples], new[..., :samples]),
                cells=0,
                answers=0,
            )
            ending = ending_of(design, look)
            if ending is not None:
                break
        at_once = take_look(fixed, 0, pairing_of(old, new), cells=0, answers=0).verdict
        endings[look.verdict] += 1
        endings["at once"] += at_once == "better"
        endings["stopped"] += ending == "briefs"
        endings["wrong"] += ending == "briefs" and at_once != "cannot tell"
        calls += samples
    share = {name: count / repetitions for name, count in endings.items()}
    return Settled(
        better=share.get("better", 0.0),
        worse=share.get("worse", 0.0),
        no_difference=share.get("no meaningful difference", 0.0),
        stopped=share.get("stopped", 0.0),
        wrong_stops=share.get("wrong", 0.0),
        saved=1 - calls / repetitions / SAMPLES[-1],
        fixed=share.get("at once", 0.0),
    )


def _design(boundary: Boundary, models: int, briefs: int, samples: tuple[int, ...]) -> SettleDesign:
    draft = SettleDesign(
        base="A",
        head="B",
        base_prompt="",
        head_prompt="",
        base_run="",
        head_run="",
        scoring_rules="",
        models=models,
        briefs=briefs,
        confidence=CONFIDENCE,
        margin=MARGIN,
        boundary=boundary,
        spread=ASSUMED,
        reference=REFERENCE,
        smallest=None,
        looks=(),
    )
    return planned(draft, samples)
