"""A scorecard as one line of JSON, in UTF-8, with its keys in the order of the record."""

import msgspec

from stages.contracts.json_text import canonical
from stages.contracts.scorecard import Scorecard

_encoder = msgspec.json.Encoder()


def scorecard_line(scorecard: Scorecard) -> bytes:
    """The line, newline included; equal scorecards give equal bytes, and every double reads back to the last bit."""
    try:
        return _encoder.encode(scorecard) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate in an id: only an escape can carry it
        return canonical(msgspec.to_builtins(scorecard)) + b"\n"
