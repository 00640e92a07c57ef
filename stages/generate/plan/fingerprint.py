"""The request fingerprint: SHA-256 of the canonical JSON of everything that can alter the answer, and of nothing else."""

import hashlib

from stages.contracts.json_text import JsonValue, canonical
from stages.generate.plan.endpoint import address
from stages.generate.plan.request import ApiRequest


def canonical_request(request: ApiRequest, *, round_number: int, sample: int, draw: int) -> str:
    """The text that is hashed and stored beside the answer; it holds the prompt's hash, not the prompt.

    Left out, because they cannot alter an answer: key, headers, time limits, concurrency, price, names, target mode, and
    `prompt_cache_key`.
    """
    form: dict[str, JsonValue] = {
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
    return canonical(form).decode("utf-8")


def fingerprint_of(canonical_text: str) -> str:
    """The fingerprint of a canonical request: 64 hex digits."""
    return hashlib.sha256(canonical_text.encode("utf-8")).hexdigest()
