"""Texts that models answer with, and what each is read as: by its name the text, and its JSON in the ordinary form; None
where it has none. The table holds for every way in: called, in a batch, in a log of any tool, in a stored line.
"""

import json
import math
from typing import Any

_OPTION = {"id": "o", "kind": "option", "label": "Stay"}
GRAPH: dict[str, Any] = {
    "nodes": [
        _OPTION | {"data": {"interventions": {"f": 1}}},
        {"id": "f", "kind": "factor", "label": "A ``` b </think> c"},
    ],
    "edges": [{"from": "o", "to": "f", "strength": {"mean": 0.5}}],
}
STRICT = GRAPH | {
    "nodes": [
        _OPTION
        | {
            "data": {"interventions": [{"factor_id": "f", "value": 1}], "value": None},
            "prior": None,
        },
        GRAPH["nodes"][1],
    ],
}
_HUGE = [GRAPH["edges"][0] | {"strength": {"mean": math.inf}}]
_TEXT = json.dumps(GRAPH)
_FENCED = f"```json\n{_TEXT}\n```"
_PROSE = "I am sorry, I need more facts before I can draft this graph."

ANSWER_TEXTS: dict[str, tuple[str, Any]] = {
    "a graph": (_TEXT, GRAPH),
    "a list of one": (f"[{_TEXT}]", [GRAPH]),
    "in the key graph": (f'{{"graph": {_TEXT}}}', {"graph": GRAPH}),
    "in the key result": (f'{{"result": {_TEXT}}}', {"result": GRAPH}),
    "in the key output": (f'{{"output": {_TEXT}}}', {"output": GRAPH}),
    "JSON in a JSON string": (json.dumps(_TEXT), _TEXT),
    "a tool call": (
        f'{{"name": "draft", "arguments": {_TEXT}}}',
        {"name": "draft", "arguments": GRAPH},
    ),
    "arguments as a text": (
        json.dumps({"name": "draft", "arguments": _TEXT}),
        {"name": "draft", "arguments": _TEXT},
    ),
    "the form of the strict schema": (json.dumps(STRICT), GRAPH),
    "a draft in <think>, then prose": (f"<think>First: {_TEXT}</think>\n{_PROSE}", GRAPH),
    "a draft in an analysis": (
        f"<|channel|>analysis<|message|>Maybe {_TEXT} but not.<|end|>",
        GRAPH,
    ),
    "a brace in <think>, then a graph": (f"<think>nodes {{a, b}}</think>\n{_TEXT}", None),
    "the example of the prompt, then a refusal": (
        f"You asked for JSON like {_TEXT}, but no.",
        GRAPH,
    ),
    "two graphs": (f"{_TEXT}\n{_TEXT}", None),
    "two fences": (f"{_FENCED}\n{_FENCED}", None),
    "braces in the prose before": (f"Here {{as asked}} is the graph:\n{_TEXT}", None),
    "typographic quotes": (_TEXT.replace('"', "”"), None),
    "a trailing comma": (_TEXT.removesuffix("}") + ",}", None),
    "comments": (f"// graph\n{_TEXT.removesuffix('}')} /* end */}}", None),
    "NaN": (_TEXT.replace("0.5", "NaN"), None),
    "cut in half": (_TEXT[:150], None),
    "a byte order mark and a fence": (f"\ufeff{_FENCED}\n", GRAPH),
    "zero-width spaces": (f"\u200b{_TEXT}\u200b", GRAPH),
    "a fence in a fence": (_FENCED, GRAPH),
    "the word json before": (f"json\n{_TEXT}", GRAPH),
    "a key twice": (_TEXT.removesuffix("}") + ', "nodes": []}', GRAPH | {"nodes": []}),
    "a number beyond doubles": (_TEXT.replace("0.5", "1e999"), GRAPH | {"edges": _HUGE}),
    "a brace too many": (f"{_TEXT}}}", None),
    "line separators": (
        _TEXT.replace("Stay", "\u2028"),
        json.loads(_TEXT.replace("Stay", "\u2028")),
    ),
    "a Python dictionary": (str(GRAPH), None),
    "prose": (_PROSE, None),
    "a list of parts that is none": (
        '[{"type": "note", "text": "x"}]',
        [{"type": "note", "text": "x"}],
    ),
}
