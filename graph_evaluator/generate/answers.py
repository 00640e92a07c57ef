"""Reads the body of a reply as an `Answer`: text, tokens, and the graph or why there is none. Finds
the JSON in the text, and brings the answer to a strict schema into the ordinary draft-graph form.
"""

import re
from contextlib import suppress

from graph_evaluator.generate.apis import API_KINDS, Said
from graph_evaluator.generate.plan.call import Call, address
from graph_evaluator.generate.replies import (
    CONTENT_FILTER,
    MAX_OUTPUT_TOKENS,
    MODERATION,
    NoAnswer,
    code_of,
    ending_of,
    error_fields,
    not_json,
    object_of,
    objects_of,
    read_usage,
    text_of,
    wrong_shape,
)
from graph_evaluator.records.json_text import MAX_LEVELS, JsonObject, JsonValue, NotJson, parse
from graph_evaluator.records.response import Answer, ExtractionMethod, Measured, Status

REASONING_IN_TEXT = (
    "the text holds the model's reasoning (<think>): turn on the server's reasoning parser "
    "(vLLM and SGLang: --reasoning-parser; llama.cpp: --reasoning-format deepseek)"
)
_WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space in the sense of ECMAScript, byte order mark included: what is trimmed around an
answer.
"""
_FENCED = re.compile(r"```(?:json)?(.*)```", re.DOTALL | re.IGNORECASE | re.ASCII)
NODE_NULLS = frozenset(
    [
        "category",
        "data",
        "prior",
        "goal_threshold",
        "goal_threshold_raw",
        "goal_threshold_unit",
        "goal_threshold_cap",
    ]
)
DATA_NULLS = frozenset(["interventions", "value", "raw_value", "unit", "cap", "extractionType"])
CLAIM_NULLS = frozenset(["from", "to", "stated_strength", "between", "explanation"])
"""The keys of a node, of its `data` and of a causal claim that the schema fills with null where
they do not apply.
"""
_LONGEST_PATH = 200
_LOOKED_AT = 5_000
_REFUSAL = re.compile(
    "content (?:exists risk|violates|(?:filtering|management) policy)|contentpolicyviolation|"
    "unsafe or sensitive content|不安全或敏感",
    re.IGNORECASE,
)
"""How DeepSeek, xAI, Anthropic, Azure, LiteLLM and Zhipu refuse under a code that says less."""
END_OF_STREAM = "data: [DONE]"
"""What some servers send after an answer that they do not stream."""
FAILED = "failed"
"""The code of an answer that ended by the provider's own failure."""


def read_answer(
    received: str,
    call: Call | None = None,
    *,
    latency_ms: float | None,
    attempts: int,
    created_at: str | None,
    in_batch: bool = False,
    has_just_arrived: bool = False,
    stated_usd: float | None = None,
) -> Answer:
    """The answer in the body of a reply of any API; its shape shows which API it is. One that has
    just arrived by a flex call has no latency: such calls wait in a queue.

    Raises:
        NoAnswer: there is none.

    >>> body = '{"choices": [{"message": {"content": "Hello"}}]} data: [DONE]'
    >>> read_answer(body, latency_ms=None, attempts=1, created_at=None).raw_text
    'Hello'
    """
    try:
        value = parse(received.rstrip().removesuffix(END_OF_STREAM))
    except NotJson as fault:
        raise not_json(received, fault) from None
    record = _record_in(value)
    reported_tier = text_of(record.get("service_tier"))
    tier = reported_tier or (call.planned.settings.get("service_tier") if call else None)
    is_queued = has_just_arrived and tier == "flex"
    measured = Measured(
        usage=read_usage(object_of(record.get("usage"))),
        # A batch is a service tier, whatever the body says.
        service_tier="batch" if in_batch else reported_tier,
        answered_model=text_of(record.get("model")),
        response_id=text_of(record.get("id")),
        latency_ms=None if is_queued else latency_ms,
        attempts=attempts,
        created_at=created_at,
        endpoint=address(call.endpoint) if call else None,
        stated_usd=stated_usd,
    )
    return answer_of(_said_in(record, measured), measured, call, received=received)


def _record_in(value: JsonValue) -> JsonObject:
    """The object of a body; that of an error may be the one entry of a list."""
    if isinstance(value, list):
        (first,) = objects_of(value)[:1] or [{}]
        return first if "error" in first else {}
    return object_of(value)


