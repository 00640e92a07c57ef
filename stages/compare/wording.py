"""The sentences of a comparison, the same in the terminal, in Markdown and on the page."""

from collections import Counter

from stages.compare import numbers
from stages.compare.comparison import Comparison, SideLabel
from stages.compare.effect import Effect
from stages.compare.outlook import Outlook
from stages.compare.unmeasured import Unmeasured

SHOWN = 10
"""How many briefs, cells or models are shown of a long list."""


def headline(result: Comparison | Unmeasured) -> str:
    """The verdict in one line."""
    if isinstance(result, Unmeasured):
        return f"could not measure: {result.head} against {result.base}"
    return f"{result.verdict}: {result.head.name} against {result.base.name}"


def side(label: SideLabel) -> str:
    """What a side is: the run, the prompt, the commit and its date."""
    at = "the working tree" if label.revision is None else label.revision[:10]
    date = f", {label.date[:10]}" if label.date else ""
    rescored = ", rescored" if label.rescored else ""
    return f"{label.name}: run {label.run_id}, prompt {label.prompt} ({at}{date}{rescored})"


def summary(result: Comparison) -> str:
    """The overall difference, with its interval, its p and the number of briefs, and why the verdict is what it is."""
    effect = result.scores
    level = f"{100 * result.settings.confidence:g} %"
    if effect.difference is None:
        return f"{result.reason}."
    certainty = (
        f" ({level} interval {numbers.interval(effect.interval)}, "
        f"p {numbers.probability(effect.p)}{'' if effect.exact else ', drawn'})"
    )
    return (
        f"Expected score {numbers.score(effect.base)} before, {numbers.score(effect.head)} now: "
        f"{numbers.difference(effect.difference)}{certainty if effect.interval else ''} "
        f"over {numbers.count(effect.briefs, 'brief')} and {numbers.count(len(result.models), 'model')}: {result.reason}."
    )


def what_would_settle(effect: Effect, *, briefs_now: int) -> str | None:
    """How many more briefs or samples would settle it; None where nothing is open."""
    found = effect.outlook
    if found is None:
        return None
    more = found.briefs - briefs_now
    text = (
        f"A difference of {found.target:.3f} would show, four times in five, with {numbers.count(found.briefs, 'brief')} "
        f"({more:,} more)"
    )
    return f"{text}; {_samples(found)}."


def _samples(found: Outlook) -> str:
    if not found.sampling_known:
        return "what more samples would do is not known with one sample per cell (generate.samples: 3 tells)"
    spread = f"briefs spread the differences by {found.brief_sd:.3f}, sampling by {found.sample_sd or 0.0:.3f}"
    if found.samples is None:
        return f"more samples alone cannot settle it ({spread})"
    return f"or with {numbers.count(found.samples, 'sample')} per cell ({spread})"


def left_out(result: Comparison) -> list[str]:
    """What the comparison does not rest on: cells on one side only, cells without an answer."""
    lines = []
    for keys, where in ((result.only_base, result.base.name), (result.only_head, result.head.name)):
        if keys:
            lines.append(f"Only in {where}: {_keys(keys)}.")
    if result.unpaired:
        lines.append(f"Without a score on one of the sides: {_keys(result.unpaired)}.")
    for number, where in (
        (result.base_unanswered, result.base.name),
        (result.head_unanswered, result.head.name),
    ):
        if number:
            lines.append(f"{numbers.count(number, 'cell')} of {where} without an answer: left out, not counted as 0.")
    return lines


def _keys(keys: tuple[tuple[str, str], ...]) -> str:
    if len(keys) <= SHOWN:
        return ", ".join(f"{model} / {brief}" for model, brief in keys)
    models = Counter(model for model, _ in keys)
    shown = ", ".join(f"{model} on {numbers.count(briefs, 'brief')}" for model, briefs in list(models.items())[:SHOWN])
    return shown + (f" and {numbers.count(len(models) - SHOWN, 'more model')}" if len(models) > SHOWN else "")
