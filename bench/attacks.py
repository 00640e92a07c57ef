"""Graphs that should score worse than the graph they were made from: what a model could do to score
well without reading the brief, or while misreading it.

Each function changes the valid graph that it is given (parsed JSON) and returns it, or another one;
None where it does not apply. What is drawn at random derives from a text key, so that equal inputs
give equal graphs.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

from graph_evaluator.records.graph import BIDIRECTED
from graph_evaluator.score import damages

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


@dataclass(frozen=True, slots=True)
class AttackTarget:
    """What an attack is made from: a valid graph of a brief and the prompt's example, None where
    there is none. `key` seeds every random number.
    """

    graph: GraphJson
    example: GraphJson | None
    key: str

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


def gibberish_labels(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """Every letter of every label replaced by another one of its script; all numbers kept."""
    for node in graph["nodes"]:
        label = str(node.get("label") or node["id"])
        start = "Status quo" if label.lower().startswith("status quo") else ""
        node["label"] = start + _nonsense(label[len(start) :], target, node["id"])
    return graph


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
    """The labels dealt out among nodes of their kind."""
    return damages.labels_shuffled(graph, target.key)


def invented_target(graph: GraphJson, target: AttackTarget) -> GraphJson:
    """A threshold that the brief does not name, consistent in itself."""
    raw = _invented(target, "goal")
    for node in _nodes(graph, "goal"):
        node["goal_threshold"] = 0.5
        node["goal_threshold_raw"] = raw
        node["goal_threshold_unit"] = "points"
        node["goal_threshold_cap"] = 2 * raw
    return graph


def dropped_option(graph: GraphJson, target: AttackTarget) -> GraphJson | None:
    """One option less, of three or more."""
    return damages.option_dropped(graph, target.key)


def flipped_signs(graph: GraphJson, _: AttackTarget) -> GraphJson:
    """The sign of every causal mean turned, the stated direction kept."""
    for edge in _causal(graph):
        edge["strength"]["mean"] = -edge["strength"]["mean"]
    return graph


def example_graph(prompt: str) -> dict[str, Any] | None:
    """The first JSON object in a prompt that has nodes and edges; None without one."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", prompt):
        try:
            value, _ = decoder.raw_decode(prompt, match.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value.get("nodes"), list) and isinstance(value.get("edges"), list):
            return dict(value)
    return None


ATTACKS: tuple[Attack, ...] = (
    prompt_example, prompt_example_reworded, gibberish_labels, generic_labels, invented_target,
    dropped_option, flipped_signs, labels_shuffled,
)  # fmt: skip
"""All of them, in the order in which `bench.fidelity` prints them."""


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
