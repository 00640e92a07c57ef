"""The sentences and tables of a comparison, the same in every form; each form escapes the texts."""

from collections.abc import Iterator

from stages.compare.changes import SideFigures
from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured
from stages.compare.outlook import Outlook
from stages.compare.pairing import mean_score
from stages.compare.sides import ComparedSide
from stages.compare.verdict import NEXT_STEPS, level
from stages.contracts.measurement import Measurement
from stages.shell import numbers

NOTHING_SHARED = (
    "The inputs differ: no brief has an answer of one model on both sides, so these figures are "
    "not compared"
)
_NONE = 1e-9
"""A policy is expected to have fewer failures: none."""


def title(result: Comparison | Unmeasured) -> str:
    """Which side was judged against which, and whether the candidate's scores are only those that
    git keeps.
    """
    if isinstance(result, Unmeasured):
        return f"{result.head} against {result.base}"
    unverified = " (reported by the branch, not verified)" if result.head.recorded else ""
    return f"{result.head.name} against {result.base.name}{unverified}"


def reason(result: Comparison) -> str:
    """Why it has its verdict, as sentences: the test, and what it says."""
    sentence = f"{result.reason[:1].upper()}{result.reason[1:]}."
    test, figures = result.overall.judgement.difference, result.overall.figures
    if figures is None or test.value is None:
        return sentence
    briefs = numbers.counted(test.n, "brief")
    models = numbers.counted(len(result.models), "model")
    scores = (
        f"Expected score {numbers.score(figures.head.expected)} of the candidate, "
        f"{numbers.score(figures.base.expected)} of the baseline"
    )
    return f"{scores}: {_estimate(test, result)} over {briefs} and {models}. {sentence}"


def information(result: Comparison) -> list[str]:
    """What is shown beside the verdict and decides nothing, always in this order: quality,
    failures, content, briefs won and lost; of both sides alone where nothing was paired.
    """
    figures, wins = result.overall.figures, result.wins
    if figures is None:
        sides = (result.base, result.head)
        alone = [figures_of_side(side, level(result.settings)) for side in sides]
        return [*alone, NOTHING_SHARED]
    base, head = figures.base, figures.head
    content = "not measured, no brief with a graph on both sides states effects"
    if result.content.value is not None:
        stated = numbers.counted(result.content.n, "brief")
        content = f"{_estimate(result.content, result)} on {stated} that state effects"
    return [
        f"Quality, mean of usable graphs: candidate {numbers.score(head.quality)}, "
        f"baseline {numbers.score(base.quality)}",
        f"Failures, answers without a usable graph: candidate {_failures(head)}; "
        f"baseline {_failures(base)}",
        f"Content, share of stated effects that graphs have right: {content}",
        f"Briefs: candidate won {wins.won}, lost {wins.lost}, {wins.equal} equal",
    ]


def _failures(side: SideFigures) -> str:
    failures, answers = side.failures, numbers.count(side.answers)
    if side.failed < _NONE:
        return f"none of {answers}, up to about {numbers.share(failures.high)} may fail"
    interval = numbers.share_interval(failures.low, failures.high)
    return f"{numbers.expected_count(side.failed)} of {answers} (interval {interval})"


def figures_of_side(side: ComparedSide, confidence: float) -> str:
    """The means of one side alone, with their interval, in a sentence."""
    answered = [card for card in side.scorecards if card.answered]
    score = mean_score(answered, confidence)
    usable = numbers.share_of(sum(card.usable for card in answered), len(answered))
    interval = numbers.interval(score.low, score.high)
    briefs = numbers.counted(score.n, "brief")
    return (
        f"{side.name}: expected score {numbers.score(score.value)} ({100 * confidence:.4g}% "
        f"interval {interval}) over {briefs}; {usable} of the answers usable"
    )


def _estimate(estimate: Measurement, result: Comparison) -> str:
    value = numbers.difference(estimate.value)
    if estimate.low is None:
        return value
    interval = numbers.difference_interval(estimate.low, estimate.high)
    return f"{value} ({_percentage(result)} interval {interval})"


def next_steps(result: Comparison) -> list[str]:
    """What to do, what would change the verdict, and what limits it."""
    steps = [f"Next: {NEXT_STEPS[result.verdict]}.", what_would_change(result)]
    return [step for step in (*steps, result.overall.judgement.caveat) if step]


