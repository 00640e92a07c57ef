"""Facts beside an answer, in any tool's spelling: numbers, times, token counts, why it ended."""

import datetime
import math
import re

from stages.commands.ingest.unwrapping import KEYS, STOPS, opened
from stages.generate.apis.kind import count_of, object_of
from stages.shared.records.json_text import JsonObject, JsonValue
from stages.shared.records.response import Usage

_LAST_SECOND = 1e11
"""Times beyond are in a smaller unit: in the year 5138 seconds are as many."""


def read_stop(reason: JsonValue) -> str | None:
    """Why an answer was cut off; None where it was not, as far as is known."""
    words = re.findall(r"\w+", str(reason).casefold())
    return next((STOPS[word] for word in words if word in STOPS), None)


def read_number(value: JsonValue) -> float | None:
    """A finite number from 0, which a table has as a text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def read_seconds(value: JsonValue) -> float | None:
    """A time in seconds since 1970: ISO 8601, or a number of seconds or of a smaller unit."""
    number = read_number(value)
    if number is None:
        try:
            time = datetime.datetime.fromisoformat(str(value))
        except ValueError:
            return None
        number = time.replace(tzinfo=time.tzinfo or datetime.UTC).timestamp()
    while number > _LAST_SECOND:
        number /= 1000
    return number if number > 0 else None


def read_utc_text(value: JsonValue) -> str | None:
    """A time as ISO 8601 in UTC."""
    seconds = read_seconds(value)
    if seconds is None:
        return None
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_usage(value: JsonValue) -> JsonObject | None:
    """Token counts from the spelling of any API."""
    reported = object_of(opened(value))
    details = [object_of(entry) for key, entry in reported.items() if key.endswith("details")]
    numbers = {key: entry for owner in (reported, *details) for key, entry in owner.items()}
    counts: dict[str, int | None] = {}
    for name in Usage.model_fields:
        values = [count_of(read_number(numbers.get(key))) for key in KEYS[name]]
        counts[name] = next((count for count in values if count is not None), None)
    read, written = counts["input_tokens"], counts["output_tokens"]
    if not read and not written:
        return None
    if read and {"cache_read_input_tokens", "input_tokens"} <= reported.keys():
        read += (counts["cached_tokens"] or 0) + (counts["cache_write_tokens"] or 0)
    if written is not None and "candidatesTokenCount" in reported:
        written += counts["reasoning_tokens"] or 0  # Gemini counts thoughts apart
    stated = counts | {"input_tokens": read, "output_tokens": written}
    return {name: count for name, count in stated.items() if count is not None}
