"""Removes keys from everything that is stored or shown."""

import base64
import json
import re
from collections.abc import Iterable
from html import escape
from urllib.parse import quote, quote_plus

from stages.contracts.errors import KEY_START

_LOOKS_LIKE_A_KEY = re.compile(rf"\b{KEY_START}[A-Za-z0-9_*.\-]{{6,}}|\b[Bb]earer\s+\S+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_ESCAPED = re.compile(r"%[0-9A-F]{2}")
PLACEHOLDER = "[key]"
LONGEST_MESSAGE = 400
SHORTEST_SECRET = 4
"""A shorter value is no secret, and removing it would damage every text."""


class Redaction:
    """Removes a fixed set of secrets from texts, plain and escaped or encoded in the usual ways."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
        forms = {form for secret in known for form in _forms(secret)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))

    def body(self, text: str) -> str:
        """The text without the secrets; everything else is unchanged."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, PLACEHOLDER)
        return text

    def message(self, text: str) -> str:
        r"""One line of at most `LONGEST_MESSAGE` characters, without anything like a key.

        >>> Redaction(["hunter22"]).message("bad key hunter22,\nnot sk-abcdef1234")
        'bad key [key], not [key]'
        """
        clean = _LOOKS_LIKE_A_KEY.sub(PLACEHOLDER, self.body(text))
        clean = _CONTROL.sub(" ", clean).strip()
        return clean if len(clean) <= LONGEST_MESSAGE else clean[: LONGEST_MESSAGE - 1] + "…"


def _forms(secret: str) -> set[str]:
    """The secret plain, and as it is written in a URL, HTML, base64 and JSON.

    That of the answer, and JSON within its text.
    """
    raw = secret.encode("utf-8", "surrogateescape")
    quoted = {quote(raw, safe=safe) for safe in ("", "/")} | {quote_plus(raw)}
    encoded = {
        encode(raw).decode("ascii").rstrip("=")
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    }
    shown = {secret, escape(secret), escape(secret, quote=False)}
    shown |= (
        quoted | {_ESCAPED.sub(lambda found: found[0].lower(), form) for form in quoted} | encoded
    )
    once = {form for one in shown for form in _in_json(one)}
    return shown | once | {form for one in once for form in _in_json(one)}


def _in_json(text: str) -> tuple[str, str]:
    inside = json.dumps(text)[1:-1]
    return inside, inside.replace("/", "\\/")
