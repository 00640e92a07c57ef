"""Graphs that should score worse than the graph they were made from: attacks on the rubric, and single faults.

Each function takes a valid graph as parsed JSON and returns a changed copy, or None where it does not apply. What is drawn
at random derives from a text key, so that equal inputs give equal graphs.
"""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stages.contracts.json_text import JsonValue

Graph = dict[str, Any]
"""A draft graph as parsed JSON; it was valid, so nodes and edges are lists of objects with the required keys."""

GENERIC_LABELS: Final[Mapping[str, Sequence[str]]] = {
    "decision": ("Which option to choose",),
    "option": ("Status quo", "Option A", "Option B", "Option C", "Option D", "Option E"),
    "factor": ("Cost level", "Resource availability", "Market conditions", "Quality level", "Demand", "Competition"),
    "outcome": ("Expected outcome", "Overall benefit"),
    "risk": ("Implementation risk", "Market risk"),
    "goal": ("Achieve the best result",),
}
_ARABIC: Final = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True, slots=True)
class Target:
    """What an attack is made from: a valid graph of a brief, a graph of another brief, and the prompt's example.

    `key` seeds every draw. `other` and `example` are None where there is none.
    """

    graph: Graph
    other: Graph | None
    example: Graph | None
    key: str

    def copy(self) -> Graph:
        """The graph, to be changed."""
        return copy.deepcopy(self.graph)

    def draw(self, *parts: object) -> float:
        """A number from 0 to 1, the same for the same target and parts."""
        digest = hashlib.sha256("/".join(map(str, (self.key, *parts))).encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48


def prompt_example(target: Target) -> Graph | None:
    """The worked example of the prompt, unchanged."""
    return copy.deepcopy(target.example)


def prompt_example_reworded(target: Target) -> Graph | None:
    """The worked example of the prompt with one word of each label replaced."""
    graph = copy.deepcopy(target.example)
    for node in _nodes(graph):
        words = str(node.get("label", "")).split()
        if words:
            index = int(target.draw("word", node["id"]) * len(words))
            words[index] = _nonsense(words[index], target, node["id"])
            node["label"] = " ".join(words)
    return graph


def other_brief(target: Target) -> Graph | None:
    """The graph of another brief."""
    return copy.deepcopy(target.other)


def gibberish_labels(target: Target) -> Graph:
    """Every letter of every label replaced by another one of its script; all numbers kept."""
    graph = target.copy()
    for node in _nodes(graph):
        label = str(node.get("label") or node["id"])
        kept = "Status quo" if label.lower().startswith("status quo") else ""
        node["label"] = kept + _nonsense(label[len(kept) :], target, node["id"])
    return graph


def gibberish_labels_and_numbers(target: Target) -> Graph:
    """Labels replaced by gibberish, and explicit values and the threshold by other numbers."""
    graph = gibberish_labels(target)
    _change_values(graph, target)
    _change_threshold(graph, target)
    return graph


def generic_labels(target: Target) -> Graph:
    """Labels that would fit any brief."""
    graph = target.copy()
    counts: dict[str, int] = {}
    for node in _nodes(graph):
        kind = str(node["kind"])
        choices = GENERIC_LABELS.get(kind, (kind,))
        index = counts[kind] = counts.get(kind, -1) + 1
        node["label"] = choices[index % len(choices)] + (f" {index}" if index >= len(choices) else "")
    return graph


def invented_target(target: Target) -> Graph:
    """A threshold that the brief does not name, consistent in itself."""
    graph = target.copy()
    _change_threshold(graph, target)
    return graph


def invented_numbers(target: Target) -> Graph | None:
    """Every value that is called explicit replaced by another number."""
    graph = target.copy()
    return graph if _change_values(graph, target) else None


def numbers_swapped(target: Target) -> Graph | None:
    """The explicit values of two factors exchanged, with their units."""
    graph = target.copy()
    values = [node["data"] for node in _explicit(graph)]
    pair = next(((one, two) for one in values for two in values if one.get("raw_value") != two.get("raw_value")), None)
    if pair is None:
        return None
    for key in ("value", "raw_value", "unit", "cap"):
        pair[0][key], pair[1][key] = pair[1].get(key), pair[0].get(key)
    return graph


def dropped_option(target: Target) -> Graph | None:
    """One option less, not the status quo, of three or more."""
    graph = target.copy()
    options = list(_nodes(graph, "option"))
    named = [node for node in options if "status quo" not in str(node.get("label")).lower()]
    if len(options) < 3 or not named:
        return None
    dropped = named[int(target.draw("option") * len(named))]["id"]
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != dropped]
    graph["edges"] = [edge for edge in graph["edges"] if dropped not in (edge["from"], edge["to"])]
    return graph


