"""Graphs that should score worse than the graph they were made from: attacks on the rubric, and single faults.

Each function changes a copy of a valid graph (parsed JSON) in place, or returns another one; False where it does not apply.
What is drawn at random derives from a text key, so that equal inputs give equal graphs.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

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
        digest = hashlib.shake_128(f"{self.key}/{part}".encode("utf-8", "replace")).digest(4 * count)
        return [int.from_bytes(digest[4 * index : 4 * index + 4], "big") / 2**32 for index in range(count)]

    def pick(self, part: str, choices: Sequence[Any]) -> Any:  # noqa: ANN401 - one of the choices
        """One of the choices."""
        return choices[int(self.draws(part, 1)[0] * len(choices))]


Attack = Callable[[Graph, Target], Graph | Literal[False] | None]


def changed(attack: Attack, target: Target) -> Graph | None:
    """The graph that the attack makes of a target; None where it does not apply."""
    graph = _copy(target.graph)
    result = attack(graph, target)
    if result is None:
        return graph
    return result or None


def prompt_example(_: Graph, target: Target) -> Graph | Literal[False]:
    """The worked example of the prompt, unchanged."""
    return _copy(target.example) if target.example else False


def prompt_example_reworded(_: Graph, target: Target) -> Graph | Literal[False]:
    """The worked example of the prompt with one word of each label replaced."""
    example = prompt_example(_, target)
    for node in example["nodes"] if example else ():
        words = str(node.get("label", "")).split()
        if words:
            index = target.pick(f"word/{node['id']}", range(len(words)))
            words[index] = _nonsense(words[index], target, node["id"])
            node["label"] = " ".join(words)
    return example


def other_brief(_: Graph, target: Target) -> Graph | Literal[False]:
    """The graph of another brief."""
    return target.other or False


def gibberish_labels(graph: Graph, target: Target) -> None:
    """Every letter of every label replaced by another one of its script; all numbers kept."""
    for node in graph["nodes"]:
        label = str(node.get("label") or node["id"])
        kept = "Status quo" if label.lower().startswith("status quo") else ""
        node["label"] = kept + _nonsense(label[len(kept) :], target, node["id"])


def gibberish_labels_and_numbers(graph: Graph, target: Target) -> None:
    """Labels replaced by gibberish, and explicit values and the threshold by other numbers."""
    gibberish_labels(graph, target)
    invented_numbers(graph, target)
    invented_target(graph, target)


def generic_labels(graph: Graph, _: Target) -> None:
    """Labels that would fit any brief."""
    for kind in {node["kind"] for node in graph["nodes"]}:
        choices = GENERIC_LABELS.get(kind, (kind,))
        for index, node in enumerate(_nodes(graph, kind)):
            node["label"] = choices[index % len(choices)] + (f" {index}" if index >= len(choices) else "")


def invented_target(graph: Graph, target: Target) -> None:
    """A threshold that the brief does not name, consistent in itself."""
    for node in _nodes(graph, "goal"):
        raw = _invented(target, "goal")
        threshold = {"": 0.5, "_raw": raw, "_unit": "points", "_cap": 2 * raw}
        node |= {f"goal_threshold{part}": value for part, value in threshold.items()}


def invented_numbers(graph: Graph, target: Target) -> Literal[False] | None:
    """Every value that is called explicit replaced by another number."""
    explicit = _explicit(graph)
    for node in explicit:
        raw = _invented(target, node["id"])
        node["data"] |= {"raw_value": raw, "cap": 2 * raw, "value": 0.5}
    return None if explicit else False


def numbers_swapped(graph: Graph, _: Target) -> Literal[False] | None:
    """The explicit values of two factors exchanged, with their units."""
    values = [node["data"] for node in _explicit(graph)]
    for one in values:
        for other in values:
            if one["raw_value"] != other["raw_value"]:
                for key in ("value", "raw_value", "unit", "cap"):
                    one[key], other[key] = other.get(key), one.get(key)
                return None
    return False


def dropped_option(graph: Graph, target: Target) -> Literal[False] | None:
    """One option less, not the status quo, of three or more."""
    options = _nodes(graph, "option")
    named = [node["id"] for node in options if "status quo" not in str(node.get("label")).lower()]
    if len(options) < 3 or not named:
        return False
    dropped = target.pick("option", named)
    graph["nodes"] = [node for node in graph["nodes"] if node["id"] != dropped]
    graph["edges"] = [edge for edge in graph["edges"] if dropped not in (edge["from"], edge["to"])]
    return None


def twin_option(graph: Graph, target: Target) -> Literal[False] | None:
    """One option repeated under nearly the same label."""
    options = _nodes(graph, "option")
    if not options:
        return False
    one = target.pick("twin", options)
    twin = f"{one['id']}_2"
    graph["nodes"].append({**one, "id": twin, "label": f"{one.get('label')} (variant)"})
    for edge in list(graph["edges"]):
        if one["id"] in (edge["from"], edge["to"]):
            graph["edges"].append(edge | {end: twin for end in ("from", "to") if edge[end] == one["id"]})
    return None


def duplicate_label(graph: Graph, _: Target) -> Literal[False] | None:
    """Two factors with one label."""
    factors = _nodes(graph, "factor")
    if len(factors) < 2:
        return False
    factors[1]["label"] = factors[0].get("label")
    return None


def labels_swapped(graph: Graph, _: Target) -> Literal[False] | None:
    """The labels of the factors moved on by one, so that every factor has the name of another one."""
    return _move_on(_nodes(graph, "factor"), "label")


def flipped_signs(graph: Graph, _: Target) -> None:
    """The sign of every causal mean turned, the stated direction kept."""
    for edge in _causal(graph):
        edge["strength"]["mean"] = -edge["strength"]["mean"]


def flipped_signs_and_directions(graph: Graph, target: Target) -> None:
    """The sign of every causal mean and the stated direction turned together: every effect claimed the wrong way round."""
    flipped_signs(graph, target)
    turned = {"positive": "negative", "negative": "positive"}
    for edge in _causal(graph):
        if edge.get("effect_direction") in turned:
            edge["effect_direction"] = turned[edge["effect_direction"]]


def shuffled_strengths(graph: Graph, _: Target) -> Literal[False] | None:
    """The sizes of the causal means moved on by one edge."""
    strengths = [edge["strength"] for edge in _causal(graph)]
    signs = [1 if strength["mean"] >= 0 else -1 for strength in strengths]
    for strength in strengths:
        strength["mean"] = abs(strength["mean"])
    applies = _move_on(strengths, "mean")
    for strength, sign in zip(strengths, signs, strict=True):
        strength["mean"] *= sign
    return applies


def constant_parameters(graph: Graph, _: Target) -> None:
    """The same mean, std and exists_probability on every causal edge."""
    for edge in _causal(graph):
        edge["strength"] = {"mean": -0.5 if edge["strength"]["mean"] < 0 else 0.5, "std": 0.125}
        edge["exists_probability"] = 0.8


def wrong_links(graph: Graph, _: Target) -> Literal[False] | None:
    """The effects of the factors on outcomes and risks moved on by one factor."""
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    ends = [(edge, (kinds.get(edge["from"]), kinds.get(edge["to"]))) for edge in _causal(graph)]
    return _move_on([edge for edge, kind in ends if kind in (("factor", "outcome"), ("factor", "risk"))], "from")


def empty_coaching(graph: Graph, _: Target) -> None:
    """No advice beside the graph."""
    graph["coaching"] = {"summary": "", "strengthen_items": []}


def no_external_factor(graph: Graph, _: Target) -> None:
    """Every external factor called observable."""
    for node in _nodes(graph, "factor"):
        if node.get("category") == "external":
            node["category"] = "observable"


def no_threshold(graph: Graph, _: Target) -> Literal[False] | None:
    """The threshold of the goal left out."""
    goals = [node for node in _nodes(graph, "goal") if node.get("goal_threshold") is not None]
    for node in goals:
        for key in [key for key in node if key.startswith("goal_threshold")]:
            del node[key]
    return None if goals else False


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
        if isinstance(value, dict) and isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list):
            return value
        start = prompt.find("{", start + 1)
    return None


def _copy(graph: Graph) -> Graph:
    copied: Graph = json.loads(json.dumps(graph))
    return copied


def _nodes(graph: Graph, kind: str) -> list[Graph]:
    return [node for node in graph["nodes"] if node.get("kind") == kind]


def _causal(graph: Graph) -> Iterator[Graph]:
    """The directed edges with parameters, but those from the decision to options and from options to factors."""
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    for edge in graph["edges"]:
        if edge.get("edge_type") != "bidirected" and kinds.get(edge["from"]) not in ("decision", "option"):
            yield edge


def _explicit(graph: Graph) -> list[Graph]:
    """The factors whose value is called explicit, with a number as raw value."""
    return [
        node
        for node in _nodes(graph, "factor")
        if isinstance(data := node.get("data"), dict)
        and data.get("extractionType") == "explicit"
        and type(data.get("raw_value")) in (int, float)
    ]


def _move_on(entries: Sequence[Graph], key: str) -> Literal[False] | None:
    """Give each entry the value of the next one; False if all are equal."""
    values = [entry.get(key) for entry in entries]
    for entry, value in zip(entries, (*values[1:], *values[:1]), strict=True):
        entry[key] = value
    return None if len(set(map(str, values))) > 1 else False


def _invented(target: Target, part: str) -> float:
    """A number of three significant digits, from 11.1 to 9,990."""
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
