"""Whether an option's label says that things stay as they are."""

import re
from collections.abc import Callable

_CASELESS_ESCAPE = re.compile(r"\\[sSdDwWbB]")
_RANGE = re.compile(r"-(?!])")


def label_matcher(pattern: str) -> Callable[[str], bool]:
    """A function that tells whether a pattern is found anywhere in a label, in any case.

    Ignoring case costs several times as much as searching the label in lower case. The two are the same for a label in
    ASCII and a pattern in ASCII without a capital letter or a range, which may hold some, so that is how those are searched.

    >>> matches = label_matcher("keep|do nothing")
    >>> matches("KEEP the price"), matches("Raise it")
    (True, False)
    """
    search = re.compile(pattern, re.IGNORECASE).search
    plain = _CASELESS_ESCAPE.sub("", pattern)
    if plain != plain.lower() or not plain.isascii() or "\\" in plain or _RANGE.search(plain):
        return lambda label: search(label) is not None
    search_lower = re.compile(pattern).search
    return lambda label: (search_lower(label.lower()) if label.isascii() else search(label)) is not None
