"""An error of the API: what the client is told instead of an answer."""

import msgspec

from stages.contracts.json_text import JsonValue


class ApiError(msgspec.Struct, frozen=True, kw_only=True):
    """The HTTP status, the fields of the error body, and what the headers add."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def body(self) -> JsonValue:
        """The body as the API words it: `{"error": {"message", "type", "param", "code"}}`."""
        return {"error": {"message": self.message, "type": self.type, "param": self.param, "code": self.code}}


class Rejected(Exception):
    """The request cannot be served; `error` is what to answer."""

    def __init__(self, error: ApiError) -> None:
        self.error = error
        super().__init__(error.message)


def rejected(message: str, *, code: str | None = None, param: str | None = None, status: int = 400) -> Rejected:
    """The rejection of a bad request."""
    return Rejected(ApiError(status=status, message=message, code=code, param=param))
