"""What response files were made of, so that a file that still holds what it would be made into need not be made again."""

import hashlib
from collections.abc import Mapping

import msgspec

from stages.contracts.json_text import canonical
from stages.contracts.response import Status
from stages.generate.call import Answer
from stages.generate.plan.cell_plan import PlannedCell


class Trace(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a response that was written: the SHA-256 of its file, and what the closing lines count."""

    sha256: str
    status: Status
    simulated: bool


class Ingredients:
    """Names what the response of an answered cell is made of: equal names, equal bytes.

    Args:
        maker: Stands for the code that makes responses, and for whatever else they come from but the cell and its answers.
    """

    def __init__(self, maker: bytes) -> None:
        self._maker = maker
        self._begun: dict[str, hashlib._Hash] = {}

    def name(self, planned: PlannedCell, answers: Mapping[str, Answer]) -> str:
        """64 hex digits: the hash of the maker, the model's config and endpoint, the cell, and each of its answers whole."""
        begun = self._begun.get(planned.config.id)
        if begun is None:
            begun = hashlib.sha256(self._maker)
            endpoint = planned.request.endpoint.model_dump(mode="json")
            begun.update(canonical([planned.config.model_dump(mode="json"), endpoint]))
            self._begun[planned.config.id] = begun
        whole = begun.copy()
        whole.update(msgspec.msgpack.encode((planned.cell, [answers.get(key) for key in planned.fingerprints])))
        return whole.hexdigest()
