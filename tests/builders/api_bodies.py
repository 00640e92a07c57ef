"""The bodies of complete answers, as both APIs send them."""

from typing import Any


def response_body(text="{}", **changed) -> dict[str, Any]:
    """An answer of the Responses API with this text."""
    content = [{"type": "output_text", "text": text}]
    body = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": {"input_tokens": 3, "output_tokens": 5},
    }
    return body | changed


def completion_body(text="{}", **changed) -> dict[str, Any]:
    """An answer of Chat Completions with this text."""
    message = {"role": "assistant", "content": text}
    body = {
        "id": "chat_1",
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 5},
    }
    return body | changed
