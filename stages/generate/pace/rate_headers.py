"""What HTTP headers say about rate limits and waits, read strictly: what cannot be read says nothing."""

import datetime
import email.utils
import math
import re
from collections.abc import Mapping

from stages.generate.caller import Limits

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def seconds(text: str) -> float | None:
    """A span such as `6m0s`, `20ms` or plain seconds, in seconds; None when it is no span.

    >>> seconds("6m0s"), seconds("20ms"), seconds("1.5"), seconds("soon")
    (360.0, 0.02, 1.5, None)
    """
    text = text.strip().lower()
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return math.fsum(float(number) * _UNIT_S[unit] for number, unit in parts)
    return _number(text)


def asked_wait_s(headers: Mapping[str, str], *, now: datetime.datetime) -> float | None:
    """The seconds that the server asks to wait for, never negative; None when it does not say.

    `retry-after-ms` comes before `retry-after`, which holds seconds or an HTTP date (RFC 9110, section 10.2.3).

    Args:
        headers: by lower-case name.
        now: the time at which they arrived, UTC.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    asked = _number(text)
    if asked is not None or not text:
        return asked
    try:
        until = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=datetime.UTC)
    return max((until - now).total_seconds(), 0.0)


def limits_of(headers: Mapping[str, str]) -> Limits:
    """What the `x-ratelimit-*` headers say, by lower-case name."""
    if not any(name.startswith("x-ratelimit-") for name in headers):
        return Limits()
    return Limits(
        requests_left=_count(headers.get("x-ratelimit-remaining-requests", "")),
        requests_reset_s=seconds(headers.get("x-ratelimit-reset-requests", "")),
        tokens_left=_count(headers.get("x-ratelimit-remaining-tokens", "")),
        tokens_reset_s=seconds(headers.get("x-ratelimit-reset-tokens", "")),
    )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _count(text: str) -> int | None:
    number = _number(text)
    return None if number is None else int(number)
