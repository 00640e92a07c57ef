"""The decision for each mode, as `results/decision.json` has it, in words and as a table, for the
summary, the terminal, the analysis pack and the site. All texts are plain: escape them where they
are shown.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from graph_evaluator.analysis.interval import mean_share
from graph_evaluator.analysis.summary import Summary, group, mean_of_known
from graph_evaluator.present.table import Column, Raw, Table, make_table
from graph_evaluator.records.model_config import TargetMode
from graph_evaluator.records.params import CompareParams, ModeLimits, ReportParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.records.run_results import (
    Decision,
    DecisionVerdict,
    Evidence,
    LimitCheck,
    LimitName,
    LimitVerdict,
    ModeDecision,
    Run,
)
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import Selection, select
from graph_evaluator.shell import numbers as show

MODES = get_args(TargetMode)
LIMITS: tuple[LimitName, ...] = get_args(LimitName)
SLOW_SHARE = 0.05
"""The share of calls that may take longer than the limit of the 95th percentile."""
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


def decide(
    candidates: Sequence[Candidate],
    run: Run,
    params: ReportParams,
    compare: CompareParams,
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `candidates` are in order of rank; `run` has the hashes of the configs and of the prompt. For a
    mode with limits every model is a candidate, else those with this target mode.
    """
    no_limits = ModeLimits()
    decisions = {}
    for mode in MODES:
        limits = params.modes.get(mode, no_limits)
        chosen = [
            candidate for candidate in candidates if limits != no_limits or candidate.mode == mode
        ]
        if chosen:
            decisions[mode] = _decide_mode(chosen, limits, run, compare)
    return Decision(
        run_id=run.run_id,
        confidence=compare.confidence,
        min_difference=compare.min_difference,
        min_content_difference=compare.min_content_difference,
        modes=decisions,
    )


def _decide_mode(
    candidates: Sequence[Candidate], limits: ModeLimits, run: Run, compare: CompareParams
) -> ModeDecision:
    """Check the limits, name a candidate among those that miss none, and collect what was measured
    of it.
    """
    usable = [candidate for candidate in candidates if candidate.summary.usable]
    checks: list[LimitCheck] = []
    for candidate in usable:
        checks += check_limits(candidate, limits, compare.confidence)
    failed = [check for check in checks if check.verdict in ("missed", "not measured")]
    excluded = sorted({check.model for check in failed})
    selection = select([candidate for candidate in usable if candidate.id not in excluded], compare)
    named = selection.named
    return ModeDecision(
        verdict=selection.verdict,
        model=named.id if named else None,
        reason=reason_of(selection, candidates, failed, compare.confidence),
        config_sha256=run.models.get(named.id) if named else None,
        prompt=run.prompt,
        shutdown_date=named.shutdown_date if named else None,
        simulated=bool(named and named.summary.simulated),
        evidence=_evidence(named.summary) if named else None,
        rivals=selection.rivals,
        compared=len(selection.rivals) + (named is not None),
        checks=tuple(checks),
        excluded=tuple(excluded),
        without_usable=tuple(
            candidate.id for candidate in candidates if not candidate.summary.usable
        ),
    )


def _evidence(summary: Summary) -> Evidence:
    return Evidence(
        form=summary.form,
        form_of_usable_graphs=summary.form_of_usable,
        usable_rate=summary.usable_rate,
        content=summary.content,
        same_choice=summary.same_choice,
        certainty=summary.certainty,
        usd_per_usable_graph=summary.cost.per_usable,
        latency_p50_s=summary.latency.p50_s,
        latency_p95_s=summary.latency.p95_s,
        cells=summary.cells,
        answers=summary.answered,
    )


def check_limits(
    candidate: Candidate, limits: ModeLimits, confidence: float
) -> Iterator[LimitCheck]:
    """A check of each limit that there is: the latency by the share of calls that took longer and
    the share of usable graphs by their intervals at `confidence`, the cost by what was spent.
    """
    summary = candidate.summary
    for name in LIMITS:
        limit = getattr(limits, name)
        if limit is None:
            continue
        if name == "max_p95_latency_s":
            measured = mean_share(_slow_shares(candidate, limit), confidence)
            verdict = _verdict(measured.value, measured.ends, most=SLOW_SHARE)
        elif name == "min_usable_rate":
            measured = summary.usable_rate
            verdict = _verdict(measured.value, measured.ends, least=limit)
        else:
            spent = summary.cost.per_usable
            measured = Measurement(value=spent, n=summary.asked_briefs)
            verdict = _verdict(spent, (spent or 0.0, spent or 0.0), most=limit)
        yield LimitCheck(
            model=candidate.id, name=name, limit=limit, verdict=verdict, measured=measured
        )


def _verdict(
    value: float | None,
    ends: tuple[float, float] | None,
    *,
    least: float = 0.0,
    most: float = math.inf,
) -> LimitVerdict:
    """Whether a value is within its limits, by the ends of its interval."""
    if value is None:
        return "not measured"
    if ends is None:
        return "cannot tell"
    low, high = ends
    if least <= low and high <= most:
        return "met"
    return "missed" if high < least or low > most else "cannot tell"


def _slow_shares(candidate: Candidate, limit: float) -> list[float]:
    """The share of calls that took over `limit` seconds on each brief with a call."""
    briefs = group(candidate.cells, lambda cell: cell.brief_id).values()
    shares = [mean_of_known(_is_slow(cell, limit) for cell in cells) for cells in briefs]
    return [share for share in shares if share is not None]


def _is_slow(cell: ScoredCell, limit: float) -> bool | None:
    """Whether a call took over `limit` seconds, as one that was given up after its deadline did;
    None for one without a latency.
    """
    if cell.status == "timeout_failed":
        return True
    latency = cell.measured.latency_ms
    return None if latency is None or not cell.answered else latency > 1000 * limit


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
