"""Drafts a decision graph from a brief: labels in the brief's words, parameters as good as the
character makes them.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stages.contracts.json_text import JsonObject, JsonValue
from stages.simulate.brief_reader import BriefReading, Clause, ListedOption
from stages.simulate.characters import Character
from stages.simulate.stream import Stream

_GENERIC_LABELS = ("Cost", "Revenue", "Demand", "Supply", "Growth", "Competition", "Market risk")
_CERTAINTIES = (
    (0.03, 0.06, 0.95, 0.99),
    (0.06, 0.10, 0.85, 0.95),
    (0.10, 0.15, 0.70, 0.85),
    (0.15, 0.22, 0.50, 0.70),
)
"""From a mechanical link to a speculative one: bounds of the standard deviation, then bounds of the
probability to exist."""
_RESULTS = ("out_1", "risk_1")
_PRIOR: JsonValue = {"distribution": "uniform", "range_min": 0.1, "range_max": 0.6}


@dataclass(frozen=True, slots=True)
class DraftedGraph:
    """A draft: its nodes, edges and claims as they are written, and its coaching."""

    nodes: list[JsonObject]
    edges: list[JsonObject]
    coaching: JsonObject
    causal_claims: list[JsonObject] = field(default_factory=list)


def node(identifier: str, kind: str, label: str, **more: JsonValue) -> JsonObject:
    """A node as it is written."""
    return {"id": identifier, "kind": kind, "label": label, **more}


def edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, exists: float = 1.0
) -> JsonObject:
    """A directed edge as it is written; by default the certain one of a decision or an option."""
    direction = "negative" if mean < 0 else "positive"
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": exists,
        "effect_direction": direction,
        "edge_type": "directed",
    }


def draft(reading: BriefReading, character: Character, stream: Stream) -> DraftedGraph:
    """A graph as the prompts ask for it; structurally valid for any brief and any character."""
    words = _Words(reading, character, stream.branch("words"))
    omits_status_quo = stream.branch("status quo").chance(character.omit_status_quo)
    options = _options(reading, words, omits_status_quo)
    lever_count = max(2, min(len(options), 7 - len(options)))
    levers = [f"fac_{number}" for number in range(1, lever_count + 1)]
    settings = _settings(options, levers, character, stream.branch("settings"))
    factors = [
        words.factor(lever, "controllable", option.clauses)
        for lever, option in zip(levers, options, strict=False)
    ]
    has_external = not stream.branch("external").chance(character.omit_external)
    if has_external:
        factors.append(words.factor("fac_external", "external") | {"prior": _PRIOR})
    fewest, most = character.observables
    observables = int(stream.between(fewest, most + 1))
    for number in range(observables):
        factors.append(words.factor(f"fac_seen_{number}", "observable"))
    outcome = node("out_1", "outcome", words.take().text)
    risk = node("risk_1", "risk", words.take().text)
    goal_label = reading.aim.text or words.take().text
    goal = node("goal_1", "goal", goal_label, **words.threshold())
    decision = node("dec_1", "decision", reading.title)
    edges = _option_edges(settings, levers)
    factor_ids = [str(factor["id"]) for factor in factors]
    edges += _effects(factor_ids, character, stream.branch("effects"))
    if has_external and stream.chance(0.5):
        confounder = edge("fac_external", "risk_1", 0.0)
        edges.append(confounder | {"edge_type": "bidirected"})
    nodes = [decision, *_option_nodes(options, settings), *factors, outcome, risk, goal]
    return DraftedGraph(nodes, edges, words.coaching())


class _Scaled(NamedTuple):
    """A number as its share of a scale, itself, its unit, and the end of the scale."""

    share: float
    number: float
    unit: str
    cap: float


class _Words:
    """Labels and numbers: the brief's clauses, each used once, or the character's inventions."""

    def __init__(self, reading: BriefReading, character: Character, stream: Stream) -> None:
        self._reading = reading
        self._character = character
        self._stream = stream
        used = (reading.aim.text, reading.title)
        self._unused = [clause for clause in reading.clauses if clause.text not in used]
        self._title_numbers = itertools.count(1)

    def take(self, preferred: Sequence[Clause] = ()) -> Clause:
        """An unused clause: a preferred one, else one of the brief's next four, else a title."""
        clauses = [clause for clause in preferred if clause in self._unused] or self._unused
        if not clauses:
            return Clause(f"{self._reading.title} ({next(self._title_numbers)})")
        clause = self._stream.choice(clauses[:4])
        self._unused.remove(clause)
        return clause

    def factor(
        self, identifier: str, category: str, preferred: Sequence[Clause] = ()
    ) -> JsonObject:
        """A factor; its value is explicit where its label holds a number, or one is invented."""
        with_number = [clause for clause in preferred if clause.number]
        clause = self.take(with_number or preferred)
        if self._stream.chance(self._character.generic_label):
            clause = Clause(self._stream.choice(_GENERIC_LABELS))
        scaled = self._scaled(clause)
        data: JsonObject = {}
        if scaled is None:
            data["value"] = round(self._stream.between(0.1, 0.8), 2)
            data["extractionType"] = "inferred"
        else:
            data["value"] = scaled.share
            data["raw_value"] = scaled.number
            data["unit"] = scaled.unit
            data["cap"] = scaled.cap
            data["extractionType"] = "explicit"
        return node(identifier, "factor", clause.text, category=category, data=data)

    def threshold(self) -> JsonObject:
        """The goal's target as the brief names it, or an invented one; empty for none."""
        if self._stream.chance(self._character.omit_threshold):
            return {}
        scaled = self._scaled(self._reading.aim)
        if scaled is None:
            return {}
        return {
            "goal_threshold": scaled.share,
            "goal_threshold_raw": scaled.number,
            "goal_threshold_unit": scaled.unit,
            "goal_threshold_cap": scaled.cap,
        }

    def coaching(self) -> JsonObject:
        """A summary and three items in the brief's words; empty where the character omits them."""
        if self._stream.chance(self._character.omit_coaching):
            return {}
        title = self._reading.title
        advice: list[JsonValue] = []
        for action in ("add_evidence", "add_option", "add_risk"):
            label = self.take().text
            names: JsonObject = {"id": f"str_{action}", "action_type": action}
            advice.append(names | {"label": label, "detail": title})
        return {"summary": f"{title}: {self.take().text}", "strengthen_items": advice}

    def _scaled(self, clause: Clause) -> _Scaled | None:
        number, unit = clause.number, clause.unit
        if self._character.invents_numbers:  # with two decimals that no brief is likely to contain
            number = round(self._stream.between(11, 99)) + 0.37
            unit = "%"
        if number is None:
            return None
        is_percentage = unit == "%" and number <= 100
        cap = 100.0 if is_percentage else 10.0 ** len(str(int(number)))
        return _Scaled(round(number / cap, 4), number, unit, cap)