def twin_option(target: Target) -> Graph | None:
    """One option repeated under nearly the same label."""
    graph = target.copy()
    options = list(_nodes(graph, "option"))
    if not options:
        return None
    one = options[int(target.draw("twin") * len(options))]
    twin = {**copy.deepcopy(one), "id": f"{one['id']}_2", "label": f"{one.get('label')} (variant)"}
    graph["nodes"].append(twin)
    for edge in list(graph["edges"]):
        if one["id"] in (edge["from"], edge["to"]):
            ends = {end: twin["id"] if edge[end] == one["id"] else edge[end] for end in ("from", "to")}
            graph["edges"].append({**copy.deepcopy(edge), **ends})
    return graph


def duplicate_label(target: Target) -> Graph | None:
    """Two factors with one label."""
    graph = target.copy()
    factors = list(_nodes(graph, "factor"))
    if len(factors) < 2:
        return None
    factors[1]["label"] = factors[0].get("label")
    return graph


def labels_swapped(target: Target) -> Graph | None:
    """The labels of the factors moved on by one, so that every factor has the name of another one."""
    graph = target.copy()
    factors = list(_nodes(graph, "factor"))
    labels = [factor.get("label") for factor in factors]
    for factor, label in zip(factors, (*labels[1:], *labels[:1]), strict=True):
        factor["label"] = label
    return graph if len(set(map(str, labels))) > 1 else None


def flipped_signs(target: Target) -> Graph:
    """The sign of every causal mean turned, the stated direction kept."""
    graph = target.copy()
    for edge in _causal(graph):
        edge["strength"]["mean"] = -edge["strength"]["mean"]
    return graph


def flipped_signs_and_directions(target: Target) -> Graph:
    """The sign of every causal mean and the stated direction turned together: every effect claimed the wrong way round."""
    graph = flipped_signs(target)
    turned = {"positive": "negative", "negative": "positive"}
    for edge in _causal(graph):
        if edge.get("effect_direction") in turned:
            edge["effect_direction"] = turned[edge["effect_direction"]]
    return graph


def shuffled_strengths(target: Target) -> Graph | None:
    """The sizes of the causal means moved on by one edge."""
    graph = target.copy()
    edges = list(_causal(graph))
    sizes = [abs(edge["strength"]["mean"]) for edge in edges]
    for edge, size in zip(edges, (*sizes[1:], *sizes[:1]), strict=True):
        edge["strength"]["mean"] = size if edge["strength"]["mean"] >= 0 else -size
    return graph if len(set(sizes)) > 1 else None


def constant_parameters(target: Target) -> Graph:
    """The same mean, std and exists_probability on every causal edge."""
    graph = target.copy()
    for edge in _causal(graph):
        edge["strength"] = {"mean": -0.5 if edge["strength"]["mean"] < 0 else 0.5, "std": 0.125}
        edge["exists_probability"] = 0.8
    return graph


def wrong_links(target: Target) -> Graph | None:
    """The effects of the factors on outcomes and risks moved on by one factor."""
    graph = target.copy()
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    edges = [
        edge
        for edge in _causal(graph)
        if kinds.get(edge["to"]) in ("outcome", "risk") and kinds.get(edge["from"]) == "factor"
    ]
    sources = [edge["from"] for edge in edges]
    for edge, source in zip(edges, (*sources[1:], *sources[:1]), strict=True):
        edge["from"] = source
    return graph if len(set(sources)) > 1 else None


def empty_coaching(target: Target) -> Graph:
    """No advice beside the graph."""
    graph = target.copy()
    graph["coaching"] = {"summary": "", "strengthen_items": []}
    return graph


