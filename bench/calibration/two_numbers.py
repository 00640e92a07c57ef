"""Form and content of two prompts whose gains are known, as real answers vary: verdicts by the rule
of the product, also in interim analyses, and how single means cover the truth.

Content: 3 to 8 effects a brief; how likely an effect is right is fitted to two real runs of one
prompt (mean 0.82; two answers to a brief differ with a standard deviation of 0.157).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.calibration.measure import CONFIDENCE
from bench.calibration.populations import Mask, Scores
from graph_evaluator.analysis.interval import interim_confidence, usable_mean
from graph_evaluator.analysis.paired_test import joint_test
from graph_evaluator.records.params import CompareParams

Kind = Literal["ceiling", "near", "mid"]
GRID = 0.0125
"""Steps of form."""
FORMS: Mapping[Kind, tuple[float, float, float, float]] = {
    "ceiling": (1.0, 0.0, 0.02, 0.0),
    "near": (0.86, 0.05, 0.03 / 2**0.5, 0.05),
    "mid": (0.72, 0.08, 0.04 / 2**0.5, 0.065),
}
"""The mean over briefs, and the standard deviations between briefs, of a prompt's effect on a brief
and of an answer.
"""
EFFECTS = 8
"""The most effects of a brief."""
CHANCE = (0.573, 0.126)
"""The beta distribution of the chance that an effect is right."""
REDRAWN = 0.12
"""The share of effects whose chance another prompt draws again."""
SAMPLES = (1, 2, 4, 8)
"""Samples per cell at each interim analysis."""
PARAMS = CompareParams.model_validate({})


@dataclass(frozen=True, slots=True)
class Study:
    """What is drawn again and again: form at its ceiling, near it or in the middle; gains in form
    and content; the share of answers without a usable graph, which cluster in briefs.
    """

    kind: Kind
    gains: tuple[float, float] = (0.0, 0.0)
    failing: float = 0.0
    briefs: int = 16
    samples: int = 1

    def draw(self, repetitions: int) -> list[tuple[Scores, Scores]]:
        """Form and content of baseline, then of candidate: (repetitions, briefs, samples)."""
        gains = [round(1000 * gain) + 1000 for gain in self.gains]
        failing = round(1000 * self.failing)
        seed = [self.briefs, self.samples, failing, *gains, *self.kind.encode()]
        generator = np.random.default_rng(seed)
        shape = (repetitions, self.briefs, self.samples)
        forms = draw_forms(generator, self.kind, shape, self.gains[0])
        contents = draw_contents(generator, shape, self.gains[1])
        sides = []
        for form, content in zip(forms, contents, strict=True):
            failed = draw_failures(generator, shape, self.failing)
            sides.append((np.where(failed, 0.0, form), np.where(failed, 0.0, content)))
        return sides


def draw_forms(
    generator: np.random.Generator,
    kind: Kind,
    shape: tuple[int, ...],
    gain: float,
    sides: int = 2,
) -> list[Scores]:
    """Form of each side; with a gain all but the last lack it, with a loss the last."""
    size = (*shape[:2], 1)
    mean, spread, move, noise = FORMS[kind]
    brief = generator.normal(mean, spread, size)
    forms = []
    for side in range(sides):
        has_less = (side == sides - 1) != (gain > 0)
        form = brief + generator.normal(-abs(gain) if has_less else 0.0, move, size)
        if kind == "ceiling":
            slips = (generator.random(shape) < 0.04) * GRID * generator.integers(1, 13, shape)
            form = (form if has_less and gain else brief) - slips
        else:
            form = form + generator.normal(0.0, noise, shape)
        forms.append(np.clip(np.round(form / GRID) * GRID, 0, 1))
    return forms


def draw_contents(
    generator: np.random.Generator, shape: tuple[int, ...], gain: float, sides: int = 2
) -> list[Scores]:
    """Content of each side; with a gain all but the last lack it, with a loss the last."""
    repetitions, briefs, samples = shape
    size = (repetitions, briefs, 1, EFFECTS)
    stated = np.arange(EFFECTS) < generator.integers(3, EFFECTS + 1, (repetitions, briefs, 1, 1))
    base = generator.beta(*CHANCE, size)
    mean = CHANCE[0] / sum(CHANCE)
    lost = generator.uniform(0.6, 1.4, (repetitions, briefs, 1, 1)) * abs(gain) / mean
    contents = []
    for side in range(sides):
        redrawn = generator.random(size) < (REDRAWN if side else 0.0)
        chances = np.where(redrawn, generator.beta(*CHANCE, size), base)
        if (side == sides - 1) != (gain > 0):
            chances = chances * (1 - lost)
        right = (generator.random((repetitions, briefs, samples, EFFECTS)) < chances) & stated
        contents.append(right.sum(-1) / stated.sum(-1))
    return contents


def draw_failures(generator: np.random.Generator, shape: tuple[int, ...], rate: float) -> Mask:
    """Which answers fail: each brief has a rate of its own."""
    if not rate:
        return np.zeros(shape, dtype=bool)
    of_brief = generator.beta(rate, 1 - rate, (*shape[:2], 1))
    failed: Mask = generator.random(shape) < of_brief
    return failed


def verdict_shares(study: Study, repetitions: int) -> Mapping[str, float]:
    """How often each verdict is given."""
    (form, content), (new_form, new_content) = study.draw(repetitions)
    differences = (new_form - form).mean(-1).tolist(), (new_content - content).mean(-1).tolist()
    verdicts = Counter(
        joint_test(of_form, of_content, PARAMS, CONFIDENCE).outcome
        for of_form, of_content in zip(*differences, strict=True)
    )
    return {verdict: count / repetitions for verdict, count in verdicts.items()}


def settle_shares(study: Study, repetitions: int) -> tuple[Mapping[str, float], float]:
    """How often each verdict ends planned interim analyses, and the mean samples that they take."""
    (form, content), (new_form, new_content) = study.draw(repetitions)
    verdicts: Counter[str] = Counter()
    used = 0
    for of_form, of_content in zip(new_form - form, new_content - content, strict=True):
        for samples in SAMPLES:
            level = interim_confidence(samples, CONFIDENCE)
            forms, contents = (moves[:, :samples].mean(-1) for moves in (of_form, of_content))
            verdict = joint_test(forms.tolist(), contents.tolist(), PARAMS, level).outcome
            if verdict != "cannot tell" or samples == SAMPLES[-1]:
                verdicts[verdict] += 1
                used += samples
                break
    return {name: count / repetitions for name, count in verdicts.items()}, used / repetitions


def mean_misses(study: Study, number: int, repetitions: int) -> tuple[float, float, float]:
    """How often the true mean of form (0) or content (1) lies below and above the interval of a
    single mean, and the median length of the interval.
    """
    baseline = study.draw(repetitions)[0]
    values, usable = baseline[number], baseline[0] > 0
    truth = values.mean()
    means = [
        usable_mean(of_brief.tolist(), has_graph.tolist(), CONFIDENCE)
        for of_brief, has_graph in zip(values.mean(-1), usable.mean(-1), strict=True)
    ]
    ends = np.array([mean.ends for mean in means])
    below, above = (truth < ends[:, 0]).mean(), (truth > ends[:, 1]).mean()
    return float(below), float(above), float(np.median(ends[:, 1] - ends[:, 0]))
