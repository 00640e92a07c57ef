"""What each status and code means for a reader, and what to do about it."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from stages.contracts.codes import VIOLATIONS, WARNINGS


class Meaning(msgspec.Struct, frozen=True):
    """What a code says, and the mend."""

    meaning: str
    mend: str


_CALL_AGAIN = "dvc repro -f calls just the cells without an answer."

STATUS_MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        "parse_failed": Meaning(
            "The answer holds no JSON.",
            "Ask for bare JSON in the prompt, or set response_format; -S generate.unparsed_draws=2 draws such cells again.",
        ),
        "truncated": Meaning(
            "The answer was cut off at max_output_tokens.", "Raise max_output_tokens in the model config."
        ),
        "refused": Meaning(
            "The model refused.", "Read the refusal on the cell's page; reword the brief or the prompt."
        ),
        "timeout_failed": Meaning("No answer came within the deadline.", f"Raise runtime.timeout_s, or {_CALL_AGAIN}"),
        "rate_limited": Meaning(
            "The endpoint kept refusing for too many requests.",
            f"Lower runtime.max_concurrency or set runtime.requests_per_minute; {_CALL_AGAIN}",
        ),
        "server_error": Meaning("The endpoint failed.", _CALL_AGAIN),
        "connection_failed": Meaning(
            "The endpoint could not be reached.", f"Check the network and base_url; {_CALL_AGAIN}"
        ),
        "quota_exceeded": Meaning("The account's quota is used up.", f"Top up the account, then {_CALL_AGAIN}"),
        "auth_failed": Meaning(
            "The endpoint did not accept the key.", f"Check the key in api_key_env, then {_CALL_AGAIN}"
        ),
        "invalid_request": Meaning(
            "The endpoint did not accept the request.", "Check the model's name and params in its config."
        ),
        "budget_stopped": Meaning(
            "Not called: runtime.max_cost_usd would have been passed.",
            f"Raise runtime.max_cost_usd, then {_CALL_AGAIN}",
        ),
    }
)

CODE_MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {one.code: Meaning(one.meaning, one.fix) for one in (*VIOLATIONS, *WARNINGS)}
)

UNKNOWN = Meaning("There is no description of this code.", "See the cell's page.")


def meaning_of(code: str) -> Meaning:
    """What a status, a violation or a warning means; a code that is not known says so."""
    return STATUS_MEANINGS.get(code) or CODE_MEANINGS.get(code) or UNKNOWN
