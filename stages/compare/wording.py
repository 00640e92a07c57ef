"""The sentences and tables of a comparison, the same in every form; each form escapes the texts."""

from collections.abc import Iterator

from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured
from stages.compare.effect import Effect, Outlook, level
from stages.compare.pairing import mean_score
from stages.compare.sides import ComparedSide
from stages.shell import numbers
from stages.statistics.estimates import IntervalEstimate

NOTHING_SHARED = (
    "The inputs differ: no brief has an answer of one model on both sides, so these figures are "
    "not compared"
)


def title(result: Comparison | Unmeasured) -> str:
    """Which side was judged against which, and whether the head's scores are only those that git
    keeps.
    """
    if isinstance(result, Unmeasured):
        return f"{result.head} against {result.base}"
    unverified = " (reported by the branch, not verified)" if result.head.recorded else ""
    return f"{result.head.name} against {result.base.name}{unverified}"


def reason(result: Comparison) -> str:
    """Why it has its verdict, as a sentence."""
    return f"{result.reason[:1].upper()}{result.reason[1:]}."


def numbers_behind(result: Comparison) -> list[str]:
    """The three numbers behind the verdict, the briefs won, and the content, which decides nothing;
    none where nothing was measured.
    """
    difference, used, wins = result.scores.difference, result.efficiency, result.wins
    if not result.pairing.pairs:
        sides = (result.base, result.head)
        figures = [figures_of_side(side, level(result.settings)) for side in sides]
        return [*figures, NOTHING_SHARED]
    if difference.value is None:
        return []
    briefs = numbers.counted(difference.n, "brief")
    models = numbers.counted(len(difference.models), "model")
    with_graphs = numbers.counted(difference.quality.n, "brief")
    base_answers = numbers.counted(used.base_answered, "answer")
    head_answers = numbers.counted(used.head_answered, "answer")
    lines = [
        f"Quality: {_estimate(difference.quality, result)} on {with_graphs} with a usable graph on "
        f"both sides; {numbers.score(difference.base_quality)} is the base's mean",
        f"Usable: {numbers.expected_count(used.base_usable)} of {base_answers} before, "
        f"{numbers.expected_count(used.head_usable)} of {head_answers} now",
        f"Expected score: {_estimate(difference, result)} over {briefs} and {models}; "
        f"{numbers.score(difference.base)} before, {numbers.score(difference.head)} now",
        f"Briefs: {wins.won} won, {wins.lost} lost, {wins.equal} equal (a failure is a loss; these "
        "decide nothing)",
    ]
    if result.content.value is not None:
        stated = numbers.counted(result.content.n, "brief")
        estimate = _estimate(result.content, result)
        lines.append(f"Content: {estimate} on {stated} that state effects; it decides nothing")
    return lines


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


def _estimate(estimate: IntervalEstimate, result: Comparison) -> str:
    value = numbers.difference(estimate.value)
    if estimate.low is None:
        return value
    interval = numbers.difference_interval(estimate.low, estimate.high)
    return f"{value} ({_percentage(result)} interval {interval})"


def next_steps(result: Comparison) -> list[str]:
    """What to do next; what would settle an open question, or limits a verdict."""
    advice = what_would_settle(result.scores)
    settled = [] if advice is None else [advice]
    return [f"Next: {result.scores.judgement.next_step}.", *settled, *result.scores.caveats]


def what_would_settle(effect: Effect) -> str | None:
    """How many more briefs or samples would settle it; None where nothing is open."""
    outlook = effect.outlook
    if outlook is None:
        return None
    target = numbers.score(outlook.target)
    opening = f"A difference of {target} would be found, four times in five, with"
    if outlook.briefs is None:
        return f"{opening} more than 64 times as many briefs; {_samples(outlook)}."
    more = numbers.count(outlook.briefs - effect.difference.n)
    briefs = f"{numbers.counted(outlook.briefs, 'brief')} ({more} more)"
    return f"{opening} about {briefs}; {_samples(outlook)}."


def _samples(outlook: Outlook) -> str:
    if not outlook.sampling_known:
        return (
            "the effect of more samples is unknown (generate.samples: 3 measures that of a model)"
        )
    if outlook.samples is None:
        return "more samples alone cannot settle it"
    return f"or with {numbers.counted(outlook.samples, 'sample')} per cell"


_OF_POLICY = (
    "A policy has one answer to each brief, the one that counts, in the mean over its runs; its "
    "cost and latency are those of all its calls."
)


def provenance(result: Comparison) -> list[str]:
    """What was compared, how, and what was left out."""
    has_policy = result.base.policy is not None or result.head.policy is not None
    return [
        _side(result.base),
        _side(result.head),
        *_left_out(result),
        _requirement(result),
        "Expected scores count an answer without a usable graph as 0, quality leaves it out. Cost "
        "is the head's per answer, with head over base in brackets; latency is head over base, the "
        "geometric mean over cells.",
        *([_OF_POLICY] if has_policy else []),
    ]


def _requirement(result: Comparison) -> str:
    settings, looks = result.settings, ""
    if settings.planned_looks > 1:
        confidence = f"{settings.confidence * 100:g}%"
        looks = f" ({confidence} shared by {settings.planned_looks} planned looks)"
    return (
        f"A verdict requires a difference of {settings.min_difference:g} at {_percentage(result)} "
        f"confidence{looks}. The intervals of the models share one error rate."
    )


def _percentage(result: Comparison) -> str:
    return f"{100 * level(result.settings):.4g}%"


def _side(side: ComparedSide) -> str:
    commit = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    rescored = ", scored again" if side.rescored else ""
    prompt = f"prompt {side.prompt} ({commit}{date}{rescored})"
    return f"{side.name}: run {side.run.run_id}, {prompt}"


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
    return f"Prompt: {base.prompt} before, {head.prompt} now"
