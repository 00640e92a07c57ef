"""The parts of a draft graph as a model writes it."""

from typing import Any

DraftJson = dict[str, Any]
"""A draft, or a node or an edge of it, before it is written as JSON."""


def node(identifier: str, kind: str, label: str, **more: object) -> DraftJson:
    """A node."""
    return {"id": identifier, "kind": kind, "label": label, **more}


def edge(
    source: str, target: str, mean: float = 1.0, std: float = 0.01, exists: float = 1.0
) -> DraftJson:
    """A directed edge; by default the certain one of a decision or an option."""
    return {
        "from": source,
        "to": target,
        "strength": {"mean": mean, "std": std},
        "exists_probability": exists,
        "effect_direction": "negative" if mean < 0 else "positive",
        "edge_type": "directed",
    }


def nodes_of(draft: DraftJson, *kinds: str) -> list[DraftJson]:
    """The nodes of these kinds, in the order of the draft."""
    return [entry for entry in draft["nodes"] if entry["kind"] in kinds]
