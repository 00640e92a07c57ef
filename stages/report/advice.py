"""The decision in the words and tables that the summary, the terminal, the analysis pack and the
site share.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.report.ranking import Candidate
from stages.report.selection import Lead, Selection
from stages.shared.present.table import Column, Raw, Table, make_table
from stages.shared.records.decision import (
    Decision,
    LimitCheck,
    ModeDecision,
    NextStep,
    PossibleEqual,
    Rival,
)
from stages.shared.records.params import CompareParams
from stages.shared.records.record import NOT_MEASURED, Measurement
from stages.shared.shell import numbers as show

VERDICTS = {
    "leads": ("better than every other", "good"),
    "leads_content": ("as good in score, better in content", "good"),
    "not_worse": ("the cheapest shown to be as good as any", "good"),
    "undecided": ("undecided, the highest score so far", "warn"),
    "only_candidate": ("the only one with a usable graph", "warn"),
    "none": ("no model to take", "bad"),
}
"""Each verdict in words, and its colour in the site."""
MANY_CANDIDATES = 4
"""Above so many the best looks better than it is: by 0.013 to 0.018 with twelve."""
MAX_NAMES = 4
"""Names in a sentence; of more only the first are listed."""
WITHOUT_MODE = "other"
"""The key of the models that have no config, and so no target mode."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The decision for one mode in words. All texts are plain: escape them where they are shown.

    `name` is the named model's, None where there is none. `without_usable` is a sentence on the
    candidates without a usable graph, empty where there are none. `notes` are sentences on the
    candidates that may be as good, if it is undecided.
    """

    mode: str
    name: str | None
    verdict: str
    look: str
    without_usable: str
    notes: tuple[str, ...]
    decision: ModeDecision

    @property
    def text(self) -> str:
        """The reason, the candidates without a usable graph, and the notes."""
        sentences = (self.decision.reason, self.without_usable, *self.notes)
        return " ".join(sentence for sentence in sentences if sentence)


def advice_of(decision: Decision, candidates: Iterable[Candidate]) -> tuple[Advice, ...]:
    """The advice for every mode, in the order of the decision."""
    by_id = {candidate.id: candidate for candidate in candidates}
    return tuple(_advice(mode, chosen, by_id) for mode, chosen in decision.modes.items())


def _advice(mode: str, chosen: ModeDecision, rows: Mapping[str, Candidate]) -> Advice:
    verdict, look = VERDICTS[chosen.verdict]
    name = rows[chosen.named].name if chosen.named else None
    notes = tuple(_possible_equals(chosen, rows))
    without_usable = ""
    if chosen.without_usable and chosen.model:
        without_usable = f"Nothing usable came from {_listed(chosen.without_usable, rows)}."
    return Advice(_mode(mode), name, verdict, look, without_usable, notes, chosen)


def reason_of(
    selection: Selection,
    models: Mapping[str, Candidate],
    failed: Sequence[LimitCheck],
    compare: CompareParams,
) -> str:
    """Why a model is named, in a few sentences; `failed` are the checks of limits that left other
    models out.
    """
    left_out = list(_left_out(failed, models))
    if selection.model_id is None:
        kept = " that no limit leaves out" if failed else ""
        return " ".join([f"No candidate{kept} has delivered a usable graph.", *left_out])
    model = models[selection.model_id]
    scored = _scored(model.summary.expected, compare.confidence)
    sentences = [_reason(selection, model.name, scored, models, compare.min_difference)]
    if selection.uncoded:
        sentences.append(
            "Content decides nothing, as fewer than nine tenths of the labels of "
            f"{_listed(selection.uncoded, models)} are coded: run graph-evaluator briefs code."
        )
    if selection.alone:
        sentences.append(
            "Content decides nothing, as no other model is shown to be as good in score."
        )
    measured = {"cost": model.summary.cost.usd, "latency": model.summary.latency.p50_ms}
    unmeasured = [name for name, value in measured.items() if value is None]
    if unmeasured:
        sentences.append(f"Not measured: its {' and its '.join(unmeasured)}.")
    if selection.compared > MANY_CANDIDATES:
        count = selection.compared
        sentences.append(f"The best of {count} candidates looks better than it is.")
    if selection.same_answers:
        policies = _listed(selection.same_answers, models)
        sentences.append(f"The same answers as one of its models: {policies}.")
    return " ".join([*sentences, *left_out])


def _left_out(failed: Sequence[LimitCheck], models: Mapping[str, Candidate]) -> Iterator[str]:
    """Who was left out for a limit, and why: a sentence for each kind of reason."""
    missed = sorted({check.model for check in failed if check.verdict == "missed"})
    if missed:
        yield f"Left out for a missed limit: {_listed(missed, models)}."
    for name, what in (("max_p95_latency_s", "latency"), ("max_usd_per_usable_graph", "cost")):
        unmeasured = sorted(
            check.model
            for check in failed
            if check.verdict == "not measured" and check.name == name
        )
        if unmeasured:
            listed = _listed(unmeasured, models)
            yield f"Left out, as the {what} was not measured: {listed}."


def _scored(score: Measurement, confidence: float) -> str:
    interval = ""
    if score.low is not None:
        level = show.share(confidence)
        interval = f", {level} interval {show.interval(score.low, score.high)}"
    briefs = show.counted(score.n, "brief")
    return f"{show.score(score.value)} ({briefs}{interval})"


def _reason(
    selection: Selection, name: str, scored: str, models: Mapping[str, Candidate], margin: float
) -> str:
    if selection.verdict == "only_candidate":
        return f"{name} is the only candidate with a usable graph: a score of {scored}."
    if selection.verdict == "leads":
        rival, ahead = _nearest(selection.leads, models)
        return f"{name} leads with a score of {scored}; ahead of the next, {rival}, by {ahead}."
    if selection.verdict == "leads_content":
        rival, ahead = _nearest(selection.content_leads, models)
        return (
            f"No other model beats {name} in score by {show.score(margin)} or more (a score of "
            f"{scored}), and it leads in content, ahead of {rival} by {ahead}."
        )
    if selection.verdict == "not_worse":
        numbers = "score or content" if selection.content_leads else "score"
        return (
            f"No other model beats {name} in {numbers} by what matters, {show.score(margin)} of "
            f"the score, and it is the cheapest of which that can be said: a score of {scored}."
        )
    open_leads = selection.content_leads or selection.leads
    rivals = [lead.rival for lead in open_leads if not lead.is_above(0.0)]
    in_content = " in content" if selection.content_leads else ""
    return (
        f"Undecided: {name} has the highest score, {scored}, but {_listed(rivals, models)} "
        f"may be as good{in_content}; {_next_step(selection.next_step)}."
    )


def _nearest(leads: Sequence[Lead], models: Mapping[str, Candidate]) -> tuple[str, str]:
    """The name of the rival over which the lead is smallest, and that lead."""
    nearest = min(leads, key=lambda lead: lead.difference.value or 0.0)
    lead = nearest.difference
    interval = show.difference_interval(lead.low, lead.high)
    return models[nearest.rival].name, f"{show.difference(lead.value)} ({interval})"


def _next_step(step: NextStep | None) -> str:
    if step is None or step.briefs is None:
        return "no number of briefs within reach would decide"
    price = "" if step.usd is None else f", for about {show.money(step.usd)} more"
    return f"about {show.counted(step.briefs, 'brief')} in all would decide{price}"


def _possible_equals(chosen: ModeDecision, rows: Mapping[str, Candidate]) -> Iterator[str]:
    if chosen.named is None:
        return
    named = rows[chosen.named]
    if chosen.cheapest is not None:
        other = rows[chosen.cheapest.model]
        cost = show.money(other.summary.cost.per_usable)
        gain = f"{cost}{_instead_of(show.money(named.summary.cost.per_usable))} per usable graph"
        yield _possible_equal("cheapest", other.name, gain, chosen.cheapest)
    if chosen.fastest is not None:
        other = rows[chosen.fastest.model]
        latency = show.duration(other.summary.latency.p50_ms)
        gain = f"median {latency}{_instead_of(show.duration(named.summary.latency.p50_ms))}"
        yield _possible_equal("fastest", other.name, gain, chosen.fastest)


def _instead_of(shown: str) -> str:
    return "" if shown == show.MISSING else f" instead of {shown}"


def _possible_equal(kind: str, name: str, gain: str, equal: PossibleEqual) -> str:
    worse = f"It may score up to {show.score(equal.worse_by_at_most)} lower."
    if equal.worse_by_at_most is None:
        worse = "How much lower it may score is not known."
    return f"The {kind} that may be as good: {name}, {gain}. {worse}"


def modes_table(decision: Decision, candidates: Sequence[Candidate]) -> Table:
    """Each mode with its candidates by rank: the lead of the named one over each, and the limits
    with what was measured.
    """
    columns = (
        Column("Mode"),
        Column("Model"),
        Column("Lead over it", show.difference, hint="Of the named model, in the score"),
        Column("Interval", show.difference_interval),
        Column("Result"),
    )
    rows: list[list[Raw]] = []
    for mode, chosen in decision.modes.items():
        leads = {rival.model: rival for rival in chosen.rivals}
        for candidate in candidates:
            lead = leads.get(candidate.id)
            result = _result(candidate, chosen, lead)
            if result:
                checks = [_checked(check) for check in chosen.checks if check.model == candidate.id]
                difference = lead.difference if lead else NOT_MEASURED
                ends = (difference.low, difference.high)
                result = "; ".join([result, *checks])
                rows.append([_mode(mode), candidate.name, difference.value, ends, result])
    return make_table(columns, rows, title="By mode", heads=2)


def _result(candidate: Candidate, chosen: ModeDecision, lead: Rival | None) -> str:
    """The result of a candidate in a mode; empty where it is none."""
    if candidate.id == chosen.named:
        return "highest score" if chosen.verdict == "undecided" else "named"
    if lead is not None:
        return "; ".join([_rival_verdict(chosen, lead), *_content_lead(lead)])
    if candidate.id in chosen.excluded:
        return "left out for a limit"
    return "no usable graph" if candidate.id in chosen.without_usable else ""


def _rival_verdict(chosen: ModeDecision, rival: Rival) -> str:
    lead = rival.difference
    if lead.low is None:
        return "not compared: too few briefs in common"
    # Judged by the margin it may be better than a rival, which is not claimed.
    if chosen.verdict == "not_worse":
        return "the named model is not worse"
    if lead.low > 0:
        return "lower in score"
    return "may be as good in score"


def _content_lead(rival: Rival) -> Iterator[str]:
    """The named model's lead in content, where content decides."""
    content = rival.content
    if content is not None:
        interval = show.difference_interval(content.low, content.high)
        yield f"lead in content {show.difference(content.value)} ({interval})"


def _checked(check: LimitCheck) -> str:
    """A limit, whether it is met, and the measured value with its interval."""
    value, ends = check.measured.value, (check.measured.low, check.measured.high)
    limit = f"at least {show.share(check.limit)} usable"
    found = f"{show.share(value)}, {show.share_interval(*ends)}"
    if check.name == "max_usd_per_usable_graph":
        limit = f"at most {show.money(check.limit)} per usable graph"
        found = f"{show.money(value)}, {show.money_interval(*ends)}"
    if check.name == "max_p95_latency_s":
        limit = f"p95 at most {show.duration(check.limit * 1000)}"
        found = f"{show.share(value)} took longer, {show.share_interval(*ends)}"
    shown = f"{limit}: {check.verdict}"
    if value is not None:
        shown += f" ({found})"
    if check.answers_needed is not None:
        shown += f", about {show.counted(check.answers_needed, 'answer')} would decide"
    return shown


def _mode(mode: str) -> str:
    return "no mode" if mode == WITHOUT_MODE else mode


def _listed(model_ids: Sequence[str], models: Mapping[str, Candidate]) -> str:
    names = [models[model_id].name for model_id in model_ids]
    if len(names) > MAX_NAMES:
        return show.first_of(names, MAX_NAMES)
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
