"""The Files and Batch APIs, in memory: a batch is complete when it has been created."""

import hashlib

from stages.contracts.json_text import JsonValue, canonical
from stages.simulate.faults import call_failure
from stages.simulate.reply import answered
from stages.simulate.request import CHAT, RESPONSES, ApiError, JsonObject, inside, json_object, read_request

_CREATED_AT = 1_767_603_600
_LAST_ATTEMPT = 3


class BatchStore:
    """Files and batches by id. `find` gives either; all methods raise ApiError as the API would."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, JsonObject] = {}

    def add_file(self, content: bytes) -> JsonObject:
        """Keep a file under the hash of its content; gives its description."""
        file_id = f"file-{hashlib.sha256(content).hexdigest()[:24]}"
        self.files[file_id] = content
        return {
            "id": file_id, "object": "file", "bytes": len(content), "created_at": _CREATED_AT, "filename": "batch.jsonl",
            "purpose": "batch", "status": "processed",
        }  # fmt: skip

    def add_batch(self, body: JsonObject) -> JsonObject:
        """Answer every line of the input file that the body of POST /v1/batches names."""
        endpoint, source = body.get("endpoint"), str(body.get("input_file_id"))
        if endpoint not in (RESPONSES, CHAT) or source not in self.files:
            wrong = "input_file_id" if endpoint in (RESPONSES, CHAT) else "endpoint"
            raise ApiError(400, "invalid_value", f"Invalid value for '{wrong}'.", param=wrong)
        lines = [_answered(line, str(endpoint)) for line in self.files[source].splitlines() if line.strip()]
        good = [line for line in lines if inside(line, "response")["status_code"] == 200]
        bad = [line for line in lines if line not in good]
        batch_id = f"batch_{len(self.batches) + 1}"
        self.batches[batch_id] = {
            "id": batch_id, "object": "batch", "endpoint": endpoint, "errors": None, "input_file_id": source,
            "completion_window": "24h", "status": "completed", "metadata": body.get("metadata"), "created_at": _CREATED_AT,
            "completed_at": _CREATED_AT, "output_file_id": self._lines_file(good), "error_file_id": self._lines_file(bad),
            "request_counts": {"total": len(lines), "completed": len(good), "failed": len(bad)},
        }  # fmt: skip
        return self.batches[batch_id]

    def _lines_file(self, lines: list[JsonObject]) -> JsonValue:
        return self.add_file(b"".join(canonical(line) + b"\n" for line in lines))["id"] if lines else None


def _answered(line: bytes, endpoint: str) -> JsonObject:
    asked, digest = json_object(line), hashlib.sha256(line).hexdigest()
    try:
        request = read_request(canonical(asked.get("body")), endpoint)
        failure = call_failure(request, _LAST_ATTEMPT)
        if failure is not None:
            raise (
                failure if isinstance(failure, ApiError) else ApiError(500, None, "Not answered.", kind="server_error")
            )
        status, body = 200, answered(request, endpoint).body
    except ApiError as error:
        status, body = error.status, error.body
    response: JsonObject = {"status_code": status, "request_id": f"req_{digest[:32]}", "body": body}
    return {"id": f"batch_req_{digest[:24]}", "custom_id": asked.get("custom_id"), "response": response, "error": None}
