"""The words that two versions of a text have in common, and those that only one has."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_WORD = re.compile(r"\S+\s*|\s+")


def diff_words(old: str, new: str) -> Iterator[tuple[str, str]]:
    """The pieces of two texts in their order, each under its HTML element: `span` in both, `del` in
    the old one only, `ins` in the new one only.

    >>> list(diff_words("one two three", "one 2 three"))
    [('span', 'one '), ('del', 'two '), ('ins', '2 '), ('span', 'three')]
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        pieces = {"del": before[start:end], "ins": after[new_start:new_end]}
        if tag == "equal":
            pieces = {"span": before[start:end]}
        yield from ((name, "".join(words)) for name, words in pieces.items() if words)
