"""How a simulated model answers a plain draft, whether that was drawn by hand or made of a brief's
prose: everything that its character does to one.
"""

import math
from collections.abc import Sequence
from copy import deepcopy

from stages.simulate.characters import Character
from stages.simulate.draft_json import DraftJson, edge, nodes_of
from stages.simulate.stream import Stream

_GENERIC_LABELS = ("Cost", "Revenue", "Demand", "Supply", "Growth", "Competition", "Market risk")
STATUS_QUO = "Status quo: "


def vary(plain: DraftJson, character: Character, stream: Stream) -> DraftJson:
    """The draft with what the character changes, leaves out and adds; every strength has another
    size than in the plain one, and its sign. Structurally valid if the plain draft is.
    """
    draft = deepcopy(plain)
    _vary_options(draft, character, stream.branch("options"))
    _vary_factors(draft, character, stream.branch("factors"))
    _vary_unmoved_factors(draft, character, stream.branch("unmoved"))
    _vary_strengths(draft, character, stream.branch("strengths"))
    (goal,) = nodes_of(draft, "goal")
    if character.invents_numbers:
        share, raw, unit, cap = _invented(stream)
        goal |= {"goal_threshold": share, "goal_threshold_raw": raw}
        goal |= {"goal_threshold_unit": unit, "goal_threshold_cap": cap}
    if stream.chance(character.omit_threshold):
        for key in [key for key in goal if "threshold" in key]:
            del goal[key]
    if stream.chance(character.omit_coaching):
        draft["coaching"] = {}
    return draft


def _vary_options(draft: DraftJson, character: Character, stream: Stream) -> None:
    options = nodes_of(draft, "option")
    settings = [option["data"]["interventions"] for option in options]
    if stream.chance(character.shared_levers):
        levers = sorted(set().union(*settings))
        for of_option in settings:
            for lever in levers:
                of_option.setdefault(lever, round(stream.between(0.1, 0.9), 2))
    if stream.chance(character.twin_options):
        options[1]["data"] = options[0]["data"]
    if stream.chance(character.empty_option):
        options[-1]["data"] = {"interventions": {}}
    if stream.chance(character.omit_status_quo):
        for option in options:
            option["label"] = option["label"].removeprefix(STATUS_QUO)
    linked = {(link["from"], link["to"]) for link in draft["edges"]}
    for option in options:
        for lever in option["data"]["interventions"]:
            if (option["id"], lever) not in linked:
                draft["edges"].append(edge(option["id"], lever))


def _vary_factors(draft: DraftJson, character: Character, stream: Stream) -> None:
    omits_external = stream.chance(character.omit_external)
    for factor in nodes_of(draft, "factor"):
        if stream.chance(character.generic_label):
            factor["label"] = stream.choice(_GENERIC_LABELS)
        if omits_external and factor["category"] == "external":
            factor["category"] = "observable"
        if character.invents_numbers:
            share, raw, unit, cap = _invented(stream)
            factor["data"] = {"value": share, "raw_value": raw, "unit": unit, "cap": cap}
            factor["data"]["extractionType"] = "explicit"


def _invented(stream: Stream) -> tuple[float, float, str, float]:
    """A share, the number behind it with two decimals that no brief is likely to contain, its unit
    and its cap.
    """
    number = round(stream.between(11, 99)) + 0.37
    return round(number / 100, 4), number, "%", 100.0


def _vary_unmoved_factors(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Leave out some of the factors that nothing moves; where all stay, perhaps add a confounder
    between one of them and a risk.
    """
    moved = {link["to"] for link in draft["edges"]}
    factors = nodes_of(draft, "factor")
    unmoved = [factor["id"] for factor in factors if factor["id"] not in moved]
    removed = [factor for factor in unmoved if stream.chance(character.leaves_out)]
    remove_nodes(draft, removed)
    adds_confounder = stream.chance(character.adds_confounder)
    if adds_confounder and unmoved and not removed:
        risk = nodes_of(draft, "risk")[0]["id"]
        draft["edges"].append(edge(unmoved[0], risk, 0.0) | {"edge_type": "bidirected"})


def remove_nodes(draft: DraftJson, removed: Sequence[str]) -> None:
    """Remove nodes by their ids, with their edges and with the claims about these."""
    draft["nodes"] = [entry for entry in draft["nodes"] if entry["id"] not in removed]
    for part in ("edges", "causal_claims"):
        draft[part] = [
            entry for entry in draft[part] if not {entry.get("from"), entry.get("to")} & {*removed}
        ]


def _vary_strengths(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Change the strengths of all edges but those of decisions and options, which are certain."""
    certain = {entry["id"] for entry in nodes_of(draft, "decision", "option")}
    is_over_range = {entry["id"]: stream.chance(character.over_range) for entry in draft["nodes"]}
    for link in draft["edges"]:
        strength = link["strength"]
        if link["from"] in certain or not strength["mean"]:
            continue
        largest = 1.9 if is_over_range[link["to"]] else 1.0
        size = min(0.95, abs(strength["mean"]) * stream.between(largest - 0.2, largest))
        std = strength["std"] * stream.between(0.85, 1.15)
        exists = link["exists_probability"] * stream.between(0.92, 1.0)
        if stream.chance(character.default_share):
            size, std, exists = 0.5, 0.125, 0.8
        mean = math.copysign(size, strength["mean"])
        link["strength"] = {"mean": round(mean, 2), "std": round(std, 3)}
        link["exists_probability"] = round(exists, 2)
