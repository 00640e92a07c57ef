"""The request fingerprint: SHA-256 of the canonical JSON of everything that can alter the answer, and of nothing else."""

import hashlib

from stages.contracts.json_text import JsonValue, canonical
from stages.generate.plan.endpoint import address
from stages.generate.plan.request import ApiRequest as Request

_VARYING = frozenset({"draw", "input", "sample"})
_GAP = "\0"
"""A character that JSON text cannot hold."""


def hashed_form(request: Request, *, round_number: int, sample: int, draw: int) -> dict[str, JsonValue]:
    """Everything that can alter the answer, and nothing else: what the fingerprint is the hash of.

    Left out: key, headers, time limits, concurrency, price, names, target mode, and `prompt_cache_key`.
    """
    return {
        "api": request.endpoint.api,
        "api_version": request.endpoint.api_version,
        "endpoint": address(request.endpoint),
        "model": request.model,
        "instructions_sha256": request.instructions_sha256,
        "input": request.input,
        "settings": request.lasting_settings,
        "round": round_number,
        "sample": sample,
        "draw": draw,
    }


def canonical_request(request: Request, *, round_number: int, sample: int, draw: int) -> str:
    """The text that is hashed and stored beside the answer; it holds the prompt's hash, not the prompt."""
    form = hashed_form(request, round_number=round_number, sample=sample, draw=draw)
    return canonical(form).decode("utf-8")


class Wording:
    """Words the canonical requests of one model and round, which differ in brief, sample and draw: the rest is written once.

    Args:
        request: One of the model's requests, whichever.
        round_number: The round.
    """

    def __init__(self, request: Request, *, round_number: int) -> None:
        form = hashed_form(request, round_number=round_number, sample=1, draw=1)
        members = (f'"{name}":{_GAP if name in _VARYING else worded(form[name])}' for name in sorted(form))
        self._head, self._to_input, self._to_sample, self._tail = f"{{{','.join(members)}}}".split(_GAP)

    def text(self, worded_input: str, *, sample: int, draw: int) -> str:
        """What `canonical_request` gives for the request whose `worded` input this is."""
        return f"{self._head}{draw}{self._to_input}{worded_input}{self._to_sample}{sample}{self._tail}"


def worded(value: JsonValue) -> str:
    """A member of a canonical request as it stands in its text."""
    return canonical(value).decode("utf-8")


def fingerprint_of(canonical_text: str) -> str:
    """The fingerprint of a canonical request: 64 hex digits."""
    return hashlib.sha256(canonical_text.encode("utf-8")).hexdigest()
