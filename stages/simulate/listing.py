"""The options that a brief lists: bullets, numbered or lettered items, lead words, table columns, alternatives in a sentence."""

import re

import msgspec

from stages.simulate.language import Language

_READ_CHARS = 40_000
_MOST = 8
_MARKERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("option", re.compile(r"(?i)^\s*(?:option|alternative|variante?)\s+[\w]{1,3}\s*[:.)–-]\s*(.+)")),
    ("letter", re.compile(r"^\s*\(?[A-Ha-h][.)]\s+(.+)")),
    ("number", re.compile(r"^\s*\(?\d{1,2}[.)]\s+(.+)")),
    ("kanji", re.compile(r"^\s*[一二三四五六七八九][、.．]\s*(.+)")),
    ("arabic", re.compile(r"^\s*(?:الأول|الثاني|الثالث|الرابع|الخامس|السادس)\s*:\s*(.+)")),
    ("bullet", re.compile(r"^\s*[-*•–·]\s+(.+)")),
    ("lead", re.compile(r"^([A-Z][^.!?:;,\n]{1,40})\.\s+[A-Z].{20,}")),
)
_CELL = re.compile(r"[^|\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s+[^a-z\s])|(?<=[。؟])|\n")
_CLAUSE = re.compile(r"[.](?=\s+[^a-z\s]|\s*$)|[;:。؛](?:\s|$)|[,、،(—]| – ")
_ASKING = re.compile(
    r"^(?:as (?:i|we) see it,? )?(?:should|shall|can|could|do|(?:i|we) can) (?:we |i )?", re.IGNORECASE
)


class Listing(msgspec.Struct, frozen=True):
    """A list in a brief: the kind of its marks, what its items say, and the line before it."""

    kind: str
    items: tuple[str, ...]
    ahead: str


def listings(text: str) -> tuple[Listing, ...]:
    """Every list of two or more items, in the order of the text."""
    found: list[Listing] = []
    kind, items, ahead, previous = "", [], "", ""
    for line in text[:_READ_CHARS].splitlines():
        if not line.strip():
            continue
        mark, item = _marked(line)
        if mark and mark == kind:
            items.append(item)
            continue
        if len(items) > 1:
            found.append(Listing(kind, tuple(items), ahead))
        kind, items, ahead = mark, [item] if mark else [], previous
        previous = line
    if len(items) > 1:
        found.append(Listing(kind, tuple(items), ahead))
    return tuple(found)


def options_in(text: str, language: Language) -> tuple[str, ...]:
    """What the brief's most likely list of options says, item by item; else the alternatives of one sentence; else nothing.

    A list counts for more when the line before it announces options, when its items are lettered, and when one of them says
    that all stays as it is.
    """
    announced = re.compile(language.options_ahead, re.IGNORECASE)
    staying = re.compile(language.staying, re.IGNORECASE)

    def weight(listing: Listing) -> float:
        told = 3.0 if announced.search(listing.ahead[-160:]) else 0.0
        marked = {"bullet": 0.5, "lead": 0.8}.get(listing.kind, 1.5)
        return told + marked + (1.5 if any(staying.search(item) for item in listing.items) else 0.0)

    lists = [*listings(text), *_columns(text)]
    best = max(lists, key=weight, default=None)  # the first of equals
    if best is not None and weight(best) >= 1.0:
        return best.items[:_MOST]
    return _alternatives(text, language)


def heading(item: str, longest: int = 64) -> str:
    """The short label that an item begins with: its first clause, cut between words."""
    text = _ASKING.sub("", " ".join(item.replace("*", "").replace("`", "").split()))
    first = next((part for part in _CLAUSE.split(text) if len(part.strip()) > 2), text).strip(" .;:,-–")
    if len(first) > longest:
        kept = first[:longest]
        first = kept.rsplit(" ", 1)[0] if " " in kept else kept
    return first[:1].upper() + first[1:]


def _marked(line: str) -> tuple[str, str]:
    for kind, pattern in _MARKERS:
        match = pattern.match(line)
        if match:
            return kind, line.strip() if kind == "lead" else match.group(1).strip()
    return "", ""


def _columns(text: str) -> list[Listing]:
    lines = text[:_READ_CHARS].splitlines()
    for index, line in enumerate(lines[:-1]):
        if line.count("|") > 2 and set(lines[index + 1].strip()) <= set("|-: ") and "-" in lines[index + 1]:
            cells = [cell.strip() for cell in _CELL.findall(line) if cell.strip()]
            if 2 <= len(cells) <= _MOST:
                return [Listing("table", tuple(cells), "option")]
    return []


def _alternatives(text: str, language: Language) -> tuple[str, ...]:
    split = re.compile(
        rf";\s*(?:{language.either})?|,?\s+(?:{language.either})\s+|(?<=[^\x00-\x7f])(?:{language.either})"
    )
    either = re.compile(language.either)
    best: tuple[str, ...] = ()
    for sentence in _SENTENCE_END.split(text[:_READ_CHARS])[:400]:
        if len(sentence) > 600 or not either.search(sentence):
            continue
        parts = tuple(part.strip(" ,;?.") for part in split.split(sentence) if len(part.strip(" ,;?.")) > 3)
        strong = ";" in sentence or sentence.rstrip().endswith(("?", "؟"))
        if strong and 2 <= len(parts) <= _MOST and len(parts) > len(best):
            best = parts
    return best
