"""The decision in the words and tables that the summary, the terminal, the analysis pack and the site share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.contracts.decision import Decision, DecisionVerdict, LimitCheck, Measurement, ModeDecision
from stages.report.cells import Row, rows_of
from stages.report.decision import WITHOUT_MODE
from stages.report.tables import LONGEST
from stages.shell import numbers as show
from stages.shell.text import markdown, markdown_table

VERDICTS = {
    "leads": ("better than every other", "good"),
    "not_worse": ("the cheapest that is not worse", "good"),
    "undecided": ("undecided, the highest score so far", "warn"),
    "only_candidate": ("the only candidate", "warn"),
    "none": ("no model to take", "bad"),
}
"""Each verdict in words, and its colour in the site."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The decision for one mode. All texts are plain: escape them where they are shown.

    `name` is the named model's, None where there is none. `notes` are sentences on the candidates that may be as good, if it is
    undecided, and on what limits the intervals.
    """

    mode: str
    model_id: str | None
    name: str | None
    verdict: str
    look: str
    reason: str
    notes: tuple[str, ...]
    rivals: tuple[str, ...]
    """Ids of the other candidates."""


def advice_of(decision: Decision, models: pd.DataFrame) -> tuple[Advice, ...]:
    """The advice for every mode, in the order of the decision; `models` is `ranking.rank_models`."""
    rows: Mapping[str, Row] = {row.model_id: row for row in rows_of(models)}
    return tuple(
        Advice(
            mode=_mode(mode),
            model_id=found.model,
            name=rows[found.model].name if found.model else None,
            verdict=VERDICTS[found.verdict][0],
            look=VERDICTS[found.verdict][1],
            reason=found.reason,
            notes=(*_possible_equals(found, rows), *found.caveats),
            rivals=tuple(rival.model for rival in found.rivals),
        )
        for mode, found in decision.modes.items()
    )


def rivals_table(decision: Decision, names: Mapping[str, str]) -> str:
    """The named model of each mode against its rivals, as Markdown; "" without rivals."""
    header = ("Mode", "Named", "Against", "Briefs", "Lead", "Interval", "The named model is")
    rows = [
        (
            _mode(mode),
            names[found.model or ""],
            names[rival.model],
            show.count(rival.difference.n),
            show.difference(rival.difference.value),
            show.difference_interval(rival.difference.low, rival.difference.high),
            _conclusion(found.verdict, rival.difference),
        )
        for mode, found in decision.modes.items()
        for rival in found.rivals
    ]
    return _table(header, rows, "lllrrrl")


def checks_table(decision: Decision, names: Mapping[str, str]) -> str:
    """Every candidate against the limits of its mode, as Markdown; "" without limits."""
    header = ("Mode", "Limit", "Model", "Measured", "Interval", "Verdict")
    rows = []
    for mode, found in decision.modes.items():
        for check in found.checks:
            limit, measured, interval = _limit(check)
            needed = (
                ""
                if check.answers_needed is None
                else f"; about {show.counted(check.answers_needed, 'answer')} would decide"
            )
            verdict = f"{check.verdict}{needed if check.verdict == 'cannot tell' else ''}"
            rows.append((_mode(mode), limit, names[check.model], measured, interval, verdict))
    return _table(header, rows, "llllll")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    escaped = [
        [text if side == "r" else markdown(text, LONGEST) for text, side in zip(row, align, strict=True)]
        for row in rows
    ]
    return markdown_table(header, escaped, align) if rows else ""


def _mode(mode: str) -> str:
    return "no mode" if mode == WITHOUT_MODE else mode


def _possible_equals(found: ModeDecision, rows: Mapping[str, Row]) -> Iterator[str]:
    named = rows.get(found.model or "")
    if found.cheapest and named is not None:
        one = rows[found.cheapest.model]
        costs = (
            f"{show.money(one.cost_per_usable_usd)} instead of {show.money(named.cost_per_usable_usd)} per usable graph"
        )
        yield f"The cheapest that may be as good: {one.name}, {costs}, {_worse(found.cheapest.worse_by_at_most)}."
    if found.fastest and named is not None:
        one = rows[found.fastest.model]
        times = f"median {show.duration(one.latency_p50_ms)} instead of {show.duration(named.latency_p50_ms)}"
        yield f"The fastest that may be as good: {one.name}, {times}, {_worse(found.fastest.worse_by_at_most)}."


def _worse(most: float | None) -> str:
    return "by how much it may be worse is not known" if most is None else f"worse by at most {show.score(most)}"


def _conclusion(verdict: DecisionVerdict, difference: Measurement) -> str:
    """A candidate that is not worse than any other was judged by the margin: it may be better than some, which is not claimed."""
    if difference.low is None:
        return "not compared"
    if verdict == "not_worse":
        return "not worse"
    return "better" if difference.low > 0 else "undecided"


def _limit(check: LimitCheck) -> tuple[str, str, str]:
    """The limit, the measured value and its interval, as texts."""
    found = check.measured
    measured, interval = show.share(found.value), show.share_interval(found.low, found.high)
    if check.name == "max_p95_latency_s":
        return f"at most 5% of the calls over {show.duration(check.limit * 1000)}", measured, interval
    if check.name == "min_usable_rate":
        return f"a usable graph in at least {show.share(check.limit)} of the answers", measured, interval
    interval = show.MISSING if found.low is None else f"{show.money(found.low)} to {show.money(found.high)}"
    return f"at most {show.money(check.limit)} per usable graph", show.money(found.value), interval
