"""The decision in the words and tables that the summary, the terminal, the analysis pack and the
site share.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.report.ranking import Candidate
from stages.report.selection import Selection
from stages.shared.present.table import Column, Section, Table, make_table
from stages.shared.records.decision import (
    Decision,
    LimitCheck,
    ModeDecision,
    NextStep,
    PossibleEqual,
    Rival,
)
from stages.shared.records.measurement import Measurement
from stages.shared.records.params import CompareParams
from stages.shared.shell import numbers as show

VERDICTS = {
    "leads": ("better than every other", "good"),
    "not_worse": ("the cheapest shown to be as good as any", "good"),
    "undecided": ("undecided, the highest score so far", "warn"),
    "only_candidate": ("the only candidate", "warn"),
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
    return f"an expected score of {show.score(score.value)} ({briefs}{interval})"


def _reason(
    selection: Selection, name: str, scored: str, models: Mapping[str, Candidate], margin: float
) -> str:
    if selection.verdict == "only_candidate":
        return f"{name} is the only candidate with a score: {scored}."
    if selection.verdict == "leads":
        nearest = min(selection.leads, key=lambda lead: lead.difference.value or 0.0)
        lead = nearest.difference
        interval = show.difference_interval(lead.low, lead.high)
        ahead = f"{show.difference(lead.value)} ({interval})"
        rival = models[nearest.rival].name
        return f"{name} leads with {scored}; ahead of the next, {rival}, by {ahead}."
    if selection.verdict == "not_worse":
        return (
            f"No other model beats {name} by {show.score(margin)} or more, and it is "
            f"the cheapest of which that can be said: {scored}."
        )
    rivals = [lead.rival for lead in selection.leads if not lead.is_above(0.0)]
    return (
        f"Undecided: {name} has the highest score, {scored}, but {_listed(rivals, models)} "
        f"may be as good; {_next_step(selection.next_step)}."
    )


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


def advice_section(decision: Decision, candidates: Sequence[Candidate]) -> Section:
    """What to take for each mode, and the limits and the rivals that led to it, as far as there are
    any.
    """
    columns = [Column(title) for title in ("Mode", "Take", "Verdict", "Why")]
    rows = [
        (advice.mode, advice.name or show.MISSING, advice.verdict, advice.text)
        for advice in advice_of(decision, candidates)
    ]
    names = {candidate.id: candidate.name for candidate in candidates}
    tables = [
        make_table(columns, rows, title="What to take"),
        _checks_table(decision, names),
        _rivals_table(decision, names),
    ]
    shown = [table for table in tables if table.rows]
    return Section("advice", "Which model to take", tables=shown)


def _rivals_table(decision: Decision, names: Mapping[str, str]) -> Table:
    columns = (
        Column("Mode"),
        Column("Named"),
        Column("Against"),
        Column("Briefs", show.count),
        Column("Lead", show.difference),
        Column("Interval", show.difference_interval),
        Column("The named model is"),
    )
    rows = []
    for mode, chosen in decision.modes.items():
        for rival in chosen.rivals:
            lead = rival.difference
            who = (_mode(mode), names[chosen.named or ""], names[rival.model])
            rows.append(
                (*who, lead.n, lead.value, (lead.low, lead.high), _rival_verdict(chosen, rival))
            )
    title = "The named model of each mode against the others, paired by brief"
    return make_table(columns, rows, title=title)


def _rival_verdict(chosen: ModeDecision, rival: Rival) -> str:
    lead = rival.difference
    if lead.low is None:
        return "not compared"
    # Judged by the margin it may be better than a rival, which is not claimed.
    if chosen.verdict == "not_worse":
        return "not worse"
    return "better" if lead.low > 0 else "undecided"


def _checks_table(decision: Decision, names: Mapping[str, str]) -> Table:
    titles = ("Mode", "Limit", "Model", "Measured", "Interval", "Verdict")
    rows = []
    for mode, chosen in decision.modes.items():
        for check in chosen.checks:
            limit, measured, interval = _limit(check)
            verdict: str = check.verdict
            if check.answers_needed is not None:
                verdict += f"; about {show.counted(check.answers_needed, 'answer')} would decide"
            rows.append((_mode(mode), limit, names[check.model], measured, interval, verdict))
    title = "The limits of the modes; one that is missed or not measured excludes a model"
    return make_table([Column(title) for title in titles], rows, title=title)


def _limit(check: LimitCheck) -> tuple[str, str, str]:
    """The limit in words, the measured value, and its interval."""
    value, low, high = check.measured.value, check.measured.low, check.measured.high
    if check.name == "max_usd_per_usable_graph":
        limit = f"at most {show.money(check.limit)} per usable graph"
        return limit, show.money(value), show.money_interval(low, high)
    limit = f"a usable graph in at least {show.share(check.limit)} of the answers"
    if check.name == "max_p95_latency_s":
        limit = f"at most 5% of the calls over {show.duration(check.limit * 1000)}"
    return limit, show.share(value), show.share_interval(low, high)


def _mode(mode: str) -> str:
    return "no mode" if mode == WITHOUT_MODE else mode


def _listed(model_ids: Sequence[str], models: Mapping[str, Candidate]) -> str:
    names = [models[model_id].name for model_id in model_ids]
    if len(names) > MAX_NAMES:
        return show.first_of(names, MAX_NAMES)
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]}"
