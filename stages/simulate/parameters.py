"""The parameters that a request may have, and what the API says to a wrong one."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from stages.contracts.json_text import JsonValue
from stages.simulate.api_error import rejected

Kind = Literal["a string", "an integer", "a decimal", "a boolean", "an object", "an array of objects", "anything"]


class Rule(msgspec.Struct, frozen=True):
    """What a parameter must be: its kind, its bounds, its allowed values; `never` says that only null or false will do."""

    kind: Kind
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    never: bool = False


_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_VERBOSITY = Rule("a string", choices=("low", "medium", "high"))
_COMMON: dict[str, Rule] = {
    "model": Rule("a string"),
    "temperature": Rule("a decimal", 0, 2),
    "top_p": Rule("a decimal", 0, 1),
    "metadata": Rule("an object"),
    "parallel_tool_calls": Rule("a boolean"),
    "prompt_cache_key": Rule("a string"),
    "prompt_cache_retention": Rule("a string", choices=("in_memory", "24h")),
    "safety_identifier": Rule("a string"),
    "service_tier": Rule("a string", choices=("auto", "default", "flex", "priority", "scale")),
    "store": Rule("a boolean"),
    "stream": Rule("a boolean", never=True),
    "tool_choice": Rule("anything"),
    "tools": Rule("an array of objects", never=True),
    "top_logprobs": Rule("an integer", 0, 20),
    "user": Rule("a string"),
}
RESPONSES: dict[str, Rule] = _COMMON | {
    "background": Rule("a boolean", never=True),
    "conversation": Rule("anything", never=True),
    "include": Rule("anything"),
    "input": Rule("anything"),
    "instructions": Rule("a string"),
    "max_output_tokens": Rule("an integer", 16),
    "max_tool_calls": Rule("an integer", 0),
    "previous_response_id": Rule("a string", never=True),
    "reasoning": Rule("an object"),
    "reasoning.effort": Rule("a string", choices=_EFFORTS),
    "reasoning.summary": Rule("a string"),
    "text": Rule("an object"),
    "text.format": Rule("an object"),
    "text.verbosity": _VERBOSITY,
    "truncation": Rule("a string", choices=("auto", "disabled")),
}
"""The parameters of POST /v1/responses."""

CHAT: dict[str, Rule] = _COMMON | {
    "frequency_penalty": Rule("a decimal", -2, 2),
    "logprobs": Rule("a boolean"),
    "max_completion_tokens": Rule("an integer", 1),
    "max_tokens": Rule("an integer", 1),
    "messages": Rule("an array of objects"),
    "n": Rule("an integer", 1, 1),
    "presence_penalty": Rule("a decimal", -2, 2),
    "reasoning_effort": Rule("a string", choices=_EFFORTS),
    "response_format": Rule("an object"),
    "seed": Rule("an integer"),
    "stop": Rule("anything"),
    "verbosity": _VERBOSITY,
}
"""The parameters of POST /v1/chat/completions."""


def check(body: Mapping[str, JsonValue], rules: Mapping[str, Rule], prefix: str = "") -> None:
    """Reject the first parameter that is unknown, of the wrong kind, out of bounds, or not simulated; null is always fine."""
    for key, value in body.items():
        name = prefix + key
        rule = rules.get(name)
        if rule is None:
            raise rejected(f"Unknown parameter: '{name[:80]}'.", code="unknown_parameter", param=name[:80])
        if value is None:
            continue
        _check_kind(name, rule, value)
        if rule.never and value not in (False, []):
            message = f"Unsupported value: '{name}' is not offered by the simulated models."
            raise rejected(message, code="unsupported_value", param=name)
        if isinstance(value, dict) and f"{name}." in {rule_name[: len(name) + 1] for rule_name in rules}:
            check(value, rules, f"{name}.")


def _check_kind(name: str, rule: Rule, value: JsonValue) -> None:
    found = _kind(value)
    expected = rule.kind
    right = expected in ("anything", found) or (expected == "a decimal" and found == "an integer")
    if expected == "an array of objects":
        right = isinstance(value, list) and all(isinstance(item, dict) for item in value)
    if not right:
        message = f"Invalid type for '{name}': expected {expected}, but got {found} instead."
        raise rejected(message, code="invalid_type", param=name)
    if rule.choices and value not in rule.choices:
        allowed = ", ".join(f"'{choice}'" for choice in rule.choices)
        message = f"Invalid value: '{str(value)[:80]}'. Supported values are: {allowed}."
        raise rejected(message, code="invalid_value", param=name)
    if isinstance(value, int | float) and rule.low is not None and value < rule.low:
        word = rule.kind.removeprefix("an ").removeprefix("a ")
        message = (
            f"Invalid '{name}': {word} below minimum value. Expected a value >= {rule.low:g}, but got {value} instead."
        )
        raise rejected(message, code=f"{word}_below_min_value", param=name)
    if isinstance(value, int | float) and rule.high is not None and value > rule.high:
        word = rule.kind.removeprefix("an ").removeprefix("a ")
        message = (
            f"Invalid '{name}': {word} above maximum value. Expected a value <= {rule.high:g}, but got {value} instead."
        )
        raise rejected(message, code=f"{word}_above_max_value", param=name)


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a decimal"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object" if isinstance(value, dict) else "null"
