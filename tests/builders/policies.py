"""Small literal policies."""

import json

from stages.contracts.json_text import JsonValue
from stages.contracts.policy import Policy, parse_policy


def policy(
    *steps: tuple[str, str, int],
    accept: JsonValue = "usable",
    policy_id: str = "p",
    repair: bool = False,
) -> Policy:
    """A policy of steps such as ("a", "tries", 2), all of them with a repair or none."""
    written: dict[str, JsonValue] = {
        "id": policy_id,
        "display_name": policy_id.upper(),
        "target_mode": "normal",
        "accept": accept,
        "steps": [{"model": model, kind: calls, "repair": repair} for model, kind, calls in steps],
    }
    return parse_policy(policy_id, json.dumps(written), f"policies/{policy_id}.json")
