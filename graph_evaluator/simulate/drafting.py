"""The drafts that simulated models answer with: one drawn by hand for each shipped brief, a short
template for any other, and what a character does to either.
"""

import itertools
import json
import re
import tomllib
from importlib.resources import files
from typing import Any

from graph_evaluator.simulate.characters import Character, Stream

DraftJson = dict[str, Any]
"""A draft, or a node or an edge of it, before it is written as JSON."""

_FOLDER = files("graph_evaluator.simulate") / "drafts"
_OPENINGS: dict[str, str] = tomllib.loads((_FOLDER / "openings.toml").read_text("utf-8"))
_PART_END = re.compile(r"[.!?,;:](?=\s|$)|[。、！？，؟،\n]")
_MAX_READ_CHARS, _MAX_LABEL_CHARS = 4_000, 60
_STATUS_QUO = re.compile(r"^Status quo\W*")


def plain_draft(brief: str) -> DraftJson:
    """The hand-drawn draft of the shipped brief that the text begins as; for any other text the
    template, its labels followed by the text's first sentences. Structurally valid.
    """
    for brief_id, opening in _OPENINGS.items():
        if brief.startswith(opening):
            return _read(brief_id)
    parts = [" ".join(part.split()) for part in _PART_END.split(brief[:_MAX_READ_CHARS])]
    worded = [part[:_MAX_LABEL_CHARS] for part in parts if part] or ["no text"]
    draft = _read("template")
    for entry, part in zip(draft["nodes"], itertools.cycle(worded), strict=False):
        entry["label"] += f": {part}"
    return draft


def _read(name: str) -> DraftJson:
    draft: DraftJson = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return draft


def vary(draft: DraftJson, character: Character, stream: Stream, failures: Stream) -> None:
    """Change a plain draft in place as a character does; valid unless the character breaks a rule.

    Every strength gets another size. `failures` decides whether a rule is broken.
    """
    options, factors = nodes_of(draft, "option"), nodes_of(draft, "factor")
    (goal,) = nodes_of(draft, "goal")
    if stream.chance(character.omit_status_quo):
        for option in options:
            option["label"] = _STATUS_QUO.sub("", option["label"])
    if stream.chance(character.omit_external):
        for factor in factors:
            if factor["category"] == "external":
                factor["category"] = "observable"
    if stream.chance(character.omit_threshold):
        for key in [key for key in goal if "threshold" in key]:
            del goal[key]
    if stream.chance(character.omit_coaching):
        draft["coaching"] = {}
    _leave_out_factors(draft, character, stream)
    _vary_strengths(draft, character, stream)
    if failures.chance(character.breaks_rule):
        _break_rule(draft, failures)


def nodes_of(draft: DraftJson, *kinds: str) -> list[DraftJson]:
    """The nodes of these kinds, in the order of the draft."""
    return [entry for entry in draft["nodes"] if entry["kind"] in kinds]


def _leave_out_factors(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Leave out some of the factors that nothing moves, with their edges and claims."""
    moved = {link["to"] for link in draft["edges"]}
    unmoved = [factor["id"] for factor in nodes_of(draft, "factor") if factor["id"] not in moved]
    removed = [factor for factor in unmoved if stream.chance(character.leaves_out)]
    draft["nodes"] = [entry for entry in draft["nodes"] if entry["id"] not in removed]
    for part in ("edges", "causal_claims"):
        draft[part] = [entry for entry in draft[part] if entry.get("from") not in removed]


def _vary_strengths(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Change the strengths of all edges but those of decisions and options, which are certain."""
    certain = {entry["id"] for entry in nodes_of(draft, "decision", "option")}
    factors = {entry["id"] for entry in nodes_of(draft, "factor")}
    largest = {
        entry["id"]: 1.9 if stream.chance(character.over_range) else 1.0 for entry in draft["nodes"]
    }
    for link in draft["edges"]:
        strength = link["strength"]
        if link["from"] in certain or not strength["mean"]:
            continue
        scale = stream.between(largest[link["to"]] - 0.2, largest[link["to"]])
        mean = max(-0.95, min(0.95, strength["mean"] * scale))
        std = strength["std"] * stream.between(0.85, 1.15)
        exists = link["exists_probability"] * stream.between(0.92, 1.0)
        if stream.chance(character.default_share):
            mean, std, exists = 0.5 if mean > 0 else -0.5, 0.125, 0.8
        if link["from"] in factors and stream.chance(character.wrong_sign):
            mean = -mean
            link["effect_direction"] = "positive" if mean > 0 else "negative"
        link["strength"] = {"mean": round(mean, 2), "std": round(std, 3)}
        link["exists_probability"] = round(exists, 2)


def _break_rule(draft: DraftJson, stream: Stream) -> None:
    """Remove the goal, or add the reverse of an edge into it, which closes a cycle."""
    if stream.chance(0.5):
        draft["nodes"] = [entry for entry in draft["nodes"] if entry["kind"] != "goal"]
        return
    (goal,) = nodes_of(draft, "goal")
    into_goal = next(link for link in draft["edges"] if link["to"] == goal["id"])
    draft["edges"].append(into_goal | {"from": goal["id"], "to": into_goal["from"]})
