"""The drafts of the shipped briefs that were drawn by hand, as a character varies them."""

import math
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from pydantic import TypeAdapter

from stages.contracts.graph import Edge, Node
from stages.contracts.json_text import JsonObject
from stages.simulate.characters import Character
from stages.simulate.drafter import DraftedGraph, edge
from stages.simulate.stream import Stream

_FOLDER = files("stages.simulate") / "drafts"
_OPENINGS: dict[str, str] = tomllib.loads((_FOLDER / "openings.toml").read_text("utf-8"))
_DRAFT = TypeAdapter(DraftedGraph)
_WEAK_MEAN = 0.15
"""An effect up to this mean may be left out."""


def drawn_draft(brief: str, character: Character, stream: Stream) -> DraftedGraph | None:
    """The draft of the shipped brief that the text begins as, varied by the character; None for any
    other text.

    Every strength differs from the drawn one in size, and in no sign. A character may leave out
    factors that nothing moves, weak effects, the threshold and the coaching, and add a confounder;
    the draft stays structurally valid.
    """
    for brief_id, opening in _OPENINGS.items():
        if brief.startswith(opening):
            drawn = _DRAFT.validate_json((_FOLDER / f"{brief_id}.json").read_bytes())
            return _vary(drawn, character, stream)
    return None


def _vary(drawn: DraftedGraph, character: Character, stream: Stream) -> DraftedGraph:
    nodes = [Node.model_validate(node) for node in drawn.nodes]
    links = [Edge.model_validate(link) for link in drawn.edges]
    moved = {link.target for link in links}
    unmoved = [node.id for node in nodes if node.kind == "factor" and node.id not in moved]
    removed = {factor for factor in unmoved if stream.chance(character.leaves_out)}
    links = [link for link in links if link.source not in removed]
    links = _leave_out_weak_effects(links, nodes, character, stream.branch("weak effects"))
    edges = _change_strengths(links, nodes, character, stream.branch("strengths"))
    if not removed and stream.chance(character.adds_confounder):
        risk = next(node.id for node in nodes if node.kind == "risk")
        edges.append(edge(unmoved[0], risk, 0.0) | {"edge_type": "bidirected"})
    written = [node for node in drawn.nodes if node["id"] not in removed]
    if stream.chance(character.omit_threshold):
        written[-1] = {key: value for key, value in written[-1].items() if "threshold" not in key}
    coaching = {} if stream.chance(character.omit_coaching) else drawn.coaching
    claims = [claim for claim in drawn.causal_claims if claim.get("from") not in removed]
    return DraftedGraph(written, edges, coaching, claims)


def _leave_out_weak_effects(
    links: Sequence[Edge], nodes: Sequence[Node], character: Character, stream: Stream
) -> list[Edge]:
    """The edges without some weak effects of levers that have another one, on nodes that another
    lever moves.
    """
    levers = {node.id for node in nodes if node.category == "controllable"}
    effects = [link for link in links if link.source in levers]
    leaving = Counter(link.source for link in effects)
    entering = Counter(link.target for link in effects)
    remaining: list[Edge] = []
    for link in links:
        is_weak = abs(link.mean or 0.0) <= _WEAK_MEAN
        is_spare = leaving[link.source] > 1 and entering[link.target] > 1
        if is_weak and is_spare and stream.chance(character.leaves_out):
            leaving[link.source] -= 1
            entering[link.target] -= 1
        else:
            remaining.append(link)
    return remaining


def _change_strengths(
    links: Sequence[Edge], nodes: Sequence[Node], character: Character, stream: Stream
) -> list[JsonObject]:
    """The edges as they are written; only those of decisions and options are certain, as drawn."""
    certain = {node.id for node in nodes if node.kind in ("decision", "option")}
    over_range = {node.id for node in nodes if stream.chance(character.over_range)}
    edges: list[JsonObject] = []
    for link in links:
        mean, std, exists = link.mean or 0.0, link.std or 0.0, link.exists_probability or 0.0
        if link.source not in certain:
            largest = 1.9 if link.target in over_range else 1.0
            size = min(0.95, abs(mean) * stream.between(largest - 0.2, largest))
            mean = round(math.copysign(size, mean), 2)
            std = round(std * stream.between(0.85, 1.15), 3)
            exists = round(exists * stream.between(0.92, 1.0), 2)
        written = edge(link.source, link.target, mean, std, exists)
        edges.append(written | {"edge_type": link.edge_type})
    return edges
