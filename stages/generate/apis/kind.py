"""What each kind of API has: its path, its settings, its request body, and the shape of its
answers.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from stages.shared.records.json_text import JsonObject as JsonObject
from stages.shared.records.json_text import JsonValue
from stages.shared.records.model_config import Api, ModelConfig
from stages.shared.records.response import Usage

OWN_URL = "https://api.openai.com/v1"
"""The provider's own address."""


class ApiKind(ABC):
    """One kind of API.

    `caches_anywhere`: servers at other addresses than the provider's own take a prompt cache key.
    """

    name: ClassVar[Api]
    path: ClassVar[str]
    batch_endpoint: ClassVar[str]
    caches_anywhere: ClassVar[bool]

    @abstractmethod
    def settings(self, config: ModelConfig, output_format: JsonObject | None) -> JsonObject:
        """The settings of a config that differ between APIs, as they are sent."""

    @abstractmethod
    def schema_format(self, schema: JsonObject, *, strict: bool) -> JsonObject:
        """The output format that asks for a draft graph by its JSON Schema."""

    @abstractmethod
    def messages(self, instructions: str, text: str) -> JsonObject:
        """The part of a request body that holds the system prompt and the user's message."""

    @abstractmethod
    def recognizes(self, body: JsonObject) -> bool:
        """Whether a body has the shape of this API's answers."""

    @abstractmethod
    def text(self, body: JsonObject) -> str:
        """What the model wrote, in a body of this API."""

    @abstractmethod
    def refusal(self, body: JsonObject) -> str | None:
        """What it says where it refuses."""

    @abstractmethod
    def cut_off(self, body: JsonObject) -> str | None:
        """Why the text ended early, in the words of the Responses API; None where it did not."""


_TOKEN_KEYS = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))
"""How each API names the tokens of an answer."""


def read_usage(reported: JsonObject) -> Usage:
    """The tokens in a `usage`, with the names of any API, in its details or beside them.

    A server that reports nothing but zeros has not counted.
    """
    for sent, written in _TOKEN_KEYS:
        input_tokens, output_tokens = count_of(reported.get(sent)), count_of(reported.get(written))
        if input_tokens or output_tokens:
            input_details = reported | object_of(reported.get(f"{sent}_details"))
            output_details = reported | object_of(reported.get(f"{written}_details"))
            return Usage(
                input_tokens=input_tokens,
                cached_tokens=count_of(input_details.get("cached_tokens")),
                cache_write_tokens=count_of(input_details.get("cache_write_tokens")),
                output_tokens=output_tokens,
                reasoning_tokens=count_of(output_details.get("reasoning_tokens")),
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


def count_of(value: JsonValue) -> int | None:
    """A number of tokens; None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 2**53 else None
