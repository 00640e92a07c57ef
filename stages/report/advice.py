"""The decision in the words and tables that the summary, the terminal, the analysis pack and the site share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.contracts.decision import Decision, LimitCheck, ModeDecision
from stages.contracts.params import ReportParams
from stages.report.cells import Row, rows_of
from stages.report.ranking import score_name
from stages.report.selection import Selection
from stages.report.tables import LONGEST
from stages.shell import numbers as show
from stages.shell.text import markdown, markdown_table
from stages.statistics.estimates import IntervalEstimate

VERDICTS = {
    "leads": ("better than every other", "good"),
    "not_worse": ("the cheapest that is not worse", "good"),
    "undecided": ("undecided, the highest score so far", "warn"),
    "only_candidate": ("the only candidate", "warn"),
    "none": ("no model to take", "bad"),
}
"""Each verdict in words, and its colour in the site."""
MOST_LISTED = 4
"""Names in a sentence; of more only the first are listed."""
WITHOUT_MODE = "other"
"""The key of the models that have no config, and so no target mode."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The decision for one mode in words. All texts are plain: escape them where they are shown.

    `name` is the named model's, None where there is none. `notes` are sentences on the candidates that may be as good, if it is
    undecided, and on what limits the intervals.
    """

    mode: str
    name: str | None
    verdict: str
    look: str
    notes: tuple[str, ...]
    decision: ModeDecision

    @property
    def text(self) -> str:
        """The reason and the notes."""
        return " ".join((self.decision.reason, *self.notes))


def advice_of(decision: Decision, models: pd.DataFrame) -> tuple[Advice, ...]:
    """The advice for every mode, in the order of the decision; `models` is `ranking.rank_models`."""
    rows: Mapping[str, Row] = {row.model_id: row for row in rows_of(models)}
    return tuple(
        Advice(
            mode=_mode(mode),
            name=rows[found.model].name if found.model else None,
            verdict=VERDICTS[found.verdict][0],
            look=VERDICTS[found.verdict][1],
            notes=(*_possible_equals(found, rows), *found.caveats),
            decision=found,
        )
        for mode, found in decision.modes.items()
    )


def reason_of(
    selection: Selection,
    models: Mapping[str, Row],
    score: IntervalEstimate | None,
    excluded: Sequence[str],
    params: ReportParams,
) -> str:
    """Why a model is named, in one or two sentences; `score` is that model's."""
    left_out = (
        f" Left out for a missed limit: {_listed([models[one].name for one in excluded])}."
        if excluded
        else ""
    )
    if selection.model_id is None or score is None:
        return (
            "Every candidate misses a limit."
            if excluded
            else "No candidate has delivered a usable graph."
        )
    name, level = models[selection.model_id].name, show.share(params.confidence)
    interval = (
        "" if score.low is None else f", {level} interval {show.interval(score.low, score.high)}"
    )
    briefs = show.counted(score.n, "brief")
    scored = f"an {score_name(params.rank_by)} of {show.score(score.value)} ({briefs}{interval})"
    if selection.verdict == "only_candidate":
        return f"{name} is the only candidate with a score: {scored}.{left_out}"
    if selection.verdict == "leads":
        closest, lead = min(selection.rivals, key=lambda rival: rival[1].value or 0.0)
        ahead = f"{show.difference(lead.value)} ({show.difference_interval(lead.low, lead.high)})"
        return f"{name} leads with {scored}; ahead of the next, {models[closest].name}, by {ahead}.{left_out}"
    if selection.verdict == "not_worse":
        margin = show.score(params.margin)
        return f"{name} is the cheapest candidate that is not worse than any other by {margin} or more: {scored}.{left_out}"
    open_to = _listed(
        [models[one].name for one, lead in selection.rivals if lead.low is None or lead.low <= 0]
    )
    step = "no number of briefs within reach would decide"
    if selection.briefs is not None:
        price = "" if selection.usd is None else f", for about {show.money(selection.usd)} more"
        step = f"about {show.counted(selection.briefs, 'brief')} in all would decide{price}"
    return f"Undecided: {name} has the highest score, {scored}, but {open_to} may be as good; {step}.{left_out}"


def rivals_table(decision: Decision, names: Mapping[str, str]) -> str:
    """The named model of each mode against its rivals, as Markdown; "" without rivals."""
    header = ("Mode", "Named", "Against", "Briefs", "Lead", "Interval", "The named model is")
    rows = []
    for mode, found in decision.modes.items():
        for rival in found.rivals:
            lead = rival.difference
            # A candidate that is not worse than any other was judged by the margin: it may be better, which is not claimed.
            ahead = (
                "not worse"
                if found.verdict == "not_worse"
                else "better"
                if (lead.low or 0) > 0
                else "undecided"
            )
            rows.append((
                _mode(mode), names[found.model or ""], names[rival.model], show.count(lead.n), show.difference(lead.value),
                show.difference_interval(lead.low, lead.high), "not compared" if lead.low is None else ahead,
            ))  # fmt: skip
    return _table(header, rows, "lllrrrl")


def checks_table(decision: Decision, names: Mapping[str, str]) -> str:
    """Every candidate against the limits of its mode, as Markdown; "" without limits."""
    header = ("Mode", "Limit", "Model", "Measured", "Interval", "Verdict")
    rows = []
    for mode, found in decision.modes.items():
        for check in found.checks:
            limit, measured, interval = _limit(check)
            answers = show.counted(check.answers_needed or 0, "answer")
            verdict = check.verdict + (
                f"; about {answers} would decide" if check.answers_needed is not None else ""
            )
            rows.append((_mode(mode), limit, names[check.model], measured, interval, verdict))
    return _table(header, rows, "llllll")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> str:
    escaped = [
        [
            markdown(text, LONGEST) if side == "l" else text
            for text, side in zip(row, align, strict=True)
        ]
        for row in rows
    ]
    return markdown_table(header, escaped, align) if rows else ""


def _mode(mode: str) -> str:
    return "no mode" if mode == WITHOUT_MODE else mode


def _possible_equals(found: ModeDecision, rows: Mapping[str, Row]) -> Iterator[str]:
    for kind, equal in (("cheapest", found.cheapest), ("fastest", found.fastest)):
        if equal and found.model:
            one, named = rows[equal.model], rows[found.model]
            gain = f"median {show.duration(one.latency_p50_ms)} instead of {show.duration(named.latency_p50_ms)}"
            if kind == "cheapest":
                costs = (show.money(row.cost_per_usable_usd) for row in (one, named))
                gain = f"{' instead of '.join(costs)} per usable graph"
            worse = f"worse by at most {show.score(equal.worse_by_at_most)}"
            if equal.worse_by_at_most is None:
                worse = "by how much it may be worse is not known"
            yield f"The {kind} that may be as good: {one.name}, {gain}, {worse}."


def _limit(check: LimitCheck) -> tuple[str, str, str]:
    found = check.measured
    measured, interval = show.share(found.value), show.share_interval(found.low, found.high)
    if check.name == "max_p95_latency_s":
        return (
            f"at most 5% of the calls over {show.duration(check.limit * 1000)}",
            measured,
            interval,
        )
    if check.name == "min_usable_rate":
        return (
            f"a usable graph in at least {show.share(check.limit)} of the answers",
            measured,
            interval,
        )
    interval = (
        show.MISSING
        if found.low is None
        else f"{show.money(found.low)} to {show.money(found.high)}"
    )
    return f"at most {show.money(check.limit)} per usable graph", show.money(found.value), interval


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_LISTED:
        return show.first_of(names, MOST_LISTED)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
