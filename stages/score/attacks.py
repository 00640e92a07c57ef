"""Graphs that should score worse than the graph they were made from: attacks on the rubric, and
single faults.

Each function changes the valid graph that it is given (parsed JSON) and returns it, or another one;
None where it does not apply. What is drawn at random derives from a text key, so that equal inputs
give equal graphs.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeVar

from stages.contracts.graph import BIDIRECTED
from stages.structure.topology import BRIDGES

Picked = TypeVar("Picked")

GraphJson = dict[str, Any]
"""A draft graph as parsed JSON; it was valid, so nodes and edges are lists of objects with the
required keys."""

GENERIC_LABELS: Mapping[str, Sequence[str]] = {
    "decision": ("Which option to choose",),
    "option": ("Status quo", "Option A", "Option B", "Option C", "Option D", "Option E"),
    "factor": (
        "Cost level",
        "Resource availability",
        "Market conditions",
        "Quality level",
        "Demand",
        "Competition",
    ),
    "outcome": ("Expected outcome", "Overall benefit"),
    "risk": ("Implementation risk", "Market risk"),
    "goal": ("Achieve the best result",),
}
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_ALPHABETS = ("aeiouyäöüéèàóíú", _CONSONANTS, "ابتثجحخدذرزسشصضطظعغفقكلمنهوي")
"""A letter is replaced by one of the same alphabet."""
_TURNED = {"positive": "negative", "negative": "positive"}
_VALUE_KEYS = ("value", "raw_value", "unit", "cap")


@dataclass(frozen=True, slots=True)
class AttackTarget:
    """What an attack is made from: a valid graph of a brief, a graph of another brief, and the
    prompt's example.

    `key` seeds every random number. `other` and `example` are None where there is none; `brief` is
    the brief's text.
    """

    graph: GraphJson
    other: GraphJson | None
    example: GraphJson | None
    key: str
    brief: str = ""

    def random_numbers(self, part: str, count: int) -> list[float]:
        """So many numbers from 0 to 1, the same for the same target and part."""
        seed = f"{self.key}/{part}".encode("utf-8", "replace")
        digest = hashlib.shake_128(seed).digest(4 * count)
        words = [digest[start : start + 4] for start in range(0, 4 * count, 4)]
        return [int.from_bytes(word, "big") / 2**32 for word in words]

    def pick(self, part: str, choices: Sequence[Picked]) -> Picked:
        """One of the choices."""
        (number,) = self.random_numbers(part, 1)
        return choices[int(number * len(choices))]


Attack = Callable[[GraphJson, AttackTarget], GraphJson | None]


def changed(attack: Attack, target: AttackTarget) -> GraphJson | None:
    """The graph that the attack makes of a target, which stays as it is; None where it does not
    apply.
    """
    return attack(deepcopy(target.graph), target)


def prompt_example(_: GraphJson, target: AttackTarget) -> GraphJson | None:
    """The worked example of the prompt, unchanged."""
    return deepcopy(target.example) if target.example else None


def prompt_example_reworded(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """The worked example of the prompt with one word of each label replaced."""
    example = prompt_example(graph, target)
    if example is None:
        return None
    for node in example["nodes"]:
        words = str(node.get("label", "")).split()
        if words:
            index = target.pick(f"word/{node['id']}", range(len(words)))
            words[index] = _nonsense(words[index], target, node["id"])
            node["label"] = " ".join(words)
    return example


def other_brief(_: GraphJson, target: AttackTarget) -> GraphJson | None:
    """The graph of another brief."""
    return target.other


def gibberish_labels(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """Every letter of every label replaced by another one of its script; all numbers kept."""
    for node in graph["nodes"]:
        label = str(node.get("label") or node["id"])
        start = "Status quo" if label.lower().startswith("status quo") else ""
        node["label"] = start + _nonsense(label[len(start) :], target, node["id"])
    return graph


def gibberish_labels_and_numbers(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """Labels replaced by gibberish, and explicit values and the threshold by other numbers."""
    invented_numbers(graph, target)
    gibberish_labels(graph, target)
    return invented_target(graph, target)


def generic_labels(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """Labels that would fit any brief."""
    places = Counter[str]()
    for node in graph["nodes"]:
        kind = node["kind"]
        place = places[kind]
        places[kind] += 1
        labels = GENERIC_LABELS.get(kind, (kind,))
        node["label"] = labels[place % len(labels)]
        if place >= len(labels):
            node["label"] += f" {place}"
    return graph


def labels_shuffled(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """The labels of all nodes dealt out at random."""
    nodes = graph["nodes"]
    labels = [node.get("label") for node in nodes]
    places = target.random_numbers("labels", len(nodes))
    for node, (_, label) in zip(nodes, sorted(zip(places, labels, strict=True)), strict=True):
        node["label"] = label
    return graph


def words_of_brief(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """Three random words of the brief for each label; "Status quo" kept."""
    words = re.findall(r"[^\W\d_]{2,}", target.brief)
    if not words:
        return None
    for node in graph["nodes"]:
        start = "Status quo " if "status quo" in str(node.get("label")).lower() else ""
        drawn = [target.pick(f"word/{node['id']}/{place}", words) for place in range(3)]
        node["label"] = start + " ".join(drawn)
    return graph


def invented_target(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """A threshold that the brief does not name, consistent in itself."""
    raw = _invented(target, "goal")
    for node in _nodes(graph, "goal"):
        node["goal_threshold"] = 0.5
        node["goal_threshold_raw"] = raw
        node["goal_threshold_unit"] = "points"
        node["goal_threshold_cap"] = 2 * raw
    return graph


def invented_numbers(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """Every value that is called explicit replaced by another number."""
    nodes = _explicit(graph)
    for node in nodes:
        raw = _invented(target, node["id"])
        node["data"] |= {"raw_value": raw, "cap": 2 * raw, "value": 0.5}
    return graph if nodes else None


def numbers_swapped(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """The explicit values of two factors exchanged, with their units."""
    values = [node["data"] for node in _explicit(graph)]
    for first, second in combinations(values, 2):
        if first["raw_value"] != second["raw_value"]:
            for key in _VALUE_KEYS:
                first[key], second[key] = second.get(key), first.get(key)
            return graph
    return None


def dropped_option(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """One option less, not the status quo, of three or more."""
    options = _nodes(graph, "option")
    active: list[str] = []
    for node in options:
        if "status quo" not in str(node.get("label")).lower():
            active.append(node["id"])
    if len(options) < 3 or not active:
        return None
    dropped = target.pick("option", active)
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != dropped]
    graph["edges"] = [edge for edge in graph["edges"] if dropped not in (edge["from"], edge["to"])]
    return graph


def twin_option(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """One option repeated under nearly the same label."""
    options = _nodes(graph, "option")
    if not options:
        return None
    option = target.pick("twin", options)
    twin = f"{option['id']}_2"
    graph["nodes"].append({**option, "id": twin, "label": f"{option.get('label')} (variant)"})
    for edge in list(graph["edges"]):
        ends = {end: twin for end in ("from", "to") if edge[end] == option["id"]}
        if ends:
            graph["edges"].append(edge | ends)
    return graph


def duplicate_label(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """Two factors with one label."""
    factors = _nodes(graph, "factor")
    if len(factors) < 2:
        return None
    factors[1]["label"] = factors[0].get("label")
    return graph


def labels_swapped(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """The labels of the factors moved on by one, so that every factor has the name of another
    one.
    """
    return graph if _move_on(_nodes(graph, "factor"), "label") else None


def flipped_signs(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """The sign of every causal mean turned, the stated direction kept."""
    for edge in _causal(graph):
        edge["strength"]["mean"] = -edge["strength"]["mean"]
    return graph


def flipped_signs_and_directions(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """The sign of every causal mean and the stated direction turned together: every effect claimed
    the wrong way round.
    """
    for edge in _causal(graph):
        _turn(edge)
    return graph


def goal_signs_turned(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """The sign and the stated direction of every effect on the goal turned together."""
    kinds = _kinds(graph)
    for edge in _causal(graph):
        if kinds.get(edge["to"]) == "goal":
            _turn(edge)
    return graph


def _turn(edge: GraphJson) -> None:
    edge["strength"]["mean"] = -edge["strength"]["mean"]
    direction = edge.get("effect_direction")
    edge["effect_direction"] = _TURNED.get(str(direction), direction)


def shuffled_strengths(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """The sizes of the causal means moved on by one edge."""
    strengths = [edge["strength"] for edge in _causal(graph)]
    signs = [1 if strength["mean"] >= 0 else -1 for strength in strengths]
    for strength in strengths:
        strength["mean"] = abs(strength["mean"])
    applies = _move_on(strengths, "mean")
    for strength, sign in zip(strengths, signs, strict=True):
        strength["mean"] *= sign
    return graph if applies else None


def constant_parameters(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """The same mean, std and exists_probability on every causal edge."""
    for edge in _causal(graph):
        mean = -0.5 if edge["strength"]["mean"] < 0 else 0.5
        edge["strength"] = {"mean": mean, "std": 0.125}
        edge["exists_probability"] = 0.8
    return graph


def wrong_links(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """The effects of the factors on outcomes and risks moved on by one factor."""
    kinds = _kinds(graph)
    links: list[GraphJson] = []
    for edge in _causal(graph):
        if kinds.get(edge["from"]) == "factor" and kinds.get(edge["to"]) in BRIDGES:
            links.append(edge)
    return graph if _move_on(links, "from") else None


def empty_coaching(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """No advice beside the graph."""
    return graph | {"coaching": {"summary": "", "strengthen_items": []}}


def no_external_factor(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """Every external factor called observable."""
    for node in _nodes(graph, "factor"):
        if node.get("category") == "external":
            node["category"] = "observable"
    return graph


def no_threshold(graph: GraphJson, _: AttackTarget) -> GraphJson | None:
    """The threshold of the goal left out."""
    goals = [node for node in _nodes(graph, "goal") if node.get("goal_threshold") is not None]
    for node in goals:
        for key in [key for key in node if key.startswith("goal_threshold")]:
            del node[key]
    return graph if goals else None


ATTACKS: tuple[Attack, ...] = (
    prompt_example, prompt_example_reworded, other_brief, gibberish_labels,
    gibberish_labels_and_numbers, generic_labels, invented_target, invented_numbers, dropped_option,
    twin_option, flipped_signs, labels_shuffled, words_of_brief, goal_signs_turned,
)  # fmt: skip
"""What a model could do to score well without reading the brief, or while misreading it."""
MUTATIONS: tuple[Attack, ...] = (
    constant_parameters, empty_coaching, no_external_factor, no_threshold, duplicate_label,
    shuffled_strengths, labels_swapped, numbers_swapped, wrong_links, flipped_signs_and_directions,
)  # fmt: skip
"""Single faults, those last that nothing here is expected to see."""


def _kinds(graph: GraphJson) -> dict[str, str]:
    return {node["id"]: node["kind"] for node in graph["nodes"]}


def _nodes(graph: GraphJson, kind: str) -> list[GraphJson]:
    return [node for node in graph["nodes"] if node.get("kind") == kind]


def _causal(graph: GraphJson) -> Iterator[GraphJson]:
    """The directed edges with parameters: not those from the decision or from an option."""
    kinds = _kinds(graph)
    for edge in graph["edges"]:
        is_structural = kinds.get(edge["from"]) in ("decision", "option")
        if edge.get("edge_type") != BIDIRECTED and not is_structural:
            yield edge


def _explicit(graph: GraphJson) -> list[GraphJson]:
    """The factors whose value is a number that is called explicit."""
    factors: list[GraphJson] = []
    for node in _nodes(graph, "factor"):
        data = node.get("data")
        if not isinstance(data, dict) or data.get("extractionType") != "explicit":
            continue
        if type(data.get("raw_value")) in (int, float):
            factors.append(node)
    return factors


def _move_on(entries: Sequence[GraphJson], key: str) -> bool:
    """Give each entry the value of the next one; False if all are equal."""
    values = [entry.get(key) for entry in entries]
    for entry, value in zip(entries, (*values[1:], *values[:1]), strict=True):
        entry[key] = value
    return len(set(map(str, values))) > 1


def _invented(target: AttackTarget, part: str) -> float:
    digits, scale = target.random_numbers(f"number/{part}", 2)
    return (111 + int(digits * 888)) * (0.1, 1.0, 10.0)[int(scale * 3)]


def _nonsense(text: str, target: AttackTarget, part: str) -> str:
    """The text with every letter replaced by a random one of its script; Hiragana and all else
    stay.
    """
    numbers = target.random_numbers(f"letters/{part}", len(text))
    return "".join(map(_other_letter, text, numbers))


def _other_letter(letter: str, number: float) -> str:
    if "一" <= letter <= "鿿":
        return chr(ord("一") + int(number * 0x4000))
    if "ァ" <= letter <= "ヺ":
        return chr(ord("ア") + int(number * 80))
    if not letter.isalpha() or "ぁ" <= letter <= "ゖ":
        return letter
    containing = [alphabet for alphabet in _ALPHABETS if letter.lower() in alphabet]
    alphabet = next(iter(containing), _CONSONANTS)
    other = alphabet[int(number * len(alphabet))]
    return other.upper() if letter.isupper() else other
