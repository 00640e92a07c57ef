"""The tables of a comparison as frames of text, which the terminal, Markdown and the page show each in its own way.

Nothing in a frame is escaped.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from stages.compare.changes import ModelMove, ViolationChange
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.history import Step
from stages.contracts.interval import Interval
from stages.shell import numbers

ALL_MODELS = "all models"
NAMES = ("model", "brief", "prompt", "commit", "experiment")
"""Columns whose cells are names."""
WORDS = (*NAMES, "verdict", "models that moved most", "violations gained", "violations lost")
"""Columns that hold text rather than numbers."""


def models_table(result: Comparison) -> pd.DataFrame:
    """A row for all models together, then one for each model."""
    rows = [(ALL_MODELS, result.scores, result.efficiency)]
    for each in result.models:
        name = each.model_id + (" (config changed)" if each.config_changed else "")
        rows.append((name, each.effect, each.efficiency))
    return pd.DataFrame(
        {
            "model": name,
            "verdict": effect.judgement.verdict,
            "difference": numbers.difference(effect.found.value),
            "interval": _interval(effect.interval),
            "p": numbers.probability(effect.test.p if effect.test else None),
            "base": numbers.score(effect.found.base),
            "head": numbers.score(effect.found.head),
            "usable base": numbers.share_of(used.base_usable, used.base_answered),
            "usable head": numbers.share_of(used.head_usable, used.head_answered),
            "cost": numbers.ratio(used.cost_ratio),
            "latency": numbers.ratio(used.latency_ratio),
        }
        for name, effect, used in rows
    )


def moves_table(result: Comparison) -> pd.DataFrame:
    """A row for every brief that moved, the largest difference first; without columns that would be empty."""
    table = pd.DataFrame(
        {
            "brief": move.brief_id,
            "difference": numbers.difference(move.difference),
            "models that moved most": _moved_most(move.models),
            "violations gained": _violations(move.gained),
            "violations lost": _violations(move.lost),
        }
        for move in result.moves
    )
    return table.loc[:, (table != "").any()]


def history_table(steps: Sequence[Step]) -> pd.DataFrame:
    """A row for every run, the oldest first."""
    table = pd.DataFrame(
        {
            "date": (step.date or "")[:10],
            "commit": commit(step),
            "prompt": step.prompt,
            "expected score": f"{numbers.score(step.overall)} ({_span(step)})",
            "usable": numbers.share_of(step.usable, step.answered),
            "cost": numbers.money(step.cost_usd),
            "against the run before": _against(step, first=index == 0),
        }
        for index, step in enumerate(steps)
    )
    if any(step.then is not None for step in steps):
        table["by the rules of that time"] = [step.then or "" for step in steps]
    return table


def experiments_table(results: Iterable[Comparison | Unmeasured]) -> pd.DataFrame:
    """A row for every experiment, in the order given."""
    return pd.DataFrame(map(_experiment, results))


def commit(step: Step) -> str:
    """The short name of a run's commit."""
    return (step.revision or "workspace")[:10]


def _experiment(result: Comparison | Unmeasured) -> dict[str, str]:
    if isinstance(result, Unmeasured):
        missing = ("prompt", "compared", "expected score", "difference", "usable", "cost")
        return {"experiment": result.head, **dict.fromkeys(missing, numbers.MISSING), "verdict": result.verdict}
    used, effect = result.efficiency, result.scores
    interval = f" ({_interval(effect.interval)})" if effect.interval else ""
    return {
        "experiment": result.head.name,
        "prompt": result.head.run.prompt.path,
        "compared": f"{numbers.counted(len(result.models), 'model')}, {numbers.counted(effect.briefs, 'brief')}",
        "expected score": numbers.score(effect.found.head),
        "difference": numbers.difference(effect.found.value) + interval,
        "usable": numbers.share_of(used.head_usable, used.head_answered),
        "cost": numbers.ratio(used.cost_ratio),
        "verdict": result.verdict,
    }


def _interval(found: Interval | None) -> str:
    return numbers.MISSING if found is None else numbers.difference_interval(found.low, found.high)


def _moved_most(models: Iterable[ModelMove]) -> str:
    moved = [each for each in models if each.head != each.base]
    farthest = sorted(moved, key=lambda each: (-abs(each.head - each.base), each.model_id))[:3]
    return ", ".join(f"{each.model_id} {numbers.score(each.base)} → {numbers.score(each.head)}" for each in farthest)


def _violations(changes: Iterable[ViolationChange]) -> str:
    return ", ".join(f"{change.code} ({', '.join(change.models)})" for change in changes)


def _span(step: Step) -> str:
    briefs = numbers.counted(step.briefs, "brief")
    return f"{numbers.interval(step.interval.low, step.interval.high)}, {briefs}" if step.interval else briefs


def _against(step: Step, *, first: bool) -> str:
    if step.verdict is None:
        return "" if first else "scored by other rules (--rescore)"
    return f"{step.verdict} ({numbers.difference(step.difference)})"
