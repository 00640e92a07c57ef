"""Keys: which values are secret, whether they can be used, and how they are removed from everything
that is stored or shown.
"""

import base64
import re
from collections.abc import Iterable, Iterator
from html.entities import codepoint2name
from urllib.parse import unquote

import regex

from graph_evaluator.generate.plan.call import Endpoint, Variables, is_loopback
from graph_evaluator.records.errors import Problem, without_keys
from graph_evaluator.records.model_config import http_parts

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_BETWEEN_WORDS = re.compile(r'[\s,;"]+')
_LETTERS_AND_DIGITS = re.compile(r"[A-Za-z0-9]+")
_IN_ESCAPES = (
    "%25",
    *(f"%{digit}" for digit in "34567"),
    *(rf"\u00{digit}" for digit in "34567"),
    "&#",
)
"""Any of them is in a text that escapes a letter or digit."""
_SCHEMES = frozenset(
    {"apikey", "aws4-hmac-sha256", "basic", "bearer", "concealed", "digest", "negotiate", "oauth"}
    | {"privatetoken", "scram-sha-256", "scram-sha-1", "token"}
)
"""How a header's value begins that holds more than the secret. Source: IANA, HTTP Authentication
Scheme Registry, and common use.
"""
PROXY_RULE = (
    "must be the address of an HTTP proxy, http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, "
    "with special characters of a password as %XX; FTP and SOCKS proxies are not supported"
)
"""It repeats no address, which may contain a password."""
PLACEHOLDER = "[key]"
LONGEST_MESSAGE = 400
SHORTEST_SECRET = 8
"""A shorter value is not a secret, as removing it would damage every text."""
CUSTOM_HEADERS = "OPENAI_CUSTOM_HEADERS"
PROXIES = tuple(f"{scheme}_proxy" for scheme in ("http", "https", "all"))
_OF_ACCOUNT = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
_HARMLESS = re.compile(
    "accept.*|content-.*|http-referer|openai-beta|referer|user-agent|x-title", re.IGNORECASE
)
"""The names of custom headers that contain no secret."""
_KEY = re.compile("auth|key|token|secret|cookie", re.IGNORECASE)
"""What the name of a header says whose value must be long enough to be kept out of answers."""


def secrets_of(endpoint: Endpoint, variables: Variables) -> list[str]:
    """Secret values: no part of them may reach a file, log or message."""
    secrets = [value for _, _, value in _secret_values(endpoint, variables)]
    secrets += [variables.get(name, "").strip() for name in _OF_ACCOUNT]
    for url in proxies(variables).values():
        login = url.partition("://")[2].rpartition("@")[0]
        secrets += [login, *login.split(":", 1), unquote(login), *unquote(login).split(":", 1)]
    return secrets


def proxies(variables: Variables) -> dict[str, str]:
    """The addresses of the proxies that are used for endpoints elsewhere, by their variables."""
    names = [name for proxy in PROXIES for name in (proxy, proxy.upper())]
    values = {name: variables.get(name, "").strip() for name in names}
    return {
        name: value if "://" in value else f"http://{value}"
        for name, value in values.items()
        if value
    }


def problems_of_variables(endpoint: Endpoint, variables: Variables) -> Iterator[Problem]:
    """What is wrong with the values of the variables that an endpoint names, and of proxies."""
    for name, url in proxies(variables).items():
        parts = http_parts(url)
        is_proxy = parts is not None and parts.path in ("", "/")
        if not is_proxy and not is_loopback(endpoint):
            yield Problem("environment", name, PROXY_RULE)
    for name, header, value in _secret_values(endpoint, variables):
        is_short = bool(value) and len(" ".join(words_in(value))) < SHORTEST_SECRET
        must_be_long = bool(_KEY.search(header)) and not is_loopback(endpoint)
        if (is_short and must_be_long) or not (value.isascii() and value.isprintable()):
            rule = f"must have at least {SHORTEST_SECRET} characters that an HTTP header can carry"
            problem = f"{rule}: a shorter key could not be kept out of answers and messages"
            yield Problem("environment", name, problem)


