"""What a reply of any provider says: why the model stopped, the tokens, the error; and why a body
is not an answer.
"""

import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson
from graph_evaluator.records.model_config import Api
from graph_evaluator.records.response import Measured, Usage

LOOKED_AT = 2_000
"""Characters at the beginning of a body that its description is made of."""
LONGEST_EXCERPT = 80
_EVENT = re.compile(r"(?:data|event|id|retry)?:")
_TITLE = re.compile(r"<title[^<>]*>([^<>]*)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_USAGE = re.compile(r'"usage"\s*+:\s*+(?={)')
LONGEST_USAGE = 5_000
_PLACE = re.compile(r"Extra data: .*\(char ([0-9]+)\)")
_TOKEN_KEYS = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))
"""How each API names the tokens of an answer."""
Ending = Literal["finished", "truncated", "refused", "failed"]
"""How an answer ended; "failed" is the provider's own failure, which says nothing of the model."""
MAX_OUTPUT_TOKENS, CONTENT_FILTER = "max_output_tokens", "content_filter"
"""The codes of the two commonest reasons, whatever a provider calls them."""
MODERATION = "moderation"
_WORDS: dict[Ending, str] = {
    "finished": """
        stop end_turn stop_sequence complete completed done finish finished eos eos_token
        end_of_sequence end_of_text tool_calls tool_call tool_use function_call end word normal
        eos_found stop_string stop_string_found ok unset success succeeded
        status_code_ok status_code_unset
        """,
    "truncated": """
        length max_tokens max_output_tokens max_completion_tokens max_new_tokens token_limit limit
        model_length max_length context_length context_length_exceeded context_window_exceeded
        model_context_window_exceeded max_context_length error_limit length_limit time_limit
        not_finished incomplete pause_turn repetition truncated maximum_tokens output_limit
        max_predicted_tokens_reached context_length_reached max_context_length_exceeded
        """,
    "refused": """
        content_filter content_filtered safety refusal refused sensitive recitation blocklist
        sensitive_content_detected input_text_sensitive_content_detected
        prohibited_content spii image_safety language guardrail_intervened error_toxic blocked
        content_policy content_policy_violation moderation data_inspection_failed invalid_prompt
        responsible_ai_policy_violation model_armor image_prohibited_content content_blocked
        policy_violation safety_filter guardrail guardrails
        """,
    "failed": """
        error network_error abort aborted insufficient_system_resource failed failure cancelled
        canceled cancel user_cancel timeout timed_out server_error internal_error overloaded
        engine_overloaded malformed_model_output malformed_response load unload model_unloaded
        user_stopped interrupted preempted engine_error provider_error upstream_error rate_limit
        internal_server_error service_unavailable unavailable deadline_exceeded
        """,
}
"""The words of providers and of log formats.

Sources: the API references of OpenAI, Azure, Anthropic, Google (Gemini), Mistral, Cohere, Amazon
Bedrock, DeepSeek, Zhipu, AI21, Together, OpenRouter and IBM watsonx, of the servers vLLM, SGLang,
llama.cpp, Ollama, LM Studio and Text Generation Inference, and of the Vercel AI SDK.
"""
_NOT_LETTERS = re.compile("[^a-z]+")
_PREFIX = "finishreason"


def plain_word(word: str) -> str:
    """A word whatever its spelling: MAX_TOKENS, maxTokens and FinishReason.MAX_TOKENS are one."""
    return _NOT_LETTERS.sub("", word.lower()).removeprefix(_PREFIX)


_ENDINGS = {plain_word(word): ending for ending, words in _WORDS.items() for word in words.split()}
_OF_LENGTH = """
    length max_tokens max_output_tokens max_completion_tokens max_new_tokens token_limit limit
    max_length length_limit
    """
_CODES = {plain_word(word): MAX_OUTPUT_TOKENS for word in _OF_LENGTH.split()} | {
    plain_word(word): CONTENT_FILTER for word in ("content_filter", "content_filtered", "safety")
}
LONGEST_REASON = 100


def ending_of(reason: str | None) -> Ending | None:
    """How an answer ended by the reason that a provider gives, or a log; None for a reason that is
    not known. An answer without one is finished.

    >>> ending_of("MAX_TOKENS"), ending_of("network-error"), ending_of("content_filter: SAFETY")
    ('truncated', 'failed', 'refused')
    >>> ending_of("vibes")
    """
    if not reason:
        return "finished"
    word = plain_word(reason[:LONGEST_REASON].partition(":")[0])
    return _ENDINGS.get(word)


def code_of(reason: str) -> str:
    """The code of a known reason that is no end: one code for the bound on the output and one for
    the content filter, else the provider's own word.

    >>> code_of("length"), code_of("RECITATION")
    ('max_output_tokens', 'recitation')
    """
    word = reason[:LONGEST_REASON].partition(":")[0]
    return _CODES.get(plain_word(word)) or word.strip().lower()


@dataclass(eq=False)
class NoAnswer(Exception):
    """A body that is not an answer, or says that it failed: `error` is the provider's error object,
    `measured` what the body reports all the same.
    """

    code: str
    message: str
    error: JsonValue = None
    measured: Measured | None = None


