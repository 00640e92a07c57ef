"""Drafts a decision graph from a brief: labels in the brief's words, parameters as good as the character makes them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from stages.contracts import codes
from stages.contracts.json_text import JsonValue
from stages.simulate.brief_reader import BriefReading, Clause, ListedOption
from stages.simulate.characters import Character
from stages.simulate.request import JsonObject
from stages.simulate.stream import Stream

_GENERIC = ("Cost", "Revenue", "Demand", "Supply", "Growth", "Competition", "Market risk")
_BASES = (
    (0.03, 0.06, 0.95, 0.99),
    (0.06, 0.10, 0.85, 0.95),
    (0.10, 0.15, 0.70, 0.85),
    (0.15, 0.22, 0.50, 0.70),
)
"""From a mechanical link to a speculative one: bounds of the standard deviation, bounds of the probability to exist."""

VIOLATIONS = tuple(code for code in codes.VIOLATIONS if code != "NO_GRAPH")
"""The violation codes that an answer with a graph can have; `with_violation` causes each."""


@dataclass(frozen=True, slots=True)
class DraftedGraph:
    """A draft: its nodes and edges as they are written, and its coaching."""

    nodes: list[JsonObject]
    edges: list[JsonObject]
    coaching: JsonObject


def node(identifier: str, kind: str, label: str, **more: JsonValue) -> JsonObject:
    """A node as it is written."""
    return {"id": identifier, "kind": kind, "label": label, **more}


def edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, exists: float = 1.0
) -> JsonObject:
    """A directed edge as it is written; by default the certain one of a decision or an option."""
    return {
        "from": source, "to": target, "strength": {"mean": mean, "std": std}, "exists_probability": exists,
        "effect_direction": "negative" if mean < 0 else "positive", "edge_type": "directed",
    }  # fmt: skip


def draft(reading: BriefReading, character: Character, stream: Stream) -> DraftedGraph:
    """A graph of the shape that the prompts ask for; structurally valid for any brief and any character."""
    words = _Words(reading, character, stream.branch("words"))
    options = _options(
        reading, words, stream.branch("status quo").chance(character.omit_status_quo)
    )
    levers = [
        f"fac_{number}" for number in range(1, 1 + max(2, min(len(options), 7 - len(options))))
    ]
    settings = _settings(options, levers, character, stream.branch("settings"))
    nodes = [node("dec_1", "decision", reading.title)]
    edges: list[JsonObject] = []
    for place, (option, values) in enumerate(zip(options, settings, strict=True)):
        nodes.append(
            node(f"opt_{place + 1}", "option", option.label, data={"interventions": {**values}})
        )
        edges.append(edge("dec_1", f"opt_{place + 1}"))
        edges += [
            edge(f"opt_{place + 1}", lever) for lever in values or [levers[place % len(levers)]]
        ]
    set_levers = {link["to"] for link in edges}
    edges += [edge("opt_1", lever) for lever in levers if lever not in set_levers]
    for lever, option in zip(levers, options, strict=False):
        nodes.append(words.factor(lever, "controllable", option.clauses))
    external = not stream.branch("external").chance(character.omit_external)
    if external:
        prior: JsonObject = {"distribution": "uniform", "range_min": 0.1, "range_max": 0.6}
        nodes.append(words.factor("fac_external", "external") | {"prior": prior})
    fewest, most = character.observables
    for number in range(int(stream.between(fewest, most + 1))):
        nodes.append(words.factor(f"fac_seen_{number}", "observable"))
    factors = [str(one["id"]) for one in nodes if one["kind"] == "factor"]
    nodes += [
        node("out_1", "outcome", words.take().text),
        node("risk_1", "risk", words.take().text),
    ]
    nodes.append(node("goal_1", "goal", reading.aim.text or words.take().text, **words.threshold()))
    edges += _effects(factors, character, stream.branch("effects"))
    if external and stream.chance(0.5):
        edges.append(edge("fac_external", "risk_1", 0.0) | {"edge_type": "bidirected"})
    return DraftedGraph(nodes, edges, words.coaching())


def with_violation(graph: DraftedGraph, code: str) -> DraftedGraph:
    """The graph with a fault that has this violation code; others may come with it."""
    nodes, edges = list(graph.nodes), list(graph.edges)
    options = [str(one["id"]) for one in nodes if one["kind"] == "option"]
    removed = {
        "MISSING_GOAL": ["goal_1"], "MISSING_DECISION": ["dec_1"], "INSUFFICIENT_OPTIONS": options[1:],
        "MISSING_BRIDGE": ["out_1", "risk_1", "out_unset"],
    }.get(code, [])  # fmt: skip
    match code:
        case "INVALID_SCHEMA":
            empty: JsonValue = {"interventions": {"fac_1": None}}
            nodes = [one | {"data": empty} if one["kind"] == "option" else one for one in nodes]
        case "DUPLICATE_NODE_ID":
            nodes.append(nodes[1])
        case "INVALID_EDGE_REF":
            edges.append(edge("fac_missing", "goal_1", 0.3, 0.1, 0.7))
        case "TOO_MANY_OPTIONS" | "NODE_LIMIT_EXCEEDED" | "EDGE_LIMIT_EXCEEDED":
            for identifier in [f"opt_more_{number}" for number in range(1, 51)]:
                nodes.append(node(identifier, "option", f"Variant {identifier}"))
                edges += [edge("dec_1", identifier), edge(identifier, "fac_1")]
        case "CYCLE_DETECTED":
            edges += [
                edge("out_1", "fac_1", 0.3, 0.15, 0.7),
                edge("fac_1", "out_1", 0.3, 0.15, 0.7),
            ]
        case "FORBIDDEN_EDGE":
            edges.append(edge("opt_1", "goal_1", 0.4, 0.1, 0.8))
        case "CONTROLLABLE_NO_OPTION_EDGE" | "OUTCOME_UNREACHABLE":
            nodes.append(node("fac_unset", "factor", "Follow-up", category="controllable"))
            nodes.append(node("out_unset", "outcome", "Settled at the first contact"))
            edges += [
                edge("fac_unset", "out_unset", 0.5, 0.15, 0.8),
                edge("out_unset", "goal_1", 0.2, 0.1, 0.8),
            ]
        case "OPTION_NO_GOAL_PATH":
            edges = [one for one in edges if one["from"] not in options[-1:]]
        case "ORPHAN_NODE":
            nodes.append(node("fac_aside", "factor", "Weather", category="observable"))
    nodes = [one for one in nodes if one["id"] not in removed]
    return DraftedGraph(
        nodes, [one for one in edges if not {one["from"], one["to"]} & {*removed}], graph.coaching
    )


class _Words:
    """Words and numbers for labels: the brief's clauses, each used once, or what the character makes of them."""

    def __init__(self, reading: BriefReading, character: Character, stream: Stream) -> None:
        self._reading, self._character, self._stream = reading, character, stream
        self._left = [
            clause
            for clause in reading.clauses
            if clause.text not in (reading.aim.text, reading.title)
        ]
        self._made = itertools.count(1)

    def take(self, preferred: Sequence[Clause] = ()) -> Clause:
        """An unused clause: one of the preferred, else one of the brief's next few, else a numbered title."""
        chosen = [clause for clause in preferred if clause in self._left] or self._left
        if not chosen:
            return Clause(f"{self._reading.title} ({next(self._made)})")
        clause = self._stream.choice(chosen[:4])
        self._left.remove(clause)
        return clause

    def factor(
        self, identifier: str, category: str, preferred: Sequence[Clause] = ()
    ) -> JsonObject:
        """A factor; its value is explicit where its label holds a number, or where the character invents one."""
        clause = self.take([clause for clause in preferred if clause.number] or preferred)
        if self._stream.chance(self._character.generic_label):
            clause = Clause(self._stream.choice(_GENERIC))
        data = self._scaled(clause, "value", "raw_value", "unit", "cap") | {
            "extractionType": "explicit"
        }
        if "value" not in data:
            data = {"value": round(self._stream.between(0.1, 0.8), 2), "extractionType": "inferred"}
        return node(identifier, "factor", clause.text, category=category, data=data)

    def threshold(self) -> JsonObject:
        """The goal's target as the brief names it, or as the character invents it; empty for none."""
        if self._stream.chance(self._character.omit_threshold):
            return {}
        names = (
            "goal_threshold",
            "goal_threshold_raw",
            "goal_threshold_unit",
            "goal_threshold_cap",
        )
        return self._scaled(self._reading.aim, *names)

    def coaching(self) -> JsonObject:
        """A summary and three items in the brief's words; empty where the character omits them."""
        if self._stream.chance(self._character.omit_coaching):
            return {}
        items: list[JsonValue] = [
            {
                "id": f"str_{action}",
                "label": self.take().text,
                "detail": self._reading.title,
                "action_type": action,
            }
            for action in ("add_evidence", "add_option", "add_risk")
        ]
        return {"summary": f"{self._reading.title}: {self.take().text}", "strengthen_items": items}

    def _scaled(self, clause: Clause, *names: str) -> JsonObject:
        """A number as its share of a scale, itself, its unit and the scale's end, under these names; empty for none."""
        number, unit = clause.number, clause.unit
        if self._character.invents_numbers:  # with two decimals that no brief is likely to contain
            number, unit = round(self._stream.between(11, 99)) + 0.37, "%"
        if number is None:
            return {}
        cap = 100.0 if unit == "%" and number <= 100 else 10.0 ** len(str(int(number)))
        return dict(zip(names, (round(number / cap, 4), number, unit, cap), strict=True))


