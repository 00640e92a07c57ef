"""The Chat Completions API, which most other servers speak: messages in, a list of choices out."""

from stages.generate.apis.kind import (
    OWN_URL,
    ApiKind,
    JsonObject,
    object_of,
    objects_of,
    text_of,
)
from stages.shared.records.model_config import ModelConfig

_CUT_OFF = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why an answer was cut off, in the words of the Responses API, by `finish_reason`."""


class ChatCompletionsApi(ApiKind):
    """`POST /chat/completions`."""

    name = "chat_completions"
    path = "/chat/completions"
    batch_endpoint = "/v1/chat/completions"
    caches_anywhere = False

    def settings(self, config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
        """Every setting is a key of the body."""
        params = config.params
        settings: JsonObject = {}
        if params.reasoning_effort is not None:
            settings["reasoning_effort"] = params.reasoning_effort
        if params.max_output_tokens is not None:
            settings[_output_bound_key(config)] = params.max_output_tokens
        if params.verbosity is not None:
            settings["verbosity"] = params.verbosity
        if output_format is not None:
            settings["response_format"] = output_format
        return settings

    def schema_format(self, schema: JsonObject, *, strict: bool) -> JsonObject:
        """The schema is an object of its own."""
        named: JsonObject = {"name": "draft_graph", "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": named}

    def messages(self, instructions: str, text: str) -> JsonObject:
        """The system prompt is the first message."""
        system: JsonObject = {"role": "system", "content": instructions}
        return {"messages": [system, {"role": "user", "content": text}]}

    def recognizes(self, body: JsonObject) -> bool:
        """A list `choices` that begins with a message."""
        match body:
            case {"choices": [{"message": {}}, *_]}:
                return True
        return False

    def text(self, body: JsonObject) -> str:
        """The content of the message, which is a text or a list of parts."""
        content = _message(body).get("content")
        if isinstance(content, str):
            return content
        texts = [text_of(part.get("text")) for part in objects_of(content)]
        return "".join(text for text in texts if text is not None)

    def refusal(self, body: JsonObject) -> str | None:
        """Beside the content."""
        return text_of(_message(body).get("refusal"))

    def cut_off(self, body: JsonObject) -> str | None:
        """By the reason for which the first choice finished."""
        return _CUT_OFF.get(str(objects_of(body.get("choices"))[0].get("finish_reason")))


def _message(body: JsonObject) -> JsonObject:
    """The message of the first choice."""
    return object_of(objects_of(body.get("choices"))[0].get("message"))


def _output_bound_key(config: ModelConfig) -> str:
    """OpenAI's newer models refuse `max_tokens`; some other servers know nothing else."""
    url = (config.base_url or OWN_URL).rstrip("/")
    elsewhere = config.provider == "openai" and url != OWN_URL
    return "max_tokens" if elsewhere else "max_completion_tokens"
