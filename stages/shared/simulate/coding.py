"""The simulated coder: answers requests to code labels by the words of aliases, and drafts what a
brief states from its most frequent words.
"""

from collections import Counter
from collections.abc import Sequence

from stages.shared.language.concepts import read_concepts
from stages.shared.language.words import wording
from stages.shared.records.json_text import JsonObject, JsonValue, NotJson, canonical, parse

_DRAFTED_CONCEPTS = 4


def code_or_draft(request: str) -> str:
    """The answer to a request of `briefs code` or `briefs draft`; to any other text, nothing."""
    try:
        content = parse(request)
    except NotJson:
        return "{}"
    if not isinstance(content, dict):
        return "{}"
    reply = _codes(content) if "labels" in content else _draft(str(content.get("brief")))
    return canonical(reply).decode()


def _codes(content: JsonObject) -> JsonObject:
    concepts = {name: _texts(aliases) for name, aliases in _entries(content["concepts"]).items()}
    labels: JsonObject = {}
    for number, label in _entries(content["labels"]).items():
        readings = read_concepts(str(label), concepts)
        codes = [f"-{name}" if entry.polarity < 0 else name for name, entry in readings.items()]
        labels[number] = list(codes) or None
    options: JsonObject = {}
    stated = content.get("options")
    for number, label in _entries(content.get("option_labels")).items():
        lists = [_texts(aliases) for aliases in stated] if isinstance(stated, list) else []
        named = [names[0] for names in lists if read_concepts(str(label), {"": names})]
        options[number] = named[0] if named else None
    return {"labels": labels, "option_labels": options}


def _draft(brief: str) -> JsonObject:
    forms = Counter(word.form for word in wording(brief).words if not word.common)
    concepts = [form for form, _ in forms.most_common(_DRAFTED_CONCEPTS)]
    return {
        "concepts": {name: [name] for name in concepts},
        "effects": [f"{name} raises goal" for name in concepts],
    }


def _entries(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _texts(value: JsonValue) -> Sequence[str]:
    return [str(text) for text in value] if isinstance(value, list) else []
