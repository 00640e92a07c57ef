"""Graphs that should score worse than the graph they were made from: attacks on the rubric, and single faults.

Each function changes the valid graph that it is given (parsed JSON) and returns it, or another one; None where it does not apply.
What is drawn at random derives from a text key, so that equal inputs give equal graphs.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from stages.contracts.graph import causal_edges, read
from stages.score.topology import BRIDGES

Graph = dict[str, Any]
"""A draft graph as parsed JSON; it was valid, so nodes and edges are lists of objects with the required keys."""

GENERIC_LABELS: Final[Mapping[str, Sequence[str]]] = {
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
_ALPHABETS: Final = ("aeiouyäöüéèàóíú", "bcdfghjklmnpqrstvwxz", "ابتثجحخدذرزسشصضطظعغفقكلمنهوي")
"""A letter is replaced by one of the same alphabet."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an attack is made from: a valid graph of a brief, a graph of another brief, and the prompt's example.

    `key` seeds every draw. `other` and `example` are None where there is none.
    """

    graph: Graph
    other: Graph | None
    example: Graph | None
    key: str

    def draws(self, part: str, count: int) -> list[float]:
        """So many numbers from 0 to 1, the same for the same target and part."""
        digest = hashlib.shake_128(f"{self.key}/{part}".encode("utf-8", "replace")).digest(
            4 * count
        )
        return [
            int.from_bytes(digest[4 * index : 4 * index + 4], "big") / 2**32
            for index in range(count)
        ]

    def pick(self, part: str, choices: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the choices
        """One of the choices."""
        return choices[int(self.draws(part, 1)[0] * len(choices))]


Attack = Callable[[Graph, Target], Graph | None]


def changed(attack: Attack, target: Target) -> Graph | None:
    """The graph that the attack makes of a target, which stays as it is; None where it does not apply."""
    return attack(deepcopy(target.graph), target)


def prompt_example(_: Graph, target: Target) -> Graph | None:
    """The worked example of the prompt, unchanged."""
    return deepcopy(target.example) if target.example else None


def prompt_example_reworded(_: Graph, target: Target) -> Graph | None:
    """The worked example of the prompt with one word of each label replaced."""
    example = prompt_example(_, target)
    for node in example["nodes"] if example else ():
        words = str(node.get("label", "")).split()
        if words:
            index = target.pick(f"word/{node['id']}", range(len(words)))
            words[index] = _nonsense(words[index], target, node["id"])
            node["label"] = " ".join(words)
    return example


def other_brief(_: Graph, target: Target) -> Graph | None:
    """The graph of another brief."""
    return target.other


def gibberish_labels(graph: Graph, target: Target) -> Graph:
    """Every letter of every label replaced by another one of its script; all numbers kept."""
    for node in graph["nodes"]:
        label = str(node.get("label") or node["id"])
        kept = "Status quo" if label.lower().startswith("status quo") else ""
        node["label"] = kept + _nonsense(label[len(kept) :], target, node["id"])
    return graph


def gibberish_labels_and_numbers(graph: Graph, target: Target) -> Graph:
    """Labels replaced by gibberish, and explicit values and the threshold by other numbers."""
    invented_numbers(graph, target)
    return invented_target(gibberish_labels(graph, target), target)


def generic_labels(graph: Graph, _: Target) -> Graph:
    """Labels that would fit any brief."""
    for kind in {node["kind"] for node in graph["nodes"]}:
        choices = GENERIC_LABELS.get(kind, (kind,))
        for index, node in enumerate(_nodes(graph, kind)):
            node["label"] = choices[index % len(choices)] + (
                f" {index}" if index >= len(choices) else ""
            )
    return graph


def invented_target(graph: Graph, target: Target) -> Graph:
    """A threshold that the brief does not name, consistent in itself."""
    for node in _nodes(graph, "goal"):
        raw = _invented(target, "goal")
        threshold = {"": 0.5, "_raw": raw, "_unit": "points", "_cap": 2 * raw}
        node |= {f"goal_threshold{part}": value for part, value in threshold.items()}
    return graph


def invented_numbers(graph: Graph, target: Target) -> Graph | None:
    """Every value that is called explicit replaced by another number."""
    explicit = _explicit(graph)
    for node in explicit:
        raw = _invented(target, node["id"])
        node["data"] |= {"raw_value": raw, "cap": 2 * raw, "value": 0.5}
    return graph if explicit else None


def numbers_swapped(graph: Graph, _: Target) -> Graph | None:
    """The explicit values of two factors exchanged, with their units."""
    for one, other in permutations([node["data"] for node in _explicit(graph)], 2):
        if one["raw_value"] != other["raw_value"]:
            for key in ("value", "raw_value", "unit", "cap"):
                one[key], other[key] = other.get(key), one.get(key)
            return graph
    return None


def dropped_option(graph: Graph, target: Target) -> Graph | None:
    """One option less, not the status quo, of three or more."""
    options = _nodes(graph, "option")
    named = [node["id"] for node in options if "status quo" not in str(node.get("label")).lower()]
    if len(options) < 3 or not named:
        return None
    dropped = target.pick("option", named)
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != dropped]
    graph["edges"] = [edge for edge in graph["edges"] if dropped not in (edge["from"], edge["to"])]
    return graph


def twin_option(graph: Graph, target: Target) -> Graph | None:
    """One option repeated under nearly the same label."""
    options = _nodes(graph, "option")
    if not options:
        return None
    one = target.pick("twin", options)
    twin = f"{one['id']}_2"
    graph["nodes"].append({**one, "id": twin, "label": f"{one.get('label')} (variant)"})
    graph["edges"] += [
        edge | {end: twin for end in ("from", "to") if edge[end] == one["id"]}
        for edge in graph["edges"]
        if one["id"] in (edge["from"], edge["to"])
    ]
    return graph


def duplicate_label(graph: Graph, _: Target) -> Graph | None:
    """Two factors with one label."""
    factors = _nodes(graph, "factor")
    if len(factors) < 2:
        return None
    factors[1]["label"] = factors[0].get("label")
    return graph


def labels_swapped(graph: Graph, _: Target) -> Graph | None:
    """The labels of the factors moved on by one, so that every factor has the name of another one."""
    return graph if _move_on(_nodes(graph, "factor"), "label") else None


def flipped_signs(graph: Graph, _: Target) -> Graph:
    """The sign of every causal mean turned, the stated direction kept."""
    for edge in _causal(graph):
        edge["strength"]["mean"] = -edge["strength"]["mean"]
    return graph


def flipped_signs_and_directions(graph: Graph, target: Target) -> Graph:
    """The sign of every causal mean and the stated direction turned together: every effect claimed the wrong way round."""
    turned = {"positive": "negative", "negative": "positive"}
    for edge in _causal(flipped_signs(graph, target)):
        if edge.get("effect_direction") in turned:
            edge["effect_direction"] = turned[edge["effect_direction"]]
    return graph


def shuffled_strengths(graph: Graph, _: Target) -> Graph | None:
    """The sizes of the causal means moved on by one edge."""
    strengths = [edge["strength"] for edge in _causal(graph)]
    signs = [1 if strength["mean"] >= 0 else -1 for strength in strengths]
    for strength in strengths:
        strength["mean"] = abs(strength["mean"])
    applies = _move_on(strengths, "mean")
    for strength, sign in zip(strengths, signs, strict=True):
        strength["mean"] *= sign
    return graph if applies else None


def constant_parameters(graph: Graph, _: Target) -> Graph:
    """The same mean, std and exists_probability on every causal edge."""
    for edge in _causal(graph):
        edge["strength"] = {"mean": -0.5 if edge["strength"]["mean"] < 0 else 0.5, "std": 0.125}
        edge["exists_probability"] = 0.8
    return graph


def wrong_links(graph: Graph, _: Target) -> Graph | None:
    """The effects of the factors on outcomes and risks moved on by one factor."""
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    effects = [edge for edge in _causal(graph) if kinds.get(edge["from"]) == "factor"]
    return (
        graph
        if _move_on([edge for edge in effects if kinds.get(edge["to"]) in BRIDGES], "from")
        else None
    )


def empty_coaching(graph: Graph, _: Target) -> Graph:
    """No advice beside the graph."""
    return graph | {"coaching": {"summary": "", "strengthen_items": []}}


def no_external_factor(graph: Graph, _: Target) -> Graph:
    """Every external factor called observable."""
    for node in _nodes(graph, "factor"):
        if node.get("category") == "external":
            node["category"] = "observable"
    return graph


def no_threshold(graph: Graph, _: Target) -> Graph | None:
    """The threshold of the goal left out."""
    goals = [node for node in _nodes(graph, "goal") if node.get("goal_threshold") is not None]
    for node in goals:
        for key in [key for key in node if key.startswith("goal_threshold")]:
            del node[key]
    return graph if goals else None


ATTACKS: Final[tuple[Attack, ...]] = (
    prompt_example, prompt_example_reworded, other_brief, gibberish_labels, gibberish_labels_and_numbers, generic_labels,
    invented_target, invented_numbers, dropped_option, twin_option, flipped_signs,
)  # fmt: skip
"""What a model could do to score well without reading the brief, or while misreading it."""
MUTATIONS: Final[tuple[Attack, ...]] = (
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
        if (
            isinstance(value, dict)
            and isinstance(value.get("nodes"), list)
            and isinstance(value.get("edges"), list)
        ):
            return value
        start = prompt.find("{", start + 1)
    return None


def _nodes(graph: Graph, kind: str) -> list[Graph]:
    return [node for node in graph["nodes"] if node.get("kind") == kind]


def _causal(graph: Graph) -> Iterator[Graph]:
    """The causal edges of a graph, as `causal_edges` defines them."""
    for edge in causal_edges(read(graph)[0]):
        yield graph["edges"][edge.index]


def _explicit(graph: Graph) -> list[Graph]:
    return [
        node
        for node in _nodes(graph, "factor")
        if isinstance(data := node.get("data"), dict)
        and data.get("extractionType") == "explicit"
        and type(data.get("raw_value")) in (int, float)
    ]


def _move_on(entries: Sequence[Graph], key: str) -> bool:
    """Give each entry the value of the next one; False if all are equal."""
    values = [entry.get(key) for entry in entries]
    for entry, value in zip(entries, (*values[1:], *values[:1]), strict=True):
        entry[key] = value
    return len(set(map(str, values))) > 1


def _invented(target: Target, part: str) -> float:
    digits, scale = target.draws(f"number/{part}", 2)
    return (111 + int(digits * 888)) * (0.1, 1.0, 10.0)[int(scale * 3)]


def _nonsense(text: str, target: Target, part: str) -> str:
    """The text with every letter replaced by a drawn one of its script; Hiragana and all else stay."""
    return "".join(map(_other_letter, text, target.draws(f"letters/{part}", len(text))))


def _other_letter(letter: str, draw: float) -> str:
    if "一" <= letter <= "鿿":
        return chr(0x4E00 + int(draw * 0x4000))
    if "ァ" <= letter <= "ヺ":
        return chr(ord("ア") + int(draw * 80))
    if not letter.isalpha() or "ぁ" <= letter <= "ゖ":
        return letter
    alphabet = next((letters for letters in _ALPHABETS if letter.lower() in letters), _ALPHABETS[1])
    other = alphabet[int(draw * len(alphabet))]
    return other.upper() if letter.isupper() else other
