"""From the text of an answer to the JSON value in it."""

from dataclasses import dataclass

from stages.contracts.json_search import find_json
from stages.contracts.json_text import JsonValue, parse
from stages.contracts.response import ExtractionMethod


@dataclass(frozen=True)
class Extraction:
    """What was found in an answer.

    Attributes:
        parsed: The JSON value; None when there is none, or when it is `null`: either way there is nothing to score.
        method: How it was found; None when nothing was.
        attempted: True when the text as it stands is no JSON, so that it had to be looked for.
    """

    parsed: JsonValue
    method: ExtractionMethod | None
    attempted: bool


def extract(raw_text: str) -> Extraction:
    r"""The JSON value in the text of an answer, looked for as `find_json` says. Never raises, whatever the text.

    >>> extract('```json\n{"nodes": []}\n```')
    Extraction(parsed={'nodes': []}, method='stripped_fence', attempted=True)
    >>> extract("I cannot help with that.")
    Extraction(parsed=None, method=None, attempted=True)
    """
    found = find_json(raw_text, parse)
    return Extraction(found.content, found.method, found.attempted)
