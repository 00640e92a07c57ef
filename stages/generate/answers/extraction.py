"""Finds the JSON in the text of an answer: as it is, in one code fence, or from the first `{` to the last `}`."""

from dataclasses import dataclass

from stages.contracts.json_text import MAX_LEVELS, JsonValue, NotJson, TooDeep, parse
from stages.contracts.response import ExtractionMethod

_WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""White space in the sense of ECMAScript, byte order mark included: what is trimmed around an answer."""
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Extraction:
    """The JSON of an answer.

    Attributes:
        parsed: The JSON value; None when there is none, or when it is `null`: either way there is nothing to score.
        method: How it was found; None when nothing was.
        attempted: True when the whole text is not JSON, so that it had to be looked for.
        too_deep: True when there is JSON that is nested too deeply to be read.
    """

    parsed: JsonValue
    method: ExtractionMethod | None
    attempted: bool
    too_deep: bool = False


def extract(text: str) -> Extraction:
    r"""The JSON value in the text of an answer. Never raises.

    The text is trimmed and read. Failing that, and if the whole of it is one code fence (tagged `json` in any case, or not
    tagged), the content of the fence is read. Failing that, the text from the first `{` to the last `}`.

    >>> extract('```json\n{"nodes": []}\n```')
    Extraction(parsed={'nodes': []}, method='stripped_fence', attempted=True, too_deep=False)
    >>> extract("I cannot help with that.")
    Extraction(parsed=None, method=None, attempted=True, too_deep=False)
    """
    trimmed = text.strip(_WHITE_SPACE)
    start, end = trimmed.find("{"), trimmed.rfind("}")
    candidates: tuple[tuple[ExtractionMethod, str | None], ...] = (
        ("direct", trimmed),
        ("stripped_fence", _fence_content(trimmed)),
        ("bracketed", trimmed[start : end + 1] if 0 <= start < end else None),
    )
    for method, candidate in candidates:
        if candidate is None:
            continue
        try:
            found = parse(candidate, levels=MAX_LEVELS - 1)  # the response file that holds it has one level more
        except TooDeep:
            return Extraction(None, None, attempted=True, too_deep=True)
        except NotJson:
            continue
        return Extraction(found, method, attempted=method != "direct")
    return Extraction(None, None, attempted=True)


def _fence_content(text: str) -> str | None:
    if len(text) < 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return None
    content = text[len(_FENCE) : -len(_FENCE)]
    if content[:4].lower() == "json":
        content = content[4:]
    return content.strip(_WHITE_SPACE)
