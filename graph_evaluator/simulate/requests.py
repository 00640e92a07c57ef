"""What the simulated proposer and coder answer to the requests of `improve` and `briefs`: a prompt
with the sentences against findings; codes by the words of aliases; statements drafted from the most
frequent words of a brief.
"""

import re
from collections import Counter
from typing import Any

from graph_evaluator.language.concepts import read_concepts
from graph_evaluator.language.words import wording
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, parse
from graph_evaluator.simulate.characters import SENTENCES

_MAX_CHANGES, _DRAFTED_CONCEPTS = 2, 4
_LAST_SENTENCE = "Read the brief once more before you answer."
_PROMPT = re.compile(r"<prompt>\n(.*?)\n</prompt>", re.DOTALL)


def proposal(request: str) -> str:
    """A better prompt, in the form in which `improve` asks for it: with the sentences against the
    first two findings.
    """
    found = _PROMPT.search(request)
    prompt = found[1] if found else request
    sentences = {
        finding: sentence
        for finding, (_, sentence) in SENTENCES.items()
        if f"\n{finding} in " in request and sentence not in prompt
    }
    chosen = list(sentences.items())[:_MAX_CHANGES]
    changes = [f"{finding}: a sentence against it" for finding, _ in chosen]
    added = [sentence for _, sentence in chosen] or [_LAST_SENTENCE]
    return "\n".join(["<changes>", *changes, "</changes>", "<prompt>", prompt, *added, "</prompt>"])


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
    forms = Counter(word.form for word in wording(brief).words if not word.common)
    concepts = [form for form, _ in forms.most_common(_DRAFTED_CONCEPTS)]
    return {
        "concepts": {name: [name] for name in concepts},
        "effects": [f"{name} raises goal" for name in concepts],
    }
