"""Counts tokens roughly, as a stand-in for a tokenizer: what usage, cost and cut-offs of simulated answers rest on."""

_CHARS_PER_TOKEN = 3.6
_CACHE_BLOCK = 128
_CACHE_FROM = 1024


def count(text: str) -> int:
    """About how many tokens a text has: 3.6 ASCII characters each, and one for every other character; 0 for no text.

    >>> count("")
    0
    >>> count("decision graph")
    4
    >>> count("旅館")
    2
    """
    others = len(text) - len(text.encode("ascii", "ignore"))
    return others + -int(-(len(text) - others) // _CHARS_PER_TOKEN)


def first(text: str, tokens: int) -> str:
    """The beginning of a text that has about so many tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def cacheable(instructions: str) -> int:
    """How many tokens of a prompt the prompt cache can hold: whole blocks of 128, from 1024 tokens on."""
    total = count(instructions)
    return total // _CACHE_BLOCK * _CACHE_BLOCK if total >= _CACHE_FROM else 0
