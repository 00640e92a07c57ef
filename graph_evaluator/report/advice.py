"""The decision in words and as a table, for the summary, the terminal, the analysis pack and the
site. All texts are plain: escape them where they are shown.
"""

from collections.abc import Mapping, Sequence

from graph_evaluator.analysis.summary import Summary
from graph_evaluator.present.table import Column, Raw, Table, make_table
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.run import (
    Decision,
    DecisionVerdict,
    LimitCheck,
    LimitName,
)
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import Selection
from graph_evaluator.shell import numbers as show

VERDICTS: Mapping[DecisionVerdict, tuple[str, str]] = {
    "leads": ("better than every other", "good"),
    "not_worse": ("the cheapest of those that are not shown worse", "good"),
    "undecided": ("undecided, the highest form so far", "warn"),
    "only_candidate": ("the only candidate", "warn"),
    "none": ("no model to take", "bad"),
}
"""Each verdict in words, and its colour in the site."""
REASONS: Mapping[DecisionVerdict, str] = {
    "leads": "{name} leads: {measured}. Shown worse: {worse}.",
    "not_worse": (
        "{name} is the cheapest of {remaining} models that cannot be distinguished: {measured}. "
        "The others are {others}."
    ),
    "undecided": (
        "Undecided: two candidates have fewer than six briefs in common. {name} has the highest "
        "form so far: {measured}."
    ),
    "only_candidate": "{name} is the only candidate{left}: {measured}.",
    "none": "No candidate with a usable graph is left.",
}


def reason_of(
    selection: Selection,
    candidates: Sequence[Candidate],
    failed: Sequence[LimitCheck],
    confidence: float,
) -> str:
    """Why one of the candidates is named, in a few sentences; `failed` are the checks of limits
    that left others out.
    """
    names = {candidate.id: candidate.name for candidate in candidates}
    without_usable = [candidate for candidate in candidates if not candidate.summary.usable]
    left = " left" if failed or without_usable else ""
    sentences = [_reason(selection, names, confidence, left)]
    is_decided = selection.verdict in ("leads", "not_worse")
    if is_decided and not any(rival.content for rival in selection.rivals):
        sentences.append(
            "Content was not compared: no two models have it on six briefs "
            "(`graph-evaluator briefs code`)."
        )
    if selection.named:
        summary = selection.named.summary
        measured = {"cost": summary.cost.per_usable, "latency": summary.latency.p50_ms}
        unmeasured = [name for name, value in measured.items() if value is None]
        if unmeasured:
            sentences.append(f"Not measured: its {' and its '.join(unmeasured)}.")
    if failed:
        reasons = [f"{names[check.model]} ({check.name} {check.verdict})" for check in failed]
        sentences.append(f"Left out for a limit: {show.first_of(reasons)}.")
    for what, is_unanswered in (("usable graph", False), ("answer", True)):
        named = [
            candidate.name
            for candidate in without_usable
            if candidate.summary.is_unanswered == is_unanswered
        ]
        if named:
            sentences.append(f"No {what} from {show.first_of(named)}.")
    return " ".join(sentences)


def _reason(selection: Selection, names: Mapping[str, str], confidence: float, left: str) -> str:
    named = selection.named
    if named is None:
        return REASONS[selection.verdict]
    others = [names[rival.model] for rival in selection.rivals if rival.worse_in is None]
    worse = [f"{names[rival.model]} in {rival.worse_in}" for rival in selection.rivals]
    return REASONS[selection.verdict].format(
        name=named.name,
        left=left,
        measured=_measured(named.summary, confidence),
        remaining=len(others) + 1,
        others=show.first_of(others),
        worse=show.first_of(worse),
    )


def _measured(summary: Summary, confidence: float) -> str:
    """Form, and content where it is measured, each with its interval; of a form that has its top
    mark what was seen: that no answer failed.
    """
    form = _scored(summary.form, confidence)
    if summary.form.value == 1.0 and summary.form.low is not None:
        least, sure = show.share(summary.form.low), show.share(confidence)
        form = (
            f"{show.score(1.0)}, usable {summary.usable} of {summary.answered} "
            f"(at least {least} of all briefs with {sure} confidence)"
        )
    if not summary.content.n:
        return f"form {form}"
    return f"form {form}, content {_scored(summary.content, confidence)}"


def _scored(score: Measurement, confidence: float) -> str:
    sure = show.counted(score.n, "brief")
    if score.ends is not None:
        sure += f", {show.share(confidence)} interval {show.interval(*score.ends)}"
    return f"{show.score(score.value)} ({sure})"


def modes_table(decision: Decision, candidates: Sequence[Candidate]) -> Table:
    """Each mode with its candidates by rank: which is named, in what the others are lower, and the
    limits with what was measured.
    """
    columns = (Column("Mode"), Column("Model"), Column("Result and limits"))
    rows: list[list[Raw]] = []
    for mode, chosen in decision.modes.items():
        named = "highest form" if chosen.verdict == "undecided" else "named"
        results: dict[str | None, str] = {chosen.model: named}
        for rival in chosen.rivals:
            lower = f"lower in {rival.worse_in}"
            results[rival.model] = lower if rival.worse_in else "cannot be distinguished"
        results |= dict.fromkeys(chosen.excluded, "left out for a limit")
        results |= dict.fromkeys(chosen.without_usable, "no usable graph")
        for candidate in candidates:
            if candidate.id in results:
                if candidate.summary.is_unanswered:
                    results[candidate.id] = "no answer"
                checks = [_checked(check) for check in chosen.checks if check.model == candidate.id]
                result = "; ".join(filter(None, [results[candidate.id], *checks]))
                rows.append([mode, candidate.name, result])
    return make_table(columns, rows, title="By mode", heads=2)


def _checked(check: LimitCheck) -> str:
    """A limit, whether it is met, and what was measured."""
    measured, shown = check.measured, f"{check.name} {check.limit:g}: {check.verdict}"
    if measured.value is None:
        return shown
    share = show.share(measured.value)
    ends = "" if measured.ends is None else f", {show.share_interval(*measured.ends)}"
    found: Mapping[LimitName, str] = {
        "max_p95_latency_s": f"{share} took longer{ends}",
        "max_usd_per_usable_graph": show.money(measured.value),
        "min_usable_rate": f"{share}{ends}",
    }
    return f"{shown} ({found[check.name]})"
