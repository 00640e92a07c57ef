"""The seam between what decides about batches and the service that runs them."""

from collections.abc import AsyncGenerator
from typing import Literal, Protocol

import msgspec

from stages.contracts.model_config import Api

BatchStatus = Literal[
    "validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"
]
ENDED: frozenset[str] = frozenset({"failed", "completed", "expired", "cancelled"})
"""The statuses that nothing follows; all but `failed` may have answers."""

KEY = "graph_evaluator_key"
"""The name in a batch's metadata under which its idempotency key stands."""


class BatchView(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as the service shows it. `key` is ours, None when it is not a batch of this tool.

    `error_code` and `error_message` say why a batch failed as a whole; None otherwise.
    """

    id: str
    status: str
    key: str | None = None
    created_at: float | None = None
    input_file_id: str | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    completed: int = 0
    failed: int = 0
    total: int = 0
    error_code: str | None = None
    error_message: str | None = None

    @property
    def ended(self) -> bool:
        """True when nothing will change any more."""
        return self.status in ENDED


class BatchService(Protocol):
    """One endpoint's Batch API, called once per method call: no retry.

    Raises:
        CallFailed: from every method: the service did not do it, or it is not known whether it did.
    """

    async def upload(self, content: bytes) -> str:
        """The id of a new input file."""

    async def create(self, *, input_file_id: str, api: Api, key: str) -> BatchView:
        """A new batch over an input file, marked with `key`."""

    async def find(self, *, key: str, since: float) -> BatchView | None:
        """The batch that carries `key`, looked for among those made after `since` (Unix time, seconds)."""

    async def look(self, batch_id: str) -> BatchView:
        """A batch as it is now."""

    async def cancel(self, batch_id: str) -> BatchView:
        """Ask for an end; what is finished by then stays."""

    def lines(self, file_id: str) -> AsyncGenerator[bytes, None]:
        """The lines of an output or error file, as they come."""