def _options(reading: BriefReading, words: _Words, omits_status_quo: bool) -> list[ListedOption]:
    changes = [option for option in reading.options if not option.unchanged][:4]
    fewest = 2 if omits_status_quo else 1
    while len(changes) < fewest:
        changes.append(ListedOption(words.take().text))
    if omits_status_quo:
        return changes
    unchanged = [option for option in reading.options if option.unchanged]
    status_quo = unchanged[0] if unchanged else ListedOption(words.take().text)
    label = f"Status quo: {status_quo.label}"
    return [*changes, ListedOption(label, status_quo.clauses, unchanged=True)]


def _settings(
    options: Sequence[ListedOption], levers: Sequence[str], character: Character, stream: Stream
) -> list[JsonObject]:
    """What each option sets: a lever of its own and, of three or more, perhaps the next one."""
    sets_every_lever = stream.chance(character.shared_levers)
    settings: list[JsonObject] = []
    for place, option in enumerate(options):
        own = [levers[place % len(levers)]]
        if len(levers) > 2 and stream.chance(0.45):
            own.append(levers[(place + 1) % len(levers)])
        low, high = (0.05, 0.35) if option.unchanged else (0.45, 0.95)
        values: JsonObject = {}
        for lever in levers if sets_every_lever else own:
            # the option's place in the third decimal keeps two maps from being equal by chance
            values[lever] = round(stream.between(low, high), 2) + place / 1000
        settings.append(values)
    if stream.chance(character.twin_options):
        settings[1] = settings[0]
    if stream.chance(character.empty_option):
        settings[-1] = {}
    return settings


def _option_nodes(
    options: Sequence[ListedOption], settings: Sequence[JsonObject]
) -> list[JsonObject]:
    nodes: list[JsonObject] = []
    for number, (option, values) in enumerate(zip(options, settings, strict=True), start=1):
        data: JsonValue = {"interventions": dict(values)}
        nodes.append(node(f"opt_{number}", "option", option.label, data=data))
    return nodes


def _option_edges(settings: Sequence[JsonObject], levers: Sequence[str]) -> list[JsonObject]:
    """From the decision to each option, and from it to what it sets; every lever gets an edge."""
    edges: list[JsonObject] = []
    set_levers: set[str] = set()
    for place, values in enumerate(settings):
        option = f"opt_{place + 1}"
        targets = list(values) or [levers[place % len(levers)]]
        edges.append(edge("dec_1", option))
        edges += [edge(option, lever) for lever in targets]
        set_levers.update(targets)
    return edges + [edge("opt_1", lever) for lever in levers if lever not in set_levers]


def _effects(factors: Sequence[str], character: Character, stream: Stream) -> list[JsonObject]:
    """The causal edges: each factor moves a result, each result the goal.

    What enters a node adds up to 0.7 to 0.95, or to more than 1 where the character is careless.
    """
    signs: dict[str, dict[str, int]] = {target: {} for target in _RESULTS}
    for place, factor in enumerate(factors):
        signs[_RESULTS[place % 2]][factor] = -1 if stream.chance(0.2) else 1
    signs["goal_1"] = {"out_1": 1, "risk_1": -1}
    edges: list[JsonObject] = []
    for target, signs_of_sources in signs.items():
        edges += _effects_on(target, signs_of_sources, character, stream)
    return edges


def _effects_on(
    target: str, signs: Mapping[str, int], character: Character, stream: Stream
) -> list[JsonObject]:
    weights = {source: stream.between(0.4, 2.2) for source in signs}
    is_over_range = stream.chance(character.over_range)
    total = stream.between(1.1, 1.6) if is_over_range else stream.between(0.7, 0.95)
    weight_sum = 0.0  # not `sum`, which rounds otherwise from Python 3.12 on
    for weight in weights.values():
        weight_sum += weight
    edges: list[JsonObject] = []
    for source, weight in weights.items():
        lowest_std, highest_std, unlikely, likely = stream.choice(_CERTAINTIES)
        share = int(100 * total * weight / weight_sum) / 100
        size = min(0.95, max(0.05, share))
        std = round(stream.between(lowest_std, highest_std), 3)
        exists = round(stream.between(unlikely, likely), 2)
        if stream.chance(character.default_share):
            size, std, exists = 0.5, 0.125, 0.8
        edges.append(edge(source, target, signs[source] * size, std, exists))
    return edges
