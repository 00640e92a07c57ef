"""The Responses API: OpenAI's newer one, with a typed list of output items."""

from collections.abc import Iterator

from stages.generate.apis.kind import (
    ApiKind,
    JsonObject,
    object_of,
    objects_of,
    text_of,
)
from stages.shared.records.model_config import ModelConfig


class ResponsesApi(ApiKind):
    """`POST /responses`."""

    name = "responses"
    path = "/responses"
    batch_endpoint = "/v1/responses"
    caches_anywhere = True

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

    def text(self, body: JsonObject) -> str:
        """The text of the final answer's messages, or of all messages where none is marked so."""
        texts = [(item.get("phase"), text_of(part.get("text"))) for item, part in _parts(body)]
        final = "".join(text or "" for phase, text in texts if phase == "final_answer")
        return final or "".join(text or "" for _, text in texts)

    def refusal(self, body: JsonObject) -> str | None:
        """In parts of their own, beside the text."""
        parts = [part for _, part in _parts(body) if part.get("type") == "refusal"]
        return "\n".join(text_of(part.get("refusal")) or "" for part in parts) if parts else None

    def cut_off(self, body: JsonObject) -> str | None:
        """The reason that an incomplete answer states."""
        if body.get("status") != "incomplete":
            return None
        details = object_of(body.get("incomplete_details"))
        return text_of(details.get("reason")) or "incomplete"


def _parts(body: JsonObject) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Every part of every message, with the message."""
    for item in objects_of(body.get("output")):
        if item.get("type") == "message":
            for part in objects_of(item.get("content")):
                yield item, part
