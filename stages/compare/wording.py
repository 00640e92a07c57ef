"""The sentences and tables of a comparison, the same in the terminal, in Markdown and on the page; each of them escapes the texts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import pandas as pd

from stages.compare.changes import MovedCell
from stages.compare.comparison import SHOWN, Comparison, Unmeasured
from stages.compare.effect import Effect, Outlook, level
from stages.compare.sides import Side
from stages.shell import numbers
from stages.statistics.estimates import CAVEATS
from stages.statistics.interval import Interval

NAMES = ("model", "brief", "prompt", "commit", "experiment")
WORDS = (*NAMES, "verdict", "models that moved most", "violations gained", "violations lost")
"""The columns that hold text rather than numbers."""


def title(result: Comparison | Unmeasured, shown: Callable[[str], str] = str) -> str:
    """Which side was judged against which, each name as `shown`, and whether the head's scores are only those that its author committed."""
    base, head = (
        side if isinstance(side, str) else side.name for side in (result.base, result.head)
    )
    recorded = isinstance(result, Comparison) and result.head.recorded
    return f"{shown(head)} against {shown(base)}{' (reported by the branch, not verified)' if recorded else ''}"


def findings(result: Comparison) -> list[str]:
    """The overall difference with the reason for the verdict, then what would settle an open question, or what limits a conclusion."""
    settle = what_would_settle(result.scores)
    return [
        _summary(result),
        *([settle] if settle else [CAVEATS[caveat] for caveat in result.scores.caveats]),
    ]


def _summary(result: Comparison) -> str:
    found, test, interval = result.scores.found, result.scores.test, result.scores.interval
    if found.value is None or test is None:
        return f"{result.reason}."
    certainty = ""
    if interval:
        shown = numbers.difference_interval(interval.low, interval.high)
        p = f"p {numbers.probability(test.p)}{'' if test.exact else ', estimated'}"
        certainty = f" ({_percentage(result)} interval {shown}, {p})"
    return (
        f"Expected score {numbers.score(found.base)} before, {numbers.score(found.head)} now: "
        f"{numbers.difference(found.value)}{certainty} over {numbers.counted(found.briefs, 'brief')} "
        f"and {numbers.counted(len(found.models), 'model')}: {result.reason}."
    )


def usage(result: Comparison) -> str:
    """Usable graphs, cost and latency on both sides, over all models."""
    used = result.efficiency
    return (
        f"Usable graphs {numbers.share_of(used.base_usable, used.base_answered)} before, "
        f"{numbers.share_of(used.head_usable, used.head_answered)} now; "
        f"cost per answer {numbers.ratio(used.cost_ratio)}, latency {numbers.ratio(used.latency_ratio)}."
    )


def what_would_settle(effect: Effect) -> str | None:
    """How many more briefs or samples would settle it; None where nothing is open."""
    found = effect.outlook
    if found is None:
        return None
    target = (
        f"A difference of {numbers.score(found.target)} would be found, four times in five, with"
    )
    if found.briefs is None:
        return f"{target} more than 64 times as many briefs; {_samples(found)}."
    more = numbers.count(found.briefs - effect.found.briefs)
    return (
        f"{target} about {numbers.counted(found.briefs, 'brief')} ({more} more); {_samples(found)}."
    )


def provenance(result: Comparison) -> list[str]:
    """What was compared, how, and what was left out."""
    settings, quality, usable = (
        result.settings,
        result.scores.found.quality,
        result.scores.found.usable,
    )
    looks = f" ({settings.confidence * 100:g}% shared by {settings.planned_looks} planned looks)"
    return [
        _side(result.base),
        _side(result.head),
        *_left_out(result),
        "Expected scores count an answer without a usable graph as 0. "
        f"Difference in the scores of usable graphs: {numbers.difference(quality.value)} "
        f"({numbers.difference_interval(quality.low, quality.high)}); in the share of usable graphs: "
        f"{numbers.difference(usable.value)} ({numbers.difference_interval(usable.low, usable.high)}).",
        f"A verdict requires a difference of {settings.min_difference:g} at {_percentage(result)} confidence"
        f"{looks if settings.planned_looks > 1 else ''}. The intervals of the models share one error rate.",
        "Cost is per answer, latency the geometric mean over cells; both are head over base.",
    ]