def _said_in(record: JsonObject, measured: Measured) -> Said:
    """What the model said, by the object of a body; an error that refuses the prompt counts as a
    refusal of the model.
    """
    readings = filter(None, (kind.said(record) for kind in API_KINDS.values()))
    said, status = next(readings, None), record.get("status")
    error = record if record.get("error") or record.get("errors") else None
    if said is None and any(text_of(record.get(key)) for key in ("message", "msg", "detail")):
        error = record
    is_complete = said is not None and said.text and (said.reason or status == "completed")
    refusal = refusal_in(error or (said.error if said else None))
    if refusal is not None and not is_complete:
        return Said("", reason=refusal)
    if status in ("failed", "cancelled") or (error and not is_complete):
        stated = error_fields(error)
        code = text_of(stated.get("code")) or text_of(status) or FAILED
        message = text_of(stated.get("message")) or f"the call {code}"
        raise NoAnswer(code, message, error, measured)
    if said is None:
        raise wrong_shape(record, measured)
    if status in ("queued", "in_progress"):
        message = f'an answer with the status "{status}"'
        raise NoAnswer("unfinished", message, measured=measured)
    if said.error or ending_of(said.reason) == "failed":
        message = f"the provider ended the answer with {said.reason or 'an error'}"
        raise NoAnswer(FAILED, message, said.error, measured)
    return said


def refusal_in(error: JsonValue) -> str | None:
    """The word of a provider's error by which it refuses a prompt; None for any other error."""
    fields = error_fields(error)
    text = f"{fields.get('message')} {fields.get('metadata')}"
    if _REFUSAL.search(text[:_LOOKED_AT]):
        return CONTENT_FILTER
    if "flagged_input" in object_of(fields.get("metadata")):  # OpenRouter
        return MODERATION
    inner = object_of(fields.get("innererror"))
    words = [
        text_of(value) for value in (fields.get("code"), inner.get("code"), fields.get("type"))
    ]
    refusals = (word for word in words if word and ending_of(word) == "refused")
    return next(refusals, None)


def read_again(answer: Answer, call: Call | None = None) -> Answer:
    """An answer whose body is not known, as a file has it, read by today's rules."""
    is_refusal = answer.failure_code == "refusal"
    ended_early = answer.status in ("truncated", "refused") and not is_refusal
    said = Said(
        answer.raw_text or "",
        refusal=answer.error_message or "" if is_refusal else None,
        reason=answer.failure_code if ended_early else None,
    )
    return answer_of(said, answer.measured, call)


def answer_of(
    said: Said, measured: Measured, call: Call | None = None, *, received: str | None = None
) -> Answer:
    """The answer that a model gave: never raises, whatever it wrote.

    It is read as the `call` that it answers asks for: without JSON, and with an output that reached
    the most that is asked for, it is truncated, whatever the server calls it; one to a schema is
    brought into the ordinary form.
    """
    parsed, method = extract(said.text)
    output_tokens = measured.usage.output_tokens or 0
    is_full = call is not None and output_tokens >= call.planned.most_output_tokens
    status, code, message = _outcome(said, has_json=parsed is not None, is_full=is_full)
    graph = parsed if status == "success" else None
    warnings: list[str] = []
    if ending_of(said.reason) is None:
        warnings.append(f'the model stopped for an unknown reason: "{said.reason}"')
    is_in_part = method != "direct" and "</think" in said.text
    if is_in_part or said.text.lstrip().startswith("<think"):
        warnings.append(REASONING_IN_TEXT)
    if call is not None and call.planned.schema is not None:
        place = departure(graph, call.planned.schema) if status == "success" else None
        if place is not None:
            message_of_place = "the answer does not follow the schema that was sent, first at"
            warnings.append(f"{message_of_place} {place}")
    return Answer(
        fingerprint=call.fingerprint if call else None,
        status=status,
        raw_text=said.text,
        failure_code=code,
        error_message=message,
        measured=measured,
        graph=ordinary_form(graph),
        extraction_method=method if code in (None, "no_json") else None,
        warnings=tuple(warnings),
        received=received,
    )


