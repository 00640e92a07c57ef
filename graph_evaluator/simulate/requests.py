"""What the simulated coder answers to the requests of `briefs`: codes by the words of aliases;
statements drafted from the most frequent words of a brief.
"""

from collections import Counter
from typing import Any

from graph_evaluator.language.concepts import read_concepts
from graph_evaluator.language.words import wording
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, parse

_DRAFTED_CONCEPTS = 4


def code_or_draft(request: str) -> str:
    """The answer to a request of `briefs code` or `briefs draft`; to any other text, nothing."""
    try:
        content: Any = parse(request)
    except NotJson:
        content = None
    if not isinstance(content, dict):
        return "{}"
    reply = _codes(content) if "labels" in content else _draft(str(content.get("brief")))
    return canonical(reply).decode()


def _codes(content: dict[str, Any]) -> JsonObject:
    labels: JsonObject = {}
    for number, label in content["labels"].items():
        readings = read_concepts(label, content["concepts"])
        codes = [f"-{name}" if polarity < 0 else name for name, polarity in readings.items()]
        labels[number] = list(codes) or None
    options: JsonObject = {}
    for number, label in content.get("option_labels", {}).items():
        stated = content.get("options") or []
        named = [names[0] for names in stated if read_concepts(label, {"": names})]
        options[number] = named[0] if named else None
    return {"labels": labels, "option_labels": options}


def _draft(brief: str) -> JsonObject:
    forms = Counter(word.form for word in wording(brief).words)
    concepts = [form for form, _ in forms.most_common(_DRAFTED_CONCEPTS)]
    return {
        "concepts": {name: [name] for name in concepts},
        "effects": [f"{name} raises goal" for name in concepts],
    }
