"""The kinds of API that models are called through: path, settings and request body of each, and the
shape of its answers. A new one is a class here, and an entry in `API_KINDS`.

`caches_anywhere`: servers at other addresses than the provider's own take a prompt cache key.
`settings` are those of a config that differ between APIs, as they are sent. `said` is None for a
body of another shape.
"""

from typing import NamedTuple

from graph_evaluator.generate.replies import (
    LONGEST_REASON,
    ending_of,
    object_of,
    objects_of,
    text_of,
)
from graph_evaluator.records.json_text import JsonObject, JsonValue
from graph_evaluator.records.model_config import Api, ModelConfig

OWN_URL = "https://api.openai.com/v1"
"""The provider's own address."""
INCOMPLETE = "incomplete"
"""The status of an answer of the Responses API that ended early."""
_REASONING = ("reasoning", "thinking")


class Said(NamedTuple):
    """What a model wrote, by the body of an API. `refusal` is what it says when it refuses,
    `reason` why it stopped, in the provider's word; `error` is one that came after a part of the
    text.
    """

    text: str
    refusal: str | None = None
    reason: str | None = None
    error: JsonValue = None


class ChatCompletionsApi:
    """`POST /chat/completions`, which most other servers speak: messages in, a list of choices
    out.
    """

    path = "/chat/completions"
    caches_anywhere = False

    def settings(self, config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
        """Every setting is a key of the body."""
        params = config.params
        url = (config.base_url or OWN_URL).rstrip("/")
        # OpenAI's newer models refuse `max_tokens`; some other servers know nothing else.
        is_elsewhere = config.provider == "openai" and url != OWN_URL
        settings: JsonObject = {
            "reasoning_effort": params.reasoning_effort,
            "max_tokens" if is_elsewhere else "max_completion_tokens": params.max_output_tokens,
            "verbosity": params.verbosity,
            "response_format": output_format,
        }
        return stated(settings)

    def schema_format(self, schema: JsonObject, *, strict: bool) -> JsonObject:
        """The schema is an object of its own."""
        named: JsonObject = {"name": "draft_graph", "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": named}

    def messages(self, instructions: str, text: str) -> JsonObject:
        """The system prompt is the first message."""
        system: JsonObject = {"role": "system", "content": instructions}
        return {"messages": [system, {"role": "user", "content": text}]}

    def said(self, body: JsonObject) -> Said | None:
        """The first choice has a message, whose content is a text or a list of parts; parts with
        reasoning do not count. A choice that ended early may have no message.
        """
        choice = next(iter(objects_of(body.get("choices"))), {})
        message, reason = choice.get("message"), _reason(choice.get("finish_reason"))
        ended_early = ending_of(reason) not in ("finished", None)
        if message is None and ended_early and not {"text", "delta"} & choice.keys():
            message = {}
        if not isinstance(message, dict):
            return None
        content = message.get("content")
        parts = [part for part in objects_of(content) if part.get("type") not in _REASONING]
        return Said(
            text=content if isinstance(content, str) else _joined(parts, "text"),
            refusal=text_of(message.get("refusal")),
            reason=reason,
            error=choice.get("error"),
        )


class ResponsesApi:
    """`POST /responses`, OpenAI's newer one, with a typed list of output items."""

    path = "/responses"
    caches_anywhere = True

    def settings(self, config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
        """Effort and the format of the text are objects of their own."""
        params = config.params
        settings: JsonObject = {
            "reasoning": stated({"effort": params.reasoning_effort}) or None,
            "max_output_tokens": params.max_output_tokens,
            "text": stated({"verbosity": params.verbosity, "format": output_format}) or None,
        }
        return stated(settings)

    def schema_format(self, schema: JsonObject, *, strict: bool) -> JsonObject:
        """The schema is part of the format itself."""
        return {"type": "json_schema", "name": "draft_graph", "schema": schema, "strict": strict}

    def messages(self, instructions: str, text: str) -> JsonObject:
        """The user's message is sent as plain text."""
        return {"instructions": instructions, "input": text}

    def said(self, body: JsonObject) -> Said | None:
        """The text of the messages in the list `output`. If some parts are marked as the final
        answer, only their text counts.
        """
        items = body.get("output")
        if not isinstance(items, list) or len(objects_of(items)) < len(items):
            return None
        messages = [item for item in objects_of(items) if item.get("type") == "message"]
        final = [message for message in messages if message.get("phase") == "final_answer"]
        parts = [part for item in final or messages for part in objects_of(item.get("content"))]
        refusals = [part for part in parts if part.get("type") == "refusal"]
        reason = None
        if body.get("status") == INCOMPLETE:
            reason = _reason(object_of(body.get("incomplete_details")).get("reason"))
            if reason is None or ending_of(reason) in (None, "finished"):
                reason = f"{INCOMPLETE}: {reason}"
        return Said(
            text=_joined(parts, "text"),
            refusal=_joined(refusals, "refusal") if refusals else None,
            reason=reason,
        )


ApiKind = ChatCompletionsApi | ResponsesApi
API_KINDS: dict[Api, ApiKind] = {
    "chat_completions": ChatCompletionsApi(),
    "responses": ResponsesApi(),
}
"""The kinds of API by the name that a model config states; the first whose shape a body has reads
it.
"""


def _reason(value: JsonValue) -> str | None:
    """The beginning of a reason; None where none is given."""
    return (text_of(value) or "")[:LONGEST_REASON] or None


def _joined(parts: list[JsonObject], key: str) -> str:
    """The texts of these parts."""
    return "".join(text_of(part.get(key)) or "" for part in parts)


def stated(settings: JsonObject) -> JsonObject:
    """The settings that a config states."""
    return {name: value for name, value in settings.items() if value is not None}