def _outcome(said: Said, *, has_json: bool, is_full: bool) -> tuple[Status, str | None, str | None]:
    """The status of an answer; of one that is no success the code and a sentence that say why."""
    if said.refusal is not None:
        return "refused", "refusal", said.refusal
    ending, reason = ending_of(said.reason), said.reason or ""
    if ending == "refused":
        return "refused", code_of(reason), "the provider's content filter stopped the answer"
    if ending == "truncated":
        return "truncated", code_of(reason), f"the answer was cut off: {code_of(reason)}"
    if has_json:
        return "success", None, None
    if is_full:
        return "truncated", MAX_OUTPUT_TOKENS, f"the answer was cut off: {MAX_OUTPUT_TOKENS}"
    why = "" if ending else f'; it ended with the unknown reason "{said.reason}"'
    if not said.text.strip():
        return "parse_failed", "empty_output", f"the answer is empty{why}"
    return "parse_failed", "no_json", f"no JSON can be extracted from the answer{why}"


def extract(text: str) -> tuple[JsonValue, ExtractionMethod | None]:
    r"""The JSON value in the text of an answer, and how it was found. Never raises.

    The text is trimmed and read. Failing that, and if the whole of it is one code fence (tagged
    `json` in any case, or not tagged), the content of the fence is read. Failing that, the text
    from the first `{` to the last `}`. The value is None when there is none, and when it is
    `null`: either way there is nothing to score.

    >>> extract('```json\n{"nodes": []}\n```')
    ({'nodes': []}, 'stripped_fence')
    >>> extract("I cannot help with that.")
    (None, None)
    """
    trimmed = text.strip(_WHITE_SPACE)
    fenced, start, end = _FENCED.fullmatch(trimmed), trimmed.find("{"), trimmed.rfind("}")
    candidates: tuple[tuple[ExtractionMethod, str | None], ...] = (
        ("direct", trimmed),
        ("stripped_fence", fenced[1].strip(_WHITE_SPACE) if fenced else None),
        ("bracketed", trimmed[start : end + 1] if 0 <= start < end else None),
    )
    for method, candidate in candidates:
        if candidate is None:
            continue
        with suppress(NotJson):
            # The response file that contains it has one level more.
            return parse(candidate, levels=MAX_LEVELS - 1), method
    return None, None


def departure(value: JsonValue, schema: dict[str, JsonValue]) -> str | None:
    """The path of the first place at which a value does not follow a schema; None when it follows
    it.
    """
    from jsonschema import Draft202012Validator  # takes a while, and few runs send a schema

    error = next(Draft202012Validator(schema).iter_errors(value), None)
    return str(error.json_path)[:_LONGEST_PATH] if error else None


def ordinary_form(answer: JsonValue) -> JsonValue:
    """A structured answer as an ordinary draft graph; an answer in any other form is returned
    unchanged.

    A strict schema (`prompts/draft_graph.schema.json`) has no free and no optional keys. So
    interventions that are a list of `{"factor_id", "value"}` pairs, and of nothing else, become a
    map; the last value of a repeated factor counts, as it does for a repeated key in JSON. Nulls
    are removed where the schema puts them for "does not apply", and nowhere else. Applying it twice
    gives the same as applying it once.

    >>> effect = {"factor_id": "fac_p", "value": 0.4}
    >>> ordinary_form({"nodes": [{"data": {"interventions": [effect]}, "prior": None}]})
    {'nodes': [{'data': {'interventions': {'fac_p': 0.4}}}]}
    >>> ordinary_form("no graph")
    'no graph'
    """
    if not isinstance(answer, dict):
        return answer
    changed: dict[str, JsonValue] = dict(answer)
    nodes, claims = answer.get("nodes"), answer.get("causal_claims")
    if isinstance(nodes, list):
        changed["nodes"] = [_node(node) for node in nodes]
    if isinstance(claims, list):
        changed["causal_claims"] = [_without_nulls(claim, CLAIM_NULLS) for claim in claims]
    return changed


def _node(node: JsonValue) -> JsonValue:
    changed = _without_nulls(node, NODE_NULLS)
    if isinstance(changed, dict) and isinstance(changed.get("data"), dict):
        data = _without_nulls(changed["data"], DATA_NULLS)
        if isinstance(data, dict) and "interventions" in data:
            data["interventions"] = _interventions(data["interventions"])
        changed["data"] = data
    return changed


def _interventions(value: JsonValue) -> JsonValue:
    mapped: dict[str, JsonValue] = {}
    for pair in value if isinstance(value, list) else [None]:
        match pair:
            case {"factor_id": str(factor), "value": effect, **others} if not others:
                mapped[factor] = effect
            case _:
                return value
    return mapped


def _without_nulls(value: JsonValue, nullable: frozenset[str]) -> JsonValue:
    if not isinstance(value, dict):
        return value
    return {key: entry for key, entry in value.items() if entry is not None or key not in nullable}
