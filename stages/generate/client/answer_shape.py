"""Whether an HTTP 200 body is an answer of the API at all; what it says is read elsewhere."""

import orjson

from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.model_config import Api
from stages.generate.caller import Fault
from stages.generate.pace.failures import of_failed_response, unusable_body

_UNFINISHED = frozenset({"queued", "in_progress", "cancelled"})


def tokens_or_fault(api: Api, body: str) -> int | Fault | None:
    """The tokens that an answer says it used (None when it does not say), or the fault when the body is no answer."""
    if not body.strip():
        return unusable_body("empty_body", "HTTP 200 with an empty body")
    try:
        value = _loads(body)
    except NotJson as error:
        looks = "HTML" if body.lstrip()[:1] == "<" else "no JSON"
        return unusable_body("not_json", f"HTTP 200 with a body that is {looks} ({error})")
    if not isinstance(value, dict):
        return unusable_body("wrong_shape", f"HTTP 200 with JSON that is no object but {type(value).__name__}")
    failed = value.get("status") == "failed" or ("output" not in value and "choices" not in value)
    if failed and value.get("error"):
        return of_failed_response(value["error"])
    if value.get("status") in _UNFINISHED:
        return unusable_body("unfinished", f'HTTP 200 with an answer whose status is "{value["status"]}"')
    if not (_is_response(value) if api == "responses" else _is_completion(value)):
        wanted = "a list `output`" if api == "responses" else "a list `choices` with a `message`"
        return unusable_body("wrong_shape", f"HTTP 200 with JSON that is no answer of this API: it has not {wanted}")
    usage = value.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) and not isinstance(total, bool) and total >= 0 else None


def _loads(body: str) -> JsonValue:
    try:
        value: JsonValue = orjson.loads(body)
    except ValueError:  # orjson is stricter: lone surrogates, for instance, do come in cut-off answers
        return parse(body)
    return value


def _is_response(value: dict[str, JsonValue]) -> bool:
    output = value.get("output")
    return isinstance(output, list) and all(isinstance(item, dict) for item in output)


def _is_completion(value: dict[str, JsonValue]) -> bool:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)
