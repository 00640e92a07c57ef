"""Finds texts that look like API keys, in files, messages and logs."""

import re

_OWNERS = ("sk", "rk", "pk", "gsk", "xai", "hf", "nvapi", "pplx", "csk", "sess", "ghp", "glpat")
_START = rf"(?:(?:{'|'.join(_OWNERS)})[-_]|AIza|AKIA|eyJ)"
_FIRST = "".join(sorted({owner[0] for owner in _OWNERS})) + "AbBe"
_CANDIDATE = re.compile(
    rf"(?=[{_FIRST}])(?:\b{_START}[\w.*-]{{12,}}|\b[Bb]earer\s+[\w.~+/=*-]{{16,}})", re.ASCII
)
"""All of a word that begins as keys do, so that no part of it is looked at twice; to look at the
first letter alone is faster.
"""
_UNLIKE_WORDS = re.compile(r"[0-9*]|[a-z][A-Z]")
_UNBROKEN = re.compile(r"[A-Za-z0-9]{20,}")
_DIGITS = re.compile(r"[0-9]+")


def without_keys(text: str, placeholder: str) -> str:
    """The text with a placeholder for whatever looks like a key.

    >>> without_keys("not sk-abcdef123456, and not sk-learn-pipelines", "[key]")
    'not [key], and not sk-learn-pipelines'
    """
    return _CANDIDATE.sub(lambda word: placeholder if _is_key(word[0]) else word[0], text)


def looks_like_a_key(name: str) -> bool:
    """Whether a text is more likely an API key (gsk_fMaZ0aZqP3xKtq) than a name that a person chose
    (sketch_team_key_2).
    """
    is_random = any(len(_DIGITS.findall(part)) >= 4 for part in _UNBROKEN.findall(name))
    if is_random or name.lower().startswith("bearer "):
        return True
    word = _CANDIDATE.match(name)
    return word is not None and _is_key(word[0])


def _is_key(word: str) -> bool:
    return word.lower().startswith("bearer") or bool(_UNLIKE_WORDS.search(word))
