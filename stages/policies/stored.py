"""The stored answers of a run as estimates take them. Pure."""

from stages.contracts.response import UNREADABLE_CODES
from stages.contracts.scorecard import Scorecard
from stages.policies.estimation import StoredAnswer


def stored_answer(card: Scorecard) -> StoredAnswer:
    """The answer to a cell, with what both calls took where the first answer was sent back.

    It lacks a repair where it should have been sent back and nothing came back. Of a run that sends
    no answer back none is known to lack one: it says nothing about a policy with repairs, as the
    answers that need none would be a choice of the better ones.
    """
    has_no_graph = card.status == "parse_failed" and card.failure_code in UNREADABLE_CODES
    is_broken = has_no_graph or (card.status == "success" and not card.structural_valid)
    latency_ms = card.waited_ms
    return StoredAnswer(
        score=card.expected_score if card.usable else None,
        usd=card.measured.est_cost_usd,
        seconds=None if latency_ms is None else latency_ms / 1000,
        calls=1 if card.repair is None else 2,
        lacks_repair=is_broken and card.repair is None,
    )