def _secret_values(endpoint: Endpoint, variables: Variables) -> Iterator[tuple[str, str, str]]:
    """The key and the values of all headers that the user names, each with its variable and header;
    custom headers without those that are harmless.
    """
    for header, variable in (("Authorization", endpoint.key_env or ""), *endpoint.headers_env):
        if variable in variables:
            yield variable, header, variables[variable].strip()
    for header, value in custom_headers(variables).items():
        if not _HARMLESS.fullmatch(header):
            yield CUSTOM_HEADERS, header, value


def custom_headers(variables: Variables) -> dict[str, str]:
    """The headers that the SDK's variable for them names."""
    lines = [line.partition(":") for line in variables.get(CUSTOM_HEADERS, "").split("\n")]
    return {name.strip(): value.strip() for name, colon, value in lines if colon and name.strip()}


class Redaction:
    """Removes secret values, and each of their words, from texts, however these are encoded; the
    time is linear in the length of a text.
    """

    def __init__(self, values: Iterable[str]) -> None:
        secrets = {secret for value in values for secret in secrets_in(value)}
        forms = {form for secret in secrets for form in (secret, *_in_base64(secret))}
        patterns = map(_pattern, sorted(forms, key=lambda form: (-len(form), form)))
        # Not `re`, whose possessive groups miss matches in the first releases of Python 3.11.
        self._secret = regex.compile(
            rf"(?<!\\)\\*+(?:{'|'.join(patterns)})", regex.IGNORECASE | regex.ASCII
        )
        # What is in a text with a form that escapes no letter or digit.
        runs = (max(_LETTERS_AND_DIGITS.findall(form), key=len, default="") for form in forms)
        self._signs = sorted({run.lower() for run in runs})
        if self._signs:
            self._signs += _IN_ESCAPES

    def body(self, text: str) -> str:
        """The text without the secrets; everything else is unchanged."""
        lowered = text.lower()
        if not any(sign in lowered for sign in self._signs):
            return text  # like most texts: much less time
        shown: str = self._secret.sub(PLACEHOLDER, text)
        return shown

    def message(self, text: str) -> str:
        r"""One line without the secrets, and without anything like a key.

        >>> Redaction(["hunter22"]).message("bad key hunter22,\nnot sk-abcdef123456")
        'bad key [key], not [key]'
        """
        return one_line(self.body(text))


def one_line(text: str) -> str:
    """One line of at most `LONGEST_MESSAGE` characters, without anything like a key."""
    clean = _CONTROL.sub(" ", without_keys(text, PLACEHOLDER)).strip()
    return clean if len(clean) <= LONGEST_MESSAGE else clean[: LONGEST_MESSAGE - 1] + "…"


def _pattern(secret: str) -> str:
    """A regular expression of a secret, whose characters may be escaped several times; each
    repetition is bounded, so that no text takes long.
    """
    backslashes = _escaped("\\") + "{,9}+"
    return backslashes.join(_escaped(char) for char in secret if char != "\\")


def _escaped(char: str) -> str:
    """A regular expression of a character as it is, and as URLs, JSON (without its backslashes) and
    HTML escape it.
    """
    code = ord(char)
    literal = "[ +]" if char == " " else re.escape(char)
    name = codepoint2name.get(code, f"#{code}")
    ampersand = "(?:&|u0026|%(?:25){,3}26)(?:amp;){,3}"
    entity = f"{ampersand}(?:{name}|#0{{,5}}{code}|#x0{{,5}}{code:x});"
    return f"(?:{literal}|(?:%(?:25){{,3}}|u00){code:02x}|{entity})"


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
    return {text for text in (value, *words, *assigned) if len(text.strip("\\")) >= SHORTEST_SECRET}


def words_in(value: str) -> list[str]:
    """The words of a value, without an authentication scheme's name."""
    words = _BETWEEN_WORDS.split(value)
    return [word for word in words if word and word.lower() not in _SCHEMES]


def _in_base64(secret: str) -> set[str]:
    """The parts that the base64 of any text with the secret contains: one for each alignment."""
    raw = secret.encode("utf-8", "surrogatepass")
    parts: set[str] = set()
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii").rstrip("=")
        first = -(-before * 8 // 6)
        last = (before + len(raw)) * 8 // 6
        parts.add(encoded[first:last])
    return parts | {part.translate(str.maketrans("+/", "-_")) for part in parts}