def what_would_change(result: Comparison) -> str | None:
    """What would change the verdict: briefs, samples and dollars, or failures; None for others."""
    if result.outlook is not None:
        return what_would_settle(result.outlook, result.overall.judgement.difference.n)
    if result.undone_by is None:
        return None
    side = "candidate" if result.verdict == "better" else "baseline"
    briefs = numbers.counted(result.undone_by, "further brief")
    return f"What would change this: {briefs} on which the {side} alone fails."


def what_would_settle(outlook: Outlook, briefs: int) -> str:
    """How many more briefs than those at hand, or samples, would settle an open question."""
    target = numbers.score(outlook.target)
    opening = f"What would change this: a difference of {target} is found, four times in five, with"
    in_all = "more than 64 times as many briefs"
    if outlook.briefs is not None:
        price = _price(outlook.briefs_usd)
        more = f"{numbers.count(outlook.briefs - briefs)} more{price}"
        in_all = f"about {numbers.counted(outlook.briefs, 'brief')} ({more})"
    samples = "more samples alone cannot settle it"
    if not outlook.sampling_known:
        samples = (
            "the effect of more samples is unknown (generate.samples: 3 measures that of a model)"
        )
    elif outlook.samples is not None:
        counted = numbers.counted(outlook.samples, "sample")
        price = f" ({_price(outlook.samples_usd)[2:]})" if outlook.samples_usd else ""
        samples = f"or with {counted} per cell{price}"
    return f"{opening} {in_all}; {samples}."


def _price(usd: float | None) -> str:
    return "" if not usd else f", about {numbers.money(usd)}"


_OF_POLICY = (
    "A policy has one answer to each brief, the one that counts, in the mean over its runs; its "
    "cost and latency are those of all its calls."
)


def provenance(result: Comparison) -> list[str]:
    """What was compared, how, and what was left out."""
    has_policy = result.base.policy is not None or result.head.policy is not None
    return [
        _side("Baseline", result.base),
        _side("Candidate", result.head),
        *_left_out(result),
        _requirement(result),
        "Expected scores count an answer without a usable graph as 0, quality leaves it out. Cost "
        "is the candidate's per answer, with candidate over baseline in brackets; latency is "
        "candidate over baseline, the geometric mean over cells.",
        *([_OF_POLICY] if has_policy else []),
    ]


def _requirement(result: Comparison) -> str:
    settings, looks = result.settings, ""
    if settings.planned_looks > 1:
        confidence = f"{settings.confidence * 100:g}%"
        looks = f" ({confidence} shared by {settings.planned_looks} planned looks)"
    return (
        f"Intervals hold at {_percentage(result)} confidence{looks}; a difference below "
        f"{settings.min_difference:g} does not matter. The briefs count as independent draws. "
        "The intervals of the models share one error rate."
    )


def _percentage(result: Comparison) -> str:
    return f"{100 * level(result.settings):.4g}%"


def _side(role: str, side: ComparedSide) -> str:
    commit = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    rescored = ", scored again" if side.rescored else ""
    prompt = f"prompt {side.prompt} ({commit}{date}{rescored})"
    return f"{role}, {side.name}: run {side.run.run_id}, {prompt}"


def _left_out(result: Comparison) -> Iterator[str]:
    pairing, base, head = result.pairing, result.base.name, result.head.name
    missing = (
        (f"Only in {base}", pairing.only_base),
        (f"Only in {head}", pairing.only_head),
        ("Without a score on one of the sides", pairing.unpaired),
    )
    for place, keys in missing:
        if keys:
            cells = [f"{model} / {brief}" for model, brief in keys]
            yield f"{place}: {numbers.first_of(cells, MAX_SHOWN)}."
    for name, count in ((base, pairing.base_unanswered), (head, pairing.head_unanswered)):
        if count:
            unanswered = numbers.counted(count, "cell")
            yield f"{unanswered} of {name} without an answer: left out, not counted as 0."


def prompts_line(result: Comparison) -> str:
    """The prompts of both sides, by name."""
    base, head = result.base, result.head
    if base.prompt == head.prompt and base.run.prompt == head.run.prompt:
        return f"Prompt on both sides: {head.prompt}"
    return f"Prompt: {base.prompt} of the baseline, {head.prompt} of the candidate"
