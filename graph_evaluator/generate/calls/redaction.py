"""Keys: which values are secret, whether they can be used, and how they are removed from everything
that is stored or shown.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html.entities import codepoint2name

from graph_evaluator.generate.plan.call import Endpoint, is_loopback
from graph_evaluator.records.errors import KEY_START, Problem

_LOOKS_LIKE_A_KEY = re.compile(rf"\b{KEY_START}[A-Za-z0-9_*.\-]{{6,}}|\b[Bb]earer\s+\S+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_BETWEEN_WORDS = re.compile(r'[\s,;"]+')
_LETTERS_AND_DIGITS = re.compile(r"[A-Za-z0-9]+")
_ESCAPES = ("%2", "%3", "%4", "%5", "%6", "%7", r"\u00", "&#")
"""Any of them is in a text that escapes a letter or digit."""
_ENTITIES = codepoint2name | {ord("'"): "apos"}
_AMPERSAND = r"(?:&|\\+u0026|%(?:25)*26)(?:amp;)*"
_SCHEMES = frozenset(
    {"apikey", "aws4-hmac-sha256", "basic", "bearer", "concealed", "digest", "negotiate", "oauth"}
    | {"privatetoken", "scram-sha-256", "scram-sha-1", "token"}
)
"""How a header's value begins that holds more than the secret. Source: IANA, HTTP Authentication
Scheme Registry, and common use.
"""
PLACEHOLDER = "[key]"
LONGEST_MESSAGE = 400
SHORTEST_SECRET = 8
"""A shorter value is no secret, as removing it would damage every text."""
CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
_OF_ACCOUNT = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
_HARMLESS = re.compile(
    "accept.*|content-.*|http-referer|openai-beta|referer|user-agent|x-title", re.IGNORECASE
)
"""The names of custom headers that hold no secret."""
_KEY = re.compile("auth|key|token|secret|cookie", re.IGNORECASE)
"""What the name of a header says whose value must be long enough to be kept out of answers."""


def secrets_of(endpoint: Endpoint, variables: Mapping[str, str]) -> list[str]:
    """The values of which nothing must reach a file, log or message."""
    secrets = [value for _, _, value in _secret_values(endpoint, variables)]
    return [*secrets, *(variables.get(name, "").strip() for name in _OF_ACCOUNT)]


def problems_of_variables(endpoint: Endpoint, variables: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with the values of the variables that an endpoint names."""
    for name, header, value in _secret_values(endpoint, variables):
        is_short = bool(value) and len(" ".join(words_in(value))) < SHORTEST_SECRET
        must_be_long = bool(_KEY.search(header)) and not is_loopback(endpoint)
        if (is_short and must_be_long) or not (value.isascii() and value.isprintable()):
            rule = f"must have at least {SHORTEST_SECRET} characters that an HTTP header can carry"
            problem = f"{rule}: a shorter key could not be kept out of answers and messages"
            yield Problem("environment", name, problem)


def _secret_values(
    endpoint: Endpoint, variables: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    """The key and the values of all headers that the user names, each with its variable and header;
    custom headers without those that are harmless.
    """
    for header, variable in (("Authorization", endpoint.key_env or ""), *endpoint.headers_env):
        if variable in variables:
            yield variable, header, variables[variable].strip()
    for header, value in custom_headers(variables).items():
        if not _HARMLESS.fullmatch(header):
            yield CUSTOM_HEADERS, header, value


def custom_headers(variables: Mapping[str, str]) -> dict[str, str]:
    """The headers that the SDK's variable for them names."""
    lines = [line.partition(":") for line in variables.get(CUSTOM_HEADERS, "").split("\n")]
    return {name.strip(): value.strip() for name, colon, value in lines if colon and name.strip()}


class Redaction:
    """Removes secret values, and each of their words, from texts, however these are encoded."""

    def __init__(self, values: Iterable[str]) -> None:
        secrets = {secret for value in values for secret in secrets_in(value)}
        forms = {form for secret in secrets for form in (secret, *_in_base64(secret))}
        self._longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._signs = [_longest_run(form).lower() for form in self._longest_first]
        if self._signs:
            self._signs += _ESCAPES

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Any form of a secret, with any of its characters escaped; compiling it takes a while."""
        patterns = ["".join(map(_escaped, form)) for form in self._longest_first]
        return re.compile("|".join(patterns), re.IGNORECASE)

    def body(self, text: str) -> str:
        """The text without the secrets; everything else is unchanged."""
        lowered = text.lower()
        if any(sign in lowered for sign in self._signs):  # most texts have none: much less time
            return self._pattern.sub(PLACEHOLDER, text)
        return text

    def message(self, text: str) -> str:
        r"""One line of at most `LONGEST_MESSAGE` characters, without anything like a key.

        >>> Redaction(["hunter22"]).message("bad key hunter22,\nnot sk-abcdef1234")
        'bad key [key], not [key]'
        """
        clean = _LOOKS_LIKE_A_KEY.sub(PLACEHOLDER, self.body(text))
        clean = _CONTROL.sub(" ", clean).strip()
        return clean if len(clean) <= LONGEST_MESSAGE else clean[: LONGEST_MESSAGE - 1] + "…"


def secrets_in(value: str) -> set[str]:
    """The value of a key or of a header that holds one, and its words, without an authentication
    scheme's name.

    >>> sorted(secrets_in("Bearer hunter2222"))
    ['Bearer hunter2222', 'hunter2222']
    >>> sorted(secrets_in("id=cookie-value; path=/"))
    ['cookie-value', 'id=cookie-value', 'id=cookie-value; path=/']
    """
    words = words_in(value)
    assigned = [word.partition("=")[2] for word in words]
    if not words:
        return set()
    return {text for text in (value, *words, *assigned) if len(text) >= SHORTEST_SECRET}


def words_in(value: str) -> list[str]:
    """The words of a value, without an authentication scheme's name."""
    words = _BETWEEN_WORDS.split(value)
    return [word for word in words if word and word.lower() not in _SCHEMES]


def _longest_run(form: str) -> str:
    """The letters and digits that are in a text with this form, if it escapes none of them."""
    return max(_LETTERS_AND_DIGITS.findall(form), key=len, default="")


def _escaped(char: str) -> str:
    """A regular expression for a character as it is, or as URLs, JSON and HTML escape it, JSON
    within JSON too.
    """
    code = ord(char)
    in_url = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
    in_json = rf"\\+u{code:04x}"
    name = _ENTITIES.get(code, f"#{code}")
    in_html = f"{_AMPERSAND}(?:#0*{code}|#x0*{code:x}|{name});"
    plain = re.escape(char)
    if char in '"/\\':
        plain = rf"\\*{plain}"
    if char == " ":
        plain = "[ +]"
    return f"(?:{plain}|{in_url}|{in_json}|{in_html})"


def _in_base64(secret: str) -> set[str]:
    """What the base64 of any text that holds the secret holds: one part for each alignment."""
    raw = secret.encode("utf-8", "surrogateescape")
    parts: set[str] = set()
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii").rstrip("=")
        first = -(-before * 8 // 6)
        last = (before + len(raw)) * 8 // 6
        parts.add(encoded[first:last])
    return parts | {part.translate(str.maketrans("+/", "-_")) for part in parts}
