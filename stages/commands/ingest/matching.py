"""Which brief an input of a log is."""

import hashlib
from collections.abc import Mapping


class BriefMatcher:
    """Finds the brief of an input: one named for all, one whose id it is, or one whose text it has,
    alone or within a template.
    """

    def __init__(
        self, hashes: Mapping[str, str], brief: str | None = None, template: str = "{brief}"
    ) -> None:
        self.known = frozenset(hashes)
        self._ids = {sha256: brief_id for brief_id, sha256 in hashes.items()}
        self._brief = brief
        before, _, after = template.partition("{brief}")
        self._before, self._after = (" ".join(part.split()) for part in (before, after))

    def find(self, text: str) -> str | None:
        """The id of the brief of an input; None for traffic."""
        if self._brief is not None:
            return self._brief
        name, _, sample = text.rpartition("/")
        for brief_id in (text, name if sample.isdecimal() else ""):
            if brief_id in self.known:
                return brief_id
        words = " ".join(text.split())
        within = words.removeprefix(self._before).removesuffix(self._after)
        found = [self._ids.get(text_sha256(text)) for text in dict.fromkeys([words, within])]
        return next(filter(None, found), None)


def text_sha256(text: str) -> str:
    r"""The hash by which texts are matched: white space makes no difference, all else does.

    >>> text_sha256("Stay  or go?") == text_sha256(" Stay or\r\ngo?")
    True
    """
    words = " ".join(text.split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
