"""The Responses API: OpenAI's newer one, with a typed list of output items."""

from stages.generate.apis.kind import (
    ApiKind,
    JsonObject,
    Output,
    object_of,
    objects_of,
    text_of,
)
from stages.shared.records.json_text import JsonValue
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.response import DrawRecord


class ResponsesApi(ApiKind):
    """`POST /responses`."""

    name = "responses"
    path = "/responses"
    batch_endpoint = "/v1/responses"
    caches_anywhere = True
    input_tokens_key = "input_tokens"
    output_tokens_key = "output_tokens"

    def settings(self, config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
        """Effort and the format of the text are objects of their own."""
        params = config.params
        settings: JsonObject = {}
        text: JsonObject = {}
        if params.reasoning_effort is not None:
            settings["reasoning"] = {"effort": params.reasoning_effort}
        if params.max_output_tokens is not None:
            settings["max_output_tokens"] = params.max_output_tokens
        if params.verbosity is not None:
            text["verbosity"] = params.verbosity
        if output_format is not None:
            text["format"] = output_format
        if text:
            settings["text"] = text
        return settings

    def schema_format(self, schema: JsonObject, *, strict: bool) -> JsonObject:
        """The schema is part of the format itself."""
        return {"type": "json_schema", "name": "draft_graph", "schema": schema, "strict": strict}

    def messages(self, instructions: str, text: str) -> JsonObject:
        """The user's message is sent as plain text."""
        return {"instructions": instructions, "input": text}

    def recognizes(self, body: JsonObject) -> bool:
        """A list `output` of objects."""
        items = body.get("output")
        return isinstance(items, list) and all(isinstance(item, dict) for item in items)

    def read_output(self, body: JsonObject) -> Output:
        """The text of the final answer's messages, or of all messages where none is marked so."""
        final_texts: list[str] = []
        texts: list[str] = []
        refusals: list[str] = []
        messages = [
            item for item in objects_of(body.get("output")) if item.get("type") == "message"
        ]
        for message in messages:
            for part in objects_of(message.get("content")):
                text = part.get("text")
                if part.get("type") == "refusal":
                    refusals.append(text_of(part.get("refusal")) or "")
                elif isinstance(text, str):
                    texts.append(text)
                    if message.get("phase") == "final_answer":
                        final_texts.append(text)
        cut_off: str | None = None
        if body.get("status") == "incomplete":
            details = object_of(body.get("incomplete_details"))
            cut_off = text_of(details.get("reason")) or "incomplete"
        return Output(
            raw_text="".join(final_texts or texts),
            refusal="\n".join(refusals) if refusals else None,
            cut_off=cut_off,
        )


def answer_body(record: DrawRecord) -> JsonObject:
    """A body that reads as a record of an answer does, whichever API gave that answer."""
    content: list[JsonValue] = []
    if record.raw_text:
        content.append({"type": "output_text", "text": record.raw_text})
    refused = record.failure_code == "refusal"
    if refused:
        content.append({"type": "refusal", "refusal": record.error_message or ""})
    cut_off = record.status in ("truncated", "refused") and not refused
    usage = record.usage
    return {
        "object": "response",
        "id": record.response_id,
        "model": record.answered_model,
        "service_tier": record.service_tier,
        "status": "incomplete" if cut_off else "completed",
        "incomplete_details": {"reason": record.failure_code} if cut_off else None,
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {
                "cached_tokens": usage.cached_tokens,
                "cache_write_tokens": usage.cache_write_tokens,
            },
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        },
    }