def _options(reading: BriefReading, words: _Words, omit_status_quo: bool) -> list[ListedOption]:
    active = [option for option in reading.options if not option.unchanged][:4]
    before = [option for option in reading.options if option.unchanged]
    while len(active) < (2 if omit_status_quo else 1):
        active.append(ListedOption(words.take().text))
    if omit_status_quo:
        return active
    last = before[0] if before else ListedOption(words.take().text)
    return [*active, ListedOption(f"Status quo: {last.label}", last.clauses, unchanged=True)]


def _settings(
    options: Sequence[ListedOption], levers: Sequence[str], character: Character, stream: Stream
) -> list[JsonObject]:
    """What each option sets: a lever of its own and, where there are three or more, perhaps the next one."""
    everywhere = stream.chance(character.shared_levers)
    maps: list[JsonObject] = []
    for place, option in enumerate(options):
        second = len(levers) > 2 and stream.chance(0.45)
        own = dict.fromkeys([levers[place % len(levers)], levers[(place + second) % len(levers)]])
        low, high = (0.05, 0.35) if option.unchanged else (0.45, 0.95)
        # the option's place in the third decimal keeps two maps from being equal by chance
        maps.append(
            {
                x: round(stream.between(low, high), 2) + place / 1000
                for x in (levers if everywhere else own)
            }
        )
    if stream.chance(character.twin_options):
        maps[1] = maps[0]
    if stream.chance(character.empty_option):
        maps[-1] = {}
    return maps


