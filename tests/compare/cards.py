"""Scorecards, sides and comparisons with just what a test is about."""

from dataclasses import replace
from typing import Any

import numpy as np

from graph_evaluator.compare.comparison import compare
from graph_evaluator.compare.pairs import pair
from graph_evaluator.compare.revisions import ComparedSide
from graph_evaluator.compare.verdict import judge_models, judge_overall
from graph_evaluator.compare.wording import describe
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.run_results import PromptRef, Run
from tests.builders import scorecards
from tests.builders.scorecards import invalid, unanswered

PARAMS = CompareParams.model_validate({})


def card(score=0.8, *, model="m", brief="b01", codes=(), rules="rules", **more: Any):
    """A scorecard: of a usable graph with this score, or of a failure that counts 0 (codes), or of no answer (None);
    without cost, latency and content unless they are given.
    """
    given: dict[str, Any] = dict.fromkeys(("est_cost_usd", "latency_ms"))
    given |= {"scoring_rules": rules, "states_effects": "content" in more, "recommendation": None}
    if score is None:
        return unanswered(model=model, brief=brief, **(given | more))
    if codes:
        return invalid(model, brief, *codes, **(given | more))
    return scorecards.card(model, brief, score, **(given | more))


def cards(scores, **more: Any):
    """One scorecard per score, for the briefs b01, b02, ..."""
    return tuple(card(score, brief=f"b{index:02}", **more) for index, score in enumerate(scores, 1))


def with_content(scores, contents, **more: Any):
    """Cards with content, for the briefs b01, b02, ..."""
    numbered = enumerate(zip(scores, contents, strict=True), 1)
    return [
        card(score, brief=f"b{place:02}", **{"content": content} | more)
        for place, (score, content) in numbered
    ]


def answered(scores):
    """One scorecard per score, of an answer with a fingerprint of its own that is the brief's number."""
    numbered = enumerate(scores, 1)
    return [card(score, brief=f"b{index:02}", fingerprint=str(index)) for index, score in numbered]


def sampled(noise, spread, gain, briefs, samples, seed=4):
    """Both sides of a population: briefs whose gain spreads, and samples that spread around their brief."""
    generator = np.random.default_rng(seed)
    gains = generator.normal(gain, spread, briefs)
    means = (np.full(briefs, 0.5), 0.5 + gains)
    return [
        [
            card(float(score), brief=f"b{brief:03}", sample=sample)
            for brief, mean in enumerate(side)
            for sample, score in enumerate(generator.normal(mean, noise, samples), 1)
        ]
        for side in means
    ]


def manifest(**changes: Any):
    """A run of the prompt prompts/v20.txt."""
    written = Run(
        run_id="v20-0123456789ab",
        git_sha=None,
        tool_version="1",
        prompt=PromptRef(path="prompts/v20.txt", sha256="aa"),
        models={"m": "1"},
        briefs={"b01": "1"},
        samples=1,
        round=1,
    )
    return written.model_copy(update=changes)


def side(scorecards, name="main", **changes: Any):
    """A side; `run` replaces its manifest."""
    run = changes.pop("run", None) or manifest()
    return ComparedSide(
        name=name,
        revision=changes.pop("revision", "0" * 40),
        run=run,
        cells=tuple(scorecards),
        **changes,
    )


def paired(baseline, candidate):
    """The pairs of two sides."""
    return pair(list(baseline), list(candidate))


def compared(baseline, candidate, params=PARAMS):
    """The comparison of two sides, or of what they hold."""
    sides = [
        given if isinstance(given, ComparedSide) else side(given) for given in (baseline, candidate)
    ]
    return compare(sides[0], sides[1], params)


def with_verdict(result, verdict):
    """The comparison with another verdict."""
    judgement = replace(result.overall.judgement, verdict=verdict)
    return replace(result, overall=replace(result.overall, judgement=judgement))


def lines(result):
    """The sentences of what was compared, and how."""
    return list(describe(result).parts[-1].lines)


def judged(baseline, candidate, params=PARAMS):
    """The verdict over all models."""
    return judge_overall(paired(baseline, candidate), params).judgement


def judged_models(baseline, candidate):
    """The verdict on each model."""
    models = judge_models(paired(baseline, candidate), PARAMS)
    return {model.model_id: model.judgement for model in models}


BASE = [0.40, 0.35, 0.50, 0.20, 0.45, 0.30, 0.38, 0.42, 0.26, 0.34]
"""Ten scores."""
BETTER = [
    score + gain
    for score, gain in zip(
        BASE, [0.35, 0.38, 0.34, 0.40, 0.36, 0.37, 0.35, 0.33, 0.39, 0.36], strict=True
    )
]
"""The same, each clearly higher."""
NOISY = [score + (0.25 if index % 2 else -0.15) for index, score in enumerate(BASE)]
"""The same, some higher and some lower."""