def _percentage(result: Comparison) -> str:
    return f"{100 * level(result.settings):.4g}%"


def _samples(found: Outlook) -> str:
    if not found.sampling_known:
        return "the effect of more samples is unknown with one sample per cell (generate.samples: 3 measures it)"
    spread = f"standard error from the briefs {found.brief_error:.3f}, from sampling {found.sample_error or 0.0:.3f}"
    if found.samples is None:
        return f"more samples alone cannot settle it ({spread})"
    return f"or with {numbers.counted(found.samples, 'sample')} per cell ({spread})"


def _side(side: Side) -> str:
    at = "the working tree" if side.revision is None else side.revision[:10]
    date = f", {side.date[:10]}" if side.date else ""
    rescored = ", scored again" if side.rescored else ""
    return (
        f"{side.name}: run {side.run.run_id}, prompt {side.run.prompt.path} ({at}{date}{rescored})"
    )


def _left_out(result: Comparison) -> list[str]:
    pairing, base, head = result.pairing, result.base.name, result.head.name
    missing = (
        (f"Only in {base}", pairing.only_base),
        (f"Only in {head}", pairing.only_head),
        ("Without a score on one of the sides", pairing.unpaired),
    )
    return [
        *(f"{where}: {_cells(keys)}." for where, keys in missing if keys),
        *(
            f"{numbers.counted(count, 'cell')} of {name} without an answer: left out, not counted as 0."
            for name, count in ((base, pairing.base_unanswered), (head, pairing.head_unanswered))
            if count
        ),
    ]


def _cells(keys: Sequence[tuple[str, str]]) -> str:
    if len(keys) <= SHOWN:
        return ", ".join(f"{model} / {brief}" for model, brief in keys)
    models = Counter(model for model, _ in keys)
    shown = [
        f"{model} on {numbers.counted(briefs, 'brief')}"
        for model, briefs in list(models.items())[:SHOWN]
    ]
    more = (
        f" and {numbers.counted(len(models) - SHOWN, 'more model')}" if len(models) > SHOWN else ""
    )
    return ", ".join(shown) + more


def models_table(result: Comparison) -> pd.DataFrame:
    """A row for all models together, then one for each model."""
    return pd.DataFrame(
        {
            "model": each.model_id + (" (config changed)" if each.config_changed else ""),
            "verdict": effect.judgement.verdict,
            "difference": numbers.difference(effect.found.value),
            "interval": interval_text(effect.interval),
            "p": numbers.probability(effect.test.p if effect.test else None),
            "base": numbers.score(effect.found.base),
            "head": numbers.score(effect.found.head),
            "usable base": numbers.share_of(used.base_usable, used.base_answered),
            "usable head": numbers.share_of(used.head_usable, used.head_answered),
            "cost": numbers.ratio(used.cost_ratio),
            "latency": numbers.ratio(used.latency_ratio),
        }
        for each, effect, used in ((row, row.effect, row.efficiency) for row in result.rows)
    )


def moves_table(result: Comparison) -> pd.DataFrame:
    """A row for every brief that moved, the largest difference first; without columns that would be empty."""
    table = pd.DataFrame(
        {
            "brief": move.brief_id,
            "difference": numbers.difference(move.difference),
            "models that moved most": _moved_most(move.models),
            "violations gained": _violations(move.models, "gained"),
            "violations lost": _violations(move.models, "lost"),
        }
        for move in result.moves
    )
    return table.loc[:, (table != "").any()]


def interval_text(found: Interval | None) -> str:
    """An interval of differences, or a dash."""
    return numbers.MISSING if found is None else numbers.difference_interval(found.low, found.high)


def _moved_most(models: Iterable[MovedCell]) -> str:
    moved = [each for each in models if each.head != each.base]
    farthest = sorted(moved, key=lambda each: (-abs(each.head - each.base), each.model_id))[:3]
    return ", ".join(
        f"{each.model_id} {numbers.score(each.base)} → {numbers.score(each.head)}"
        for each in farthest
    )


def _violations(cells: Iterable[MovedCell], which: Literal["gained", "lost"]) -> str:
    models: dict[str, list[str]] = {}
    for cell in cells:
        for code in cell.gained if which == "gained" else cell.lost:
            models.setdefault(code, []).append(cell.model_id)
    return ", ".join(f"{code} ({', '.join(found)})" for code, found in sorted(models.items()))