def _effects(factors: Sequence[str], character: Character, stream: Stream) -> list[JsonObject]:
    """The causal edges: each factor moves a result, each result the goal; what enters a node adds up to 0.7 to 0.95."""
    signs = {
        (source, ("out_1", "risk_1")[place % 2]): -1 if stream.chance(0.2) else 1
        for place, source in enumerate(factors)
    }
    signs |= {("out_1", "goal_1"): 1, ("risk_1", "goal_1"): -1}
    edges: list[JsonObject] = []
    for target in ("out_1", "risk_1", "goal_1"):
        weights = {source: stream.between(0.4, 2.2) for source, end in signs if end == target}
        total = (
            stream.between(1.1, 1.6)
            if stream.chance(character.over_range)
            else stream.between(0.7, 0.95)
        )
        for source, weight in weights.items():
            low, high, likely, sure = stream.choice(_BASES)
            share = int(100 * total * weight / sum(weights.values())) / 100
            size, std, exists = (
                min(0.95, max(0.05, share)),
                stream.between(low, high),
                stream.between(likely, sure),
            )
            if stream.chance(character.default_share):
                size, std, exists = 0.5, 0.125, 0.8
            edges.append(
                edge(source, target, signs[source, target] * size, round(std, 3), round(exists, 2))
            )
    return edges
