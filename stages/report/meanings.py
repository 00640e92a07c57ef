"""What each status and violation code means for a reader, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec


class Meaning(msgspec.Struct, frozen=True):
    """What a code says, and the mend."""

    meaning: str
    mend: str


_CALL_AGAIN = "dvc repro -f calls just the cells without an answer."

STATUS_MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        "parse_failed": Meaning(
            "the answer holds no JSON",
            "Ask for bare JSON in the prompt, or set response_format; -S generate.unparsed_draws=2 draws such cells again.",
        ),
        "truncated": Meaning(
            "the answer was cut off at max_output_tokens", "Raise max_output_tokens in the model config."
        ),
        "refused": Meaning("the model refused", "Read the refusal on the cell's page; reword the brief or the prompt."),
        "timeout_failed": Meaning("no answer within the deadline", f"Raise runtime.timeout_s, or {_CALL_AGAIN}"),
        "rate_limited": Meaning(
            "the endpoint kept refusing for too many requests",
            f"Lower runtime.max_concurrency or set runtime.requests_per_minute; {_CALL_AGAIN}",
        ),
        "server_error": Meaning("the endpoint failed", _CALL_AGAIN),
        "connection_failed": Meaning(
            "the endpoint could not be reached", f"Check the network and base_url; {_CALL_AGAIN}"
        ),
        "quota_exceeded": Meaning("the account's quota is used up", f"Top up the account, then {_CALL_AGAIN}"),
        "auth_failed": Meaning(
            "the endpoint did not accept the key", f"Check the key in api_key_env, then {_CALL_AGAIN}"
        ),
        "invalid_request": Meaning(
            "the endpoint did not accept the request", "Check the model's name and params in its config."
        ),
        "budget_stopped": Meaning(
            "not called: runtime.max_cost_usd would have been passed", f"Raise runtime.max_cost_usd, then {_CALL_AGAIN}"
        ),
    }
)

VIOLATION_MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        "INVALID_SCHEMA": Meaning(
            "the JSON is not shaped like a draft graph", "Show the exact shape in the prompt, or set response_format."
        ),
        "DUPLICATE_NODE_ID": Meaning("two nodes have the same id", "Ask for unique ids in the prompt."),
        "INVALID_EDGE_REF": Meaning(
            "an edge names a node that does not exist", "Ask that edges use declared ids only."
        ),
        "MISSING_GOAL": Meaning("there is not exactly one goal", "Ask for exactly one goal node."),
        "MISSING_DECISION": Meaning("there is not exactly one decision", "Ask for exactly one decision node."),
        "INSUFFICIENT_OPTIONS": Meaning("there are too few options", "Ask for two to six options."),
        "TOO_MANY_OPTIONS": Meaning("there are too many options", "Ask for two to six options."),
        "MISSING_BRIDGE": Meaning("there is no outcome and no risk", "Ask for at least one outcome or risk."),
        "NODE_LIMIT_EXCEEDED": Meaning("there are too many nodes", "Name the limit of nodes in the prompt."),
        "EDGE_LIMIT_EXCEEDED": Meaning("there are too many edges", "Name the limit of edges in the prompt."),
        "CYCLE_DETECTED": Meaning("causes run in a circle", "Say in the prompt that edges must not close a loop."),
        "FORBIDDEN_EDGE": Meaning(
            "an edge joins kinds that must not be joined", "List the allowed pairs of kinds in the prompt."
        ),
        "CONTROLLABLE_NO_OPTION_EDGE": Meaning(
            "no option acts on a controllable factor", "Ask that each controllable factor has an edge from an option."
        ),
        "OUTCOME_UNREACHABLE": Meaning(
            "an outcome or risk does not depend on the decision",
            "Ask for a path from the options to each outcome and risk.",
        ),
        "OPTION_NO_GOAL_PATH": Meaning(
            "an option does not lead to the goal", "Ask for a path from every option through a factor to the goal."
        ),
        "ORPHAN_NODE": Meaning(
            "a node is joined to nothing that matters", "Ask that every node lies on a path to the goal."
        ),
        "NO_GRAPH": Meaning("there is no graph to look at", "See the cell's status."),
    }
)

UNKNOWN = Meaning("no description of this code", "See the cell's page.")


def meaning_of(code: str) -> Meaning:
    """What a status or a violation code means; a code that this page does not know says so."""
    return STATUS_MEANINGS.get(code) or VIOLATION_MEANINGS.get(code) or UNKNOWN
