"""Is every currency of the graph one of the brief's?"""

import re
from typing import Any

FIX = "Ask for amounts in the currency of the brief."
SAME = (
    ("€", "EUR", "euro"),
    ("£", "GBP"),
    ("¥", "JPY", "円"),
    ("₹", "INR"),
    ("$", "USD", "AUD", "CAD"),
)
CURRENCY = re.compile(r"[€£¥₹$円]|\b(?:EUR|GBP|JPY|INR|USD|AUD|CAD|SEK|NOK|CHF|SAR|AED)\b")


def check(graph: dict[str, Any], brief: dict[str, Any]) -> tuple[bool, str] | None:
    """Compare the currencies in labels and units with the text of the brief."""
    texts: list[object] = []
    for node in graph["nodes"]:
        data = node.get("data") or {}
        texts += [node.get("label"), node.get("goal_threshold_unit"), data.get("unit")]
    named = sorted(set(CURRENCY.findall(" ".join(map(str, texts)))))
    if not named:
        return None
    known = brief["body"]
    spellings = {name: next((group for group in SAME if name in group), (name,)) for name in named}
    invented = [name for name in named if not any(word in known for word in spellings[name])]
    sentence = f"Not in the brief: {', '.join(invented)}." if invented else ""
    return not invented, sentence
