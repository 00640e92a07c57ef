"""One call: what is sent where, under which fingerprint its answer is kept, and the most that it
may cost.
"""

import hashlib
import math
from dataclasses import dataclass

from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.generate.prices import ModelPrices
from stages.shared.records.json_text import JsonObject, canonical
from stages.shared.records.response import Cell

MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request that is to be made, and everything that callers, limits, budget and ledger need.

    `instructions` is the system prompt, `text` the user's message, `settings` the API's own
    parameters, `schema` the JSON Schema among them. `identity` is everything that can alter the
    answer. `cell` says in limits, budget and progress whose answer it is. `cost_upper_usd` is None
    when no price is known.
    """

    cell: Cell
    endpoint: Endpoint
    model: str
    instructions: str
    instructions_sha256: str
    text: str
    settings: JsonObject
    schema: JsonObject | None = None
    identity: JsonObject
    fingerprint: str
    draw: int = 1
    input_tokens: int
    most_output_tokens: int
    cost_upper_usd: float | None
    prices: ModelPrices
    timeout_s: float

    @property
    def canonical(self) -> str:
        """The canonical request, whose hash is the fingerprint: what the ledger keeps of it."""
        return canonical(self.identity).decode("utf-8")

    @property
    def costs_money(self) -> bool:
        """False for a simulated model, at a price of 0, and on this machine where no price is
        known.
        """
        if self.cost_upper_usd is None:
            return not is_loopback(self.endpoint)
        return self.cost_upper_usd > 0 and not self.endpoint.simulated

    def body(self, *, in_batch: bool = False) -> JsonObject:
        """The JSON body of a direct call, or of a batch's line: a batch is a service tier
        itself.
        """
        api_kind = self.endpoint.api_kind
        body: JsonObject = {"model": self.model}
        body |= api_kind.messages(self.instructions, self.text)
        body |= self.settings
        if in_batch:
            body.pop("service_tier", None)
        if api_kind.caches_anywhere or self.endpoint.url is None:
            body["prompt_cache_key"] = prompt_cache_key(self.instructions_sha256, self.model)
        return body


def fingerprint_of(identity: JsonObject) -> str:
    """The fingerprint of a request: the SHA-256 of its canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical(identity)).hexdigest()


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few; 0 for no text.

    A token is about four characters of ASCII, and one character in other scripts.

    >>> estimated_tokens("a short sentence"), estimated_tokens("短い文")
    (4, 3)
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 4) + len(text) - ascii_only


def prompt_cache_key(instructions_sha256: str, model: str) -> str:
    """A key that all requests of one prompt and model share, so that they meet in the same
    cache.
    """
    model_sha256 = hashlib.sha256(model.encode()).hexdigest()
    return f"graph-{instructions_sha256[:16]}-{model_sha256[:8]}"
