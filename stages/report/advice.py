"""The decision in the words and tables that the summary, the terminal, the analysis pack and the site share."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from stages.contracts.decision import Decision, DecisionVerdict, LimitCheck, Measurement, ModeDecision
from stages.report.cells import Row, rows_of
from stages.report.decision import WITHOUT_MODE
from stages.report.tables import Field
from stages.shell import numbers as show

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


def rivals_of(decision: Decision, names: Mapping[str, str]) -> pd.DataFrame:
    """A row per mode and rival. Columns: mode, named, name, n (briefs that both have), difference (named model less rival), low,
    high (its interval), conclusion.
    """
    rows = [
        (
            _mode(mode),
            names[found.model or ""],
            names[rival.model],
            rival.difference.n,
            rival.difference.value,
            rival.difference.low,
            rival.difference.high,
            _conclusion(found.verdict, rival.difference),
        )
        for mode, found in decision.modes.items()
        for rival in found.rivals
    ]
    columns = ["mode", "named", "name", "n", "difference", "low", "high", "conclusion"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(["n", "difference", "low", "high"], "float64"))


def checks_of(decision: Decision, names: Mapping[str, str]) -> pd.DataFrame:
    """A row per mode, limit and candidate, as texts. Columns: mode, name, limit, measured, interval, verdict."""
    rows = [
        (
            _mode(mode),
            names[check.model],
            *_limit(check),
            f"cannot tell; about {show.counted(check.answers_needed, 'answer')} would"
            if check.answers_needed is not None and check.verdict == "cannot tell"
            else check.verdict,
        )
        for mode, found in decision.modes.items()
        for check in found.checks
    ]
    return pd.DataFrame(rows, columns=["mode", "name", "limit", "measured", "interval", "verdict"], dtype=object)


def rival_fields() -> dict[str, Field]:
    """Everything that a table of `rivals_of` may show, by a short name."""
    return {
        "mode": Field("Mode", lambda row: row.mode),
        "named": Field("Named", lambda row: row.named),
        "name": Field("Against", lambda row: row.name),
        "briefs": Field("Briefs", lambda row: show.count(row.n), "n", "Briefs that both have a score for"),
        "lead": Field("Lead", lambda row: show.difference(row.difference), "difference"),
        "interval": Field("Interval", lambda row: show.difference_interval(row.low, row.high), "low"),
        "conclusion": Field("The named model is", lambda row: row.conclusion),
    }


def check_fields() -> dict[str, Field]:
    """Everything that a table of `checks_of` may show, by a short name."""
    return {
        "mode": Field("Mode", lambda row: row.mode),
        "name": Field("Model", lambda row: row.name),
        "limit": Field("Limit", lambda row: row.limit),
        "measured": Field("Measured", lambda row: row.measured),
        "interval": Field("Interval", lambda row: row.interval),
        "verdict": Field("Verdict", lambda row: row.verdict),
    }


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
    if check.name == "max_usd_per_usable_graph":
        interval = f"{show.money(found.low)} to {show.money(found.high)}"
        limit, measured = f"at most {show.money(check.limit)} per usable graph", show.money(found.value)
    elif check.name == "max_p95_latency_s":
        interval = f"{show.share(found.low)} to {show.share(found.high)}"
        limit = f"at most 5% of the calls over {show.duration(check.limit * 1000)}"
        measured = show.share(found.value)
    else:
        interval = f"{show.share(found.low)} to {show.share(found.high)}"
        limit, measured = (
            f"a usable graph in at least {show.share(check.limit)} of the answers",
            show.share(found.value),
        )
    return limit, measured, interval if found.low is not None else show.MISSING