def no_external_factor(target: Target) -> Graph:
    """Every external factor called observable."""
    graph = target.copy()
    for node in _nodes(graph, "factor"):
        if node.get("category") == "external":
            node["category"] = "observable"
    return graph


def no_threshold(target: Target) -> Graph | None:
    """The threshold of the goal left out."""
    graph = target.copy()
    goals = [node for node in _nodes(graph, "goal") if node.get("goal_threshold") is not None]
    for node in goals:
        for key in [key for key in node if key.startswith("goal_threshold")]:
            del node[key]
    return graph if goals else None


ATTACKS: Final[tuple[Callable[[Target], Graph | None], ...]] = (
    prompt_example, prompt_example_reworded, other_brief, gibberish_labels, gibberish_labels_and_numbers, generic_labels,
    invented_target, invented_numbers, dropped_option, twin_option, flipped_signs,
)  # fmt: skip
"""What a model could do to score well without reading the brief, or while misreading it."""
MUTATIONS: Final[tuple[Callable[[Target], Graph | None], ...]] = (
    constant_parameters, empty_coaching, no_external_factor, no_threshold, duplicate_label, shuffled_strengths,
    labels_swapped, numbers_swapped, wrong_links, flipped_signs_and_directions,
)  # fmt: skip
"""Single faults, those last that nothing here is expected to see."""


def example_graph(prompt: str) -> Graph | None:
    """The first JSON object in the prompt that has nodes and edges; None without one."""
    decoder = json.JSONDecoder()
    start = prompt.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(prompt, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list):
            return value
        start = prompt.find("{", start + 1)
    return None


def _nodes(graph: Graph | None, kind: str | None = None) -> Iterator[Graph]:
    for node in graph["nodes"] if graph else ():
        if kind is None or node.get("kind") == kind:
            yield node


def _causal(graph: Graph) -> Iterator[Graph]:
    """The directed edges with parameters, but those from the decision to options and from options to factors."""
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    for edge in graph["edges"]:
        if edge.get("edge_type") != "bidirected" and kinds.get(edge["from"]) not in ("decision", "option"):
            yield edge


def _explicit(graph: Graph) -> Iterator[Graph]:
    for node in _nodes(graph, "factor"):
        data = node.get("data")
        if isinstance(data, dict) and data.get("extractionType") == "explicit" and _is_number(data.get("raw_value")):
            yield node


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _change_values(graph: Graph, target: Target) -> int:
    """Replace the explicit values; returns how many."""
    changed = 0
    for node in _explicit(graph):
        data = node["data"]
        data["raw_value"] = _invented(target, node["id"])
        data["cap"] = 2 * data["raw_value"]
        data["value"] = 0.5
        changed += 1
    return changed


def _change_threshold(graph: Graph, target: Target) -> None:
    for node in _nodes(graph, "goal"):
        raw = _invented(target, "goal")
        cap = 2 * raw
        node |= {
            "goal_threshold": 0.5,
            "goal_threshold_raw": raw,
            "goal_threshold_unit": "points",
            "goal_threshold_cap": cap,
        }


def _invented(target: Target, part: str) -> float:
    """A number of three significant digits, from 11.1 to 9,990."""
    digits = 111 + int(target.draw("digits", part) * 888)
    return digits * (0.1, 1.0, 10.0)[int(target.draw("scale", part) * 3)]


def _nonsense(text: str, target: Target, part: str) -> str:
    """The text with every letter replaced by a drawn one of its script; Hiragana and all else stay."""
    return "".join(_other_letter(letter, target.draw("letter", part, index)) for index, letter in enumerate(text))


def _other_letter(letter: str, draw: float) -> str:
    if "一" <= letter <= "鿿":
        return chr(0x4E00 + int(draw * 0x4000))
    if "ァ" <= letter <= "ヺ":
        return chr(ord("ア") + int(draw * 80))
    if "ء" <= letter <= "ي":
        return _ARABIC[int(draw * len(_ARABIC))]
    if not letter.isalpha() or "ぁ" <= letter <= "ゖ":
        return letter
    letters = _VOWELS if letter.lower() in "aeiouyäöüéèàóíú" else _CONSONANTS
    other = letters[int(draw * len(letters))]
    return other.upper() if letter.isupper() else other
