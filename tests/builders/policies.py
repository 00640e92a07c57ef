"""Small literal policies."""

import json

from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.model_config import Policy, parse_config


def policy(
    *steps: tuple[str, int],
    accept: JsonValue = "usable",
    policy_id: str = "p",
) -> Policy:
    """A policy of steps, each a model with its tries."""
    written: dict[str, JsonValue] = {
        "id": policy_id,
        "display_name": policy_id.upper(),
        "target_mode": "normal",
        "accept": accept,
        "steps": [{"model": model, "tries": tries} for model, tries in steps],
    }
    return parse_config(Policy, policy_id, json.dumps(written), f"policies/{policy_id}.json")
