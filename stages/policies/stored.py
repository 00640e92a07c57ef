"""The stored answers of a run as estimates take them. Pure."""

from stages.contracts.response import UNREADABLE_CODES
from stages.policies.estimation import StoredAnswer


def needs_repair(*, structural_valid: bool, status: str, failure_code: str | None) -> bool:
    """Whether an answer is sent back in a run that repairs."""
    has_no_graph = status == "parse_failed" and failure_code in UNREADABLE_CODES
    return has_no_graph or (status == "success" and not structural_valid)


def stored_answer(
    *,
    structural_valid: bool,
    status: str,
    failure_code: str | None,
    score: float | None,
    usd: float | None,
    latency_ms: float | None,
    is_repaired: bool,
    run_repairs: bool,
) -> StoredAnswer:
    """The answer to a cell, of a run that sends answers of its model back (`run_repairs`) or none;
    `score` is None without a usable graph, `latency_ms` that of all its calls.

    It lacks a repair where it should have been sent back and nothing came back; in a run without
    repairs always, as the answers that need none would be a choice of the better ones.
    """
    is_broken = needs_repair(
        structural_valid=structural_valid, status=status, failure_code=failure_code
    )
    return StoredAnswer(
        score=score,
        usd=usd,
        seconds=None if latency_ms is None else latency_ms / 1000,
        calls=2 if is_repaired else 1,
        lacks_repair=not run_repairs or (is_broken and not is_repaired),
    )
