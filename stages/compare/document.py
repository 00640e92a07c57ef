"""The comparison as JSON: every number unrounded, every record in full."""

from collections.abc import Sequence

import msgspec

from stages.compare.comparison import Comparison
from stages.compare.history import Step
from stages.compare.unmeasured import Unmeasured
from stages.contracts.json_text import pretty


def document(result: Comparison | Unmeasured | Sequence[Step | Comparison | Unmeasured]) -> bytes:
    """A JSON document with sorted keys; equal comparisons give equal bytes."""
    return pretty(msgspec.to_builtins(result, enc_hook=_settings))


def _settings(value: object) -> object:
    dumped = getattr(value, "model_dump", None)
    if dumped is None:
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return dumped(mode="json")
