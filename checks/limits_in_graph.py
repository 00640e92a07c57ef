"""Is every limit that the brief states a threshold of the goal, or named by a node with an edge?"""

import re
from typing import Any

FIX = "Ask for a threshold or a node for every limit that the brief states."
LIMIT = re.compile(r"(?i)\b(?:at most|no more than|below|not exceed)\s(?:\D{0,20}\s)?(\d[\d.,]*)")
NUMBER = re.compile(r"\d[\d.,]*")


def check(graph: dict[str, Any], brief: dict[str, Any]) -> tuple[bool, str] | None:
    """Look for the numbers of the limits in thresholds and in labels."""
    limits = dict.fromkeys(limit.rstrip(".,") for limit in LIMIT.findall(brief["body"]))
    if not limits:
        return None
    linked = {end for edge in graph["edges"] for end in (edge["from"], edge["to"])}
    nodes = [node for node in graph["nodes"] if node["id"] in linked]
    text = " ".join(f"{node.get('label')} {node.get('goal_threshold_raw')}" for node in nodes)
    present = {number.removesuffix(".0").rstrip(".,") for number in NUMBER.findall(text)}
    missing = [limit for limit in limits if limit not in present]
    return not missing, f"Not in the graph: {', '.join(missing)}." if missing else ""
