"""What goes wrong: structural faults in a graph, and calls that fail before there is an answer."""

from typing import Literal

from stages.contracts import codes
from stages.contracts.json_text import JsonValue
from stages.simulate.drafter import DraftedGraph, edge, node
from stages.simulate.request import ApiError, SimulatedRequest
from stages.simulate.stream import Stream

VIOLATIONS = tuple(code for code in codes.VIOLATIONS if code != "NO_GRAPH")
"""The violation codes that an answer with a graph can have; `with_violation` causes each."""


def with_violation(graph: DraftedGraph, code: str) -> DraftedGraph:
    """The graph with a fault that has this violation code; others may come with it."""
    nodes, edges = list(graph.nodes), list(graph.edges)
    options = [str(one["id"]) for one in nodes if one["kind"] == "option"]
    removed = {
        "MISSING_GOAL": ["goal_1"], "MISSING_DECISION": ["dec_1"], "INSUFFICIENT_OPTIONS": options[1:],
        "MISSING_BRIDGE": ["out_1", "risk_1", "out_unset"],
    }.get(code, [])  # fmt: skip
    match code:
        case "INVALID_SCHEMA":
            empty: JsonValue = {"interventions": {"fac_1": None}}
            nodes = [one | {"data": empty} if one["kind"] == "option" else one for one in nodes]
        case "DUPLICATE_NODE_ID":
            nodes.append(nodes[1])
        case "INVALID_EDGE_REF":
            edges.append(edge("fac_missing", "goal_1", 0.3, 0.1, 0.7))
        case "TOO_MANY_OPTIONS" | "NODE_LIMIT_EXCEEDED" | "EDGE_LIMIT_EXCEEDED":
            for identifier in [f"opt_more_{number}" for number in range(1, 51)]:
                nodes.append(node(identifier, "option", f"Variant {identifier}"))
                edges += [edge("dec_1", identifier), edge(identifier, "fac_1")]
        case "CYCLE_DETECTED":
            edges += [edge("out_1", "fac_1", 0.3, 0.15, 0.7), edge("fac_1", "out_1", 0.3, 0.15, 0.7)]
        case "FORBIDDEN_EDGE":
            edges.append(edge("opt_1", "goal_1", 0.4, 0.1, 0.8))
        case "CONTROLLABLE_NO_OPTION_EDGE" | "OUTCOME_UNREACHABLE":
            nodes.append(node("fac_unset", "factor", "Follow-up", category="controllable"))
            nodes.append(node("out_unset", "outcome", "Settled at the first contact"))
            edges += [edge("fac_unset", "out_unset", 0.5, 0.15, 0.8), edge("out_unset", "goal_1", 0.2, 0.1, 0.8)]
        case "OPTION_NO_GOAL_PATH":
            edges = [one for one in edges if one["from"] not in options[-1:]]
        case "ORPHAN_NODE":
            nodes.append(node("fac_aside", "factor", "Weather", category="observable"))
    nodes = [one for one in nodes if one["id"] not in removed]
    return DraftedGraph(nodes, [one for one in edges if not {one["from"], one["to"]} & {*removed}], graph.coaching)


_ERRORS = (
    ApiError(429, "rate_limit_exceeded", "Rate limit reached.", kind="requests", headers={"retry-after": "1"}),
    ApiError(429, "rate_limit_exceeded", "Rate limit reached.", kind="requests", headers={"retry-after-ms": "60"}),
    ApiError(500, None, "The server had an error.", kind="server_error", headers={"retry-after-ms": "20"}),
    ApiError(503, "overloaded", "The server is overloaded.", kind="server_error", headers={"retry-after-ms": "120"}),
    ApiError(400, "invalid_value", "Invalid 'input': the drill rejects it.", param="input"),
)


def call_failure(request: SimulatedRequest, attempt: int) -> ApiError | Literal["hang", "drop"] | None:
    """How the `attempt`-th call (from 1) of a request fails: an error, no answer (hang), a closed connection (drop), or not.

    The flaky model fails at most twice in a row, by input and draw; a drill fails always, and by the input alone.
    """
    match request.model:
        case "drill-calls":
            return Stream("drill", request.input).choice((*_ERRORS, "hang", "drop"))
        case "drill-key":
            return ApiError(401, "invalid_api_key", "Incorrect API key provided.")
        case "drill-quota":
            return ApiError(429, "insufficient_quota", "You exceeded your current quota.", kind="insufficient_quota")
        case "sim-flaky":
            stream = Stream("flaky", request.input, request.draw)
            if attempt <= stream.choice((0, 0, 1, 1, 2)):
                return stream.branch(str(attempt)).choice(_ERRORS[:4])
    return None
