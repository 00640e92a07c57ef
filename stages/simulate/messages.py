"""Messages of a request: who says what."""

from stages.contracts.json_text import JsonValue
from stages.simulate.api_error import rejected


def read_messages(messages: list[JsonValue], name: str) -> tuple[str, str]:
    """What the developer and system messages say, and what the others say; `name` is the parameter's, for errors.

    Raises:
        Rejected: a message has no known role or no text.
    """
    system: list[str] = []
    said: list[str] = []
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(message, dict) or role not in ("system", "developer", "user", "assistant"):
            where = f"{name}[{index}].role"
            raise rejected(f"Invalid value for '{where}'.", code="invalid_value", param=where)
        (system if role in ("system", "developer") else said).append(
            _content(message.get("content"), f"{name}[{index}]")
        )
    return "\n".join(system), "\n".join(said)


def _content(content: JsonValue, where: str) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise rejected(f"Invalid value for '{where}.content'.", code="invalid_value", param=f"{where}.content")
    return "".join(str(text) for text in texts)