def not_json(received: str, fault: NotJson) -> NoAnswer:
    """A body that is not JSON.

    >>> not_json("data: {}", NotJson("Expecting value")).message
    'an event stream (text/event-stream) instead of an answer'
    >>> not_json("<html><title>Sign in</title>", NotJson("Expecting value")).message
    'an HTML page instead of an answer: "Sign in"'
    """
    start = received.lstrip()[:LOOKED_AT]
    trailing = _PLACE.match(str(fault))
    if not start:
        return NoAnswer("empty_body", "an empty body")
    if _EVENT.match(start):
        return NoAnswer("event_stream", "an event stream (text/event-stream) instead of an answer")
    if start.startswith("<"):
        title = _TITLE.search(start)
        page = title[1] if title else _TAG.sub(" ", start)
        return NoAnswer("html", f"an HTML page instead of an answer: {_excerpt(page)}")
    if trailing:
        rest = _excerpt(received[int(trailing[1]) :])
        return NoAnswer("not_json", f"JSON with other text after it: {rest}")
    if start[0] in "{[":
        return NoAnswer("not_json", f"JSON that cannot be read ({fault})")
    return NoAnswer("not_json", f"a text instead of an answer: {_excerpt(start)}")


def wrong_shape(record: JsonObject, measured: Measured) -> NoAnswer:
    """JSON that is not an answer of any known API."""
    what = f"JSON with the keys {_excerpt(', '.join(record))}" if record else "no JSON object"
    if "choices" in record and not record["choices"]:
        what = "no choices"
    message = f"{what} instead of an answer of these APIs: {', '.join(get_args(Api))}"
    return NoAnswer("wrong_shape", message, measured=measured)


def error_fields(body: JsonValue) -> JsonObject:
    """The fields of a provider's error in any of the usual shapes; it may be the first of a list.

    >>> error_fields([{"error": {"code": 429}}]), error_fields({"code": 7, "error": "no credit"})
    ({'code': 429}, {'code': 7, 'error': 'no credit', 'message': 'no credit'})
    """
    record = _first(body)
    if not isinstance(record, dict):
        return {"message": record}
    error = _first(record.get("error") or record.get("errors"))
    if isinstance(error, dict):
        return error_fields(error)
    return record | {"message": error} if error else record


def _first(value: JsonValue) -> JsonValue:
    return value[0] if isinstance(value, list) and value else value


def stated_usage(received: str) -> Usage:
    """The last usage that is in a body which cannot be read as a whole, such as an event stream.

    >>> stated_usage('data: {"usage": {"prompt_tokens": 3, "total_tokens": 9}} [DO').output_tokens
    6
    """
    ends = [match.end() for match in _USAGE.finditer(received)]
    with suppress(ValueError, RecursionError):
        text = received[ends[-1] : ends[-1] + LONGEST_USAGE] if ends else ""
        return read_usage(object_of(json.JSONDecoder().raw_decode(text)[0]))
    return Usage()


def _excerpt(text: str) -> str:
    """The beginning of a text as one line, in quotes."""
    line = " ".join(text[:LOOKED_AT].split())
    shown = line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"
    return f'"{shown}"'


def read_usage(reported: JsonObject) -> Usage:
    """The tokens in a `usage`, with the names of any API, in its details or next to them.

    A server that reports nothing but zeros has not counted, nor has one that reports no input. What
    a total has above input and output is output: some providers count reasoning there alone.
    """
    for sent, written in _TOKEN_KEYS:
        input_tokens = count_of(reported.get(sent)) or None
        output_tokens = count_of(reported.get(written))
        if input_tokens or output_tokens:
            input_details = reported | object_of(reported.get(f"{sent}_details"))
            output_details = reported | object_of(reported.get(f"{written}_details"))
            reasoning_tokens = count_of(output_details.get("reasoning_tokens"))
            total_tokens = count_of(reported.get("total_tokens"))
            output = output_tokens or 0
            if input_tokens is not None and total_tokens is not None:
                output = max(output, total_tokens - input_tokens)
            if (reasoning_tokens or 0) > output:  # the provider counts it separately
                output += reasoning_tokens or 0
            return Usage(
                input_tokens=input_tokens,
                cached_tokens=count_of(input_details.get("cached_tokens")),
                cache_write_tokens=count_of(input_details.get("cache_write_tokens")),
                output_tokens=output or output_tokens,
                reasoning_tokens=reasoning_tokens,
            )
    return Usage()


def object_of(value: JsonValue) -> JsonObject:
    """The object that a value is; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: JsonValue) -> list[JsonObject]:
    """The objects in a list; none for anything else."""
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict)]


def text_of(value: JsonValue) -> str | None:
    """The text that a value is; None for an empty one, and for anything else."""
    return value if isinstance(value, str) and value else None


def number_of(value: JsonValue) -> float | None:
    """A finite number from 0, also one in a text; None for anything else."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def count_of(value: JsonValue) -> int | None:
    """A number of tokens; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 else None
