"""The decision in words and as a table, for the summary, the terminal, the analysis pack and the
site. All texts are plain: escape them where they are shown.
"""

from collections.abc import Iterable, Mapping, Sequence

from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.records.decision import (
    Decision,
    DecisionVerdict,
    LimitCheck,
    LimitName,
    ModeDecision,
    NextStep,
    Rival,
)
from graph_evaluator.records.params import CompareParams
from graph_evaluator.records.record import Measurement
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.report.selection import Selection
from graph_evaluator.shell import numbers as show

VERDICTS: Mapping[DecisionVerdict, tuple[str, str]] = {
    "leads": ("better than every other", "good"),
    "leads_content": ("as good in score, better in content", "good"),
    "not_worse": ("the cheapest shown to be as good as any", "good"),
    "undecided": ("undecided, the highest score so far", "warn"),
    "only_candidate": ("the only one with a usable graph", "warn"),
    "none": ("no model to take", "bad"),
}
"""Each verdict in words, and its colour in the site."""
REASONS: Mapping[DecisionVerdict, str] = {
    "leads": "{name} leads with a score of {score}; ahead of the next, {next}, by {lead}.",
    "leads_content": (
        "No other model beats {name} in score by {margin} or more (a score of {score}), and it "
        "leads in content, ahead of {next} by {lead}."
    ),
    "not_worse": (
        "No other model beats {name} in {numbers} by what matters, {margin} of the score, and it "
        "is the cheapest of which that can be said: a score of {score}."
    ),
    "undecided": (
        "Undecided: {name} has the highest score, {score}, but {rivals} may be as good in "
        "{numbers}; {step}."
    ),
    "only_candidate": "{name} is the only candidate with a usable graph: a score of {score}.",
    "none": "No candidate with a usable graph is left.",
}
MANY_CANDIDATES = 4
"""Above so many the best looks better than it is: by 0.013 to 0.018 with twelve."""


def reason_of(
    selection: Selection,
    next_step: NextStep | None,
    models: Mapping[str, Candidate],
    failed: Sequence[LimitCheck],
    without_usable: Sequence[str],
    compare: CompareParams,
) -> str:
    """Why a model is named, in a few sentences; `failed` are the checks of limits that left other
    models out, `without_usable` the candidates without a usable graph.
    """

    def listed(ids: Iterable[str]) -> str:
        return show.first_of([models[model].name for model in dict.fromkeys(ids)])

    sentences = [_reason(selection, next_step, models, compare)]
    if selection.model_id:
        summary = models[selection.model_id].summary
        measured = {"cost": summary.cost.per_usable, "latency": summary.latency.p50_ms}
        unmeasured = [name for name, value in measured.items() if value is None]
        if unmeasured:
            sentences.append(f"Not measured: its {' and its '.join(unmeasured)}.")
    if selection.compared > MANY_CANDIDATES:
        count = selection.compared
        sentences.append(f"The best of {count} candidates looks better than it is.")
    if failed:
        reasons = [f"{models[one.model].name} ({one.name} {one.verdict})" for one in failed]
        sentences.append(f"Left out for a limit: {show.first_of(reasons)}.")
    silent = [model for model in without_usable if models[model].summary.is_unanswered]
    unusable = [model for model in without_usable if model not in silent]
    if unusable:
        sentences.append(f"Nothing usable came from {listed(unusable)}.")
    if silent:
        sentences.append(f"No answer came from {listed(silent)}.")
    return " ".join(sentences)


def _reason(
    selection: Selection,
    next_step: NextStep | None,
    models: Mapping[str, Candidate],
    compare: CompareParams,
) -> str:
    if selection.model_id is None:
        return REASONS[selection.verdict]
    named = models[selection.model_id]
    contents = {rival.model: rival.content for rival in selection.rivals if rival.content}
    leads = contents or {rival.model: rival.difference for rival in selection.rivals}
    nearest = min(leads, key=lambda rival: leads[rival].value or 0.0, default=None)
    may_be_as_good = [models[rival].name for rival, lead in leads.items() if (lead.low or 0) <= 0]
    return REASONS[selection.verdict].format(
        name=named.name,
        score=_scored(named.summary.expected, compare.confidence),
        numbers="score or content" if contents else "score",
        margin=show.score(compare.min_difference),
        next=models[nearest].name if nearest else "",
        lead=_lead(leads[nearest]) if nearest else "",
        rivals=show.first_of(may_be_as_good),
        step=_step(next_step),
    )


def _scored(score: Measurement, confidence: float) -> str:
    sure = show.counted(score.n, "brief")
    if score.ends is not None:
        sure += f", {show.share(confidence)} interval {show.interval(*score.ends)}"
    return f"{show.score(score.value)} ({sure})"


def _lead(lead: Measurement | None) -> str:
    if lead is None:
        return show.MISSING
    shown = show.difference(lead.value)
    return shown if lead.ends is None else f"{shown} ({show.difference_interval(*lead.ends)})"


def _step(step: NextStep | None) -> str:
    if step is None or step.briefs is None:
        return "no number of briefs within reach would decide"
    price = "" if step.usd is None else f", for about {show.money(step.usd)} more"
    return f"about {show.counted(step.briefs, 'brief')} in all would decide{price}"


def modes_table(decision: Decision, candidates: Sequence[Candidate]) -> Table:
    """Each mode with its candidates by rank: the lead of the named one over each, and the limits
    with what was measured.
    """
    columns = (
        Column("Mode"),
        Column("Model"),
        Column("Lead over it in score", show.difference),
        Column("In content", show.difference),
        Column("Result and limits"),
    )
    rows: list[list[Raw]] = []
    for mode, chosen in decision.modes.items():
        rivals = {rival.model: rival for rival in chosen.rivals}
        named = "highest score" if chosen.verdict == "undecided" else "named"
        results: dict[str | None, str] = {chosen.model: named}
        results |= {name: _against_named(chosen, rival) for name, rival in rivals.items()}
        results |= dict.fromkeys(chosen.excluded, "left out for a limit")
        results |= dict.fromkeys(chosen.without_usable, "no usable graph")
        for candidate in candidates:
            if candidate.id in results:
                if candidate.summary.is_unanswered:
                    results[candidate.id] = "no answer"
                rival = rivals.get(candidate.id)
                leads = [rival.difference, rival.content] if rival else [None, None]
                shown = [Entry(_lead(lead)) for lead in leads]
                checks = [_checked(check) for check in chosen.checks if check.model == candidate.id]
                result = "; ".join(filter(None, [results[candidate.id], *checks]))
                rows.append([mode, candidate.name, *shown, result])
    return make_table(columns, rows, title="By mode", heads=2)


def _against_named(chosen: ModeDecision, rival: Rival) -> str:
    """What the lead over a rival shows. By the rule of *not worse* a lead above 0 is no claim."""
    if chosen.verdict == "not_worse":
        return "the named model is not worse"
    lead = rival.difference.low
    return "lower in score" if lead is not None and lead > 0 else "may be as good in score"


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
