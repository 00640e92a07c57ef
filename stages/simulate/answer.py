"""What a simulated model answers, before it takes the shape of an API: a pure function of the request."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from stages.contracts.json_text import JsonValue, canonical
from stages.simulate.brief_reader import read_brief
from stages.simulate.characters import CHARACTERS, Character
from stages.simulate.drafter import VIOLATIONS, draft, with_violation
from stages.simulate.request import SimulatedRequest
from stages.simulate.stream import Stream

_CONTEXT_LIMIT, EPOCH = 32_000, 1_767_603_600  # tokens; 5 January 2026, 9:00 UTC
_REFUSAL = "I'm sorry, but I can't help with this decision."
_INSTEAD = "Before I draft a graph I would need to know more: which of the aims matters most, and over what period?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """An answer, with its usage and its times by the simulated clock."""

    id: str
    ending: Literal["complete", "cut off", "refused"]
    text: str
    input_tokens: int  # with the cached ones
    cached_tokens: int
    output_tokens: int  # with those of the reasoning
    reasoning_tokens: int
    latency_ms: float
    created_at: int  # Unix seconds


def answer(request: SimulatedRequest) -> SimulatedAnswer:
    """The answer of the model that the request names.

    A refusal, a cut-off, text that cannot be parsed and broken rules depend on the model, the input and the draw; everything
    else on the instructions too, so that another prompt gives another draft of the same quality.
    """
    character = CHARACTERS[request.model]
    fate = Stream("fate", request.model, request.input, request.draw)
    stream = Stream("answer", request.model, request.instructions, request.input, request.draw)
    limit, lot = request.max_output_tokens or _CONTEXT_LIMIT, fate.between(0, 1)
    refused = lot < character.refused
    endless = not refused and lot < character.refused + character.truncated
    reasoning = int(stream.between(*character.reasoning))
    reasoning = max(0, limit - 100) if endless else min(reasoning, limit)
    whole = _REFUSAL if refused else _text(request, character, fate, stream)
    output = min(limit, reasoning + count_tokens(whole))
    text = (
        whole if output < limit else whole[: limit - reasoning]
    )  # a token has at least one character
    prompt = count_tokens(request.instructions)
    seconds = stream.between(0.3, 1.5) + output / character.tokens_per_s / stream.between(
        0.85, 1.15
    )
    return SimulatedAnswer(
        id=stream.hex(48),
        ending="cut off" if text != whole else "refused" if refused else "complete",
        text=text,
        input_tokens=prompt + count_tokens(request.input) + 8,
        cached_tokens=prompt // 128 * 128 if prompt >= 1024 else 0,
        output_tokens=output,
        reasoning_tokens=reasoning,
        latency_ms=round(1000 * seconds, 1),
        created_at=EPOCH + int(stream.between(0, 8 * 3600)),
    )


def count_tokens(text: str) -> int:
    """About how many tokens a text has: 3.6 ASCII characters each, and one for every other character; 0 for no text."""
    others = len(text) - len(text.encode("ascii", "ignore"))
    return others + -int(-(len(text) - others) // 3.6)


def _text(request: SimulatedRequest, character: Character, fate: Stream, stream: Stream) -> str:
    made = _example(request.instructions) if character.copies_example else None
    if made is None:
        graph = draft(read_brief(request.input), character, stream.branch("draft"))
        for _ in range(fate.choice(character.faults)):
            graph = with_violation(graph, fate.choice(VIOLATIONS))
        made = {"nodes": [*graph.nodes], "edges": [*graph.edges], "coaching": graph.coaching}
    text = canonical(shaped(made, request.schema)).decode()
    if request.json_only:
        return text
    if fate.chance(character.unparseable):
        return fate.choice(
            (
                text.replace("},{", "},\n{  // next\n"),
                f"```json\n{text[: len(text) // 2]}",
                _INSTEAD,
            )
        )
    fenced, introduced, thought = (stream.chance(character.wrapped) for _ in range(3))
    text = f"```json\n{text}\n```" if fenced else text
    text = (
        f"Here is the decision graph for your brief:\n\n{text}\n\nShall I refine an edge?"
        if introduced
        else text
    )
    return (
        f"<think>\nOptions first, then factors, then results.\n</think>\n{text}"
        if thought
        else text
    )


def _example(instructions: str) -> JsonValue:
    """The first draft graph in JSON within the instructions; None when there is none."""
    for match in re.finditer(r'\{\s*"nodes"', instructions):
        with suppress(ValueError):
            found: JsonValue = json.JSONDecoder().raw_decode(instructions, match.start())[0]
            return found
    return None


def shaped(value: JsonValue, schema: JsonValue) -> JsonValue:
    """The value with the properties of a strict JSON Schema and no others, as constrained decoding gives it.

    What is missing is null, empty or zero; a map becomes a list where the schema wants a list of objects with two properties.

    >>> pair = {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "number"}}}
    >>> shaped({"a": 0.5}, {"type": "array", "items": pair})
    [{'key': 'a', 'value': 0.5}]
    """
    match schema:
        case {"anyOf": [wanted, *_]}:
            return None if value is None else shaped(value, wanted)
        case {"properties": dict() as properties}:
            given = value if isinstance(value, dict) else {}
            return {key: shaped(given.get(key), wanted) for key, wanted in properties.items()}
        case {"type": "array", "items": {"properties": dict() as pair}} if (
            isinstance(value, dict) and len(pair) == 2
        ):
            return [dict(zip(pair, entry, strict=True)) for entry in value.items()]
        case {"type": "array", "items": items}:
            return [shaped(item, items) for item in value] if isinstance(value, list) else []
        case {"type": "string" | "number" | "integer" as kind} if value is None:
            return "" if kind == "string" else 0
    return value
