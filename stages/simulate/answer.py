"""What a simulated model answers, before it takes the shape of an API: a pure function of the
request.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from stages.contracts.graph import example_graph
from stages.contracts.json_text import JsonValue, canonical
from stages.simulate.characters import PROPOSER, REPAIR_DRILLS, Character
from stages.simulate.draft_json import DraftJson
from stages.simulate.drafter import draft
from stages.simulate.drills import character_of, faults_of_drill, proposal
from stages.simulate.graph_faults import FAULTS, add_fault
from stages.simulate.request import SimulatedRequest
from stages.simulate.stream import Stream

EPOCH = 1_767_603_600
"""5 January 2026, 9:00 UTC, Unix seconds: the start of the simulated clock."""
_CONTEXT_LIMIT = 32_000  # tokens
_REFUSAL = "I'm sorry, but I can't help with this decision."
_QUESTION = (
    "Before I draft a graph I would need to know more: "
    "which of the aims matters most, and over what period?"
)

AnswerEnding = Literal["complete", "cut off", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """An answer, with its usage and its times by the simulated clock.

    `input_tokens` includes the cached ones, `output_tokens` those of the reasoning; `created_at` is
    in Unix seconds.
    """

    id: str
    ending: AnswerEnding
    text: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    latency_ms: float
    created_at: int


def answer(request: SimulatedRequest) -> SimulatedAnswer:
    """The answer of the model that the request names.

    A refusal, a cut-off, text that cannot be parsed and broken rules depend on the model, the input
    and the draw; everything else on the instructions too, so that another prompt gives another
    draft of the same quality.
    """
    character = character_of(request.model, request.instructions)
    draw = request.draw
    if request.further and request.model not in REPAIR_DRILLS:  # they change their first graph
        draw = f"{draw} {request.further}"
    fate = Stream("fate", request.model, request.input, draw)
    stream = Stream("answer", request.model, request.instructions, request.input, draw)
    limit = request.max_output_tokens or _CONTEXT_LIMIT
    lot = fate.between(0, 1)
    is_refused = lot < character.refused
    reasons_to_the_end = not is_refused and lot < character.refused + character.truncated
    reasoning = min(int(stream.between(*character.reasoning)), limit)
    if reasons_to_the_end:
        reasoning = max(0, limit - 100)
    whole = _REFUSAL
    if request.model == PROPOSER:
        whole = proposal(request.input)
    elif not is_refused:
        whole = _graph_text(request, character, fate, stream)
    output = min(limit, reasoning + count_tokens(whole))
    text = whole
    if output == limit:
        text = whole[: limit - reasoning]  # a token has at least one character
    ending: AnswerEnding = "refused" if is_refused else "complete"
    if text != whole:
        ending = "cut off"
    prompt = count_tokens(request.instructions)
    waiting_s = stream.between(0.3, 1.5)
    speed = stream.between(0.85, 1.15)
    seconds = waiting_s + output / character.tokens_per_s / speed
    return SimulatedAnswer(
        id=stream.branch(request.further).hex(48) if request.further else stream.hex(48),
        ending=ending,
        text=text,
        input_tokens=prompt + count_tokens(request.input + request.further) + 8,
        cached_tokens=prompt // 128 * 128 if prompt >= 1024 else 0,
        output_tokens=output,
        reasoning_tokens=reasoning,
        latency_ms=round(1000 * seconds, 1),
        created_at=EPOCH + int(stream.between(0, 8 * 3600)),
    )


def count_tokens(text: str) -> int:
    """About how many tokens a text has: 3.6 ASCII characters each, and one for any other."""
    ascii_characters = len(text.encode("ascii", "ignore"))
    others = len(text) - ascii_characters
    return others + math.ceil(ascii_characters / 3.6)


def _graph_text(
    request: SimulatedRequest, character: Character, fate: Stream, stream: Stream
) -> str:
    example = example_graph(request.instructions) if character.copies_example else None
    value = example or _draft(request, character, fate, stream)
    text = canonical(shaped(value, request.schema)).decode()
    if request.json_only:
        return text
    if fate.chance(character.unparseable):
        with_comment = text.replace("},{", "},\n{  // next\n")
        first_half = f"```json\n{text[: len(text) // 2]}"
        return fate.choice((with_comment, first_half, _QUESTION))
    is_fenced = stream.chance(character.wrapped)
    is_introduced = stream.chance(character.wrapped)
    has_thinking = stream.chance(character.wrapped)
    if is_fenced:
        text = f"```json\n{text}\n```"
    if is_introduced:
        start = "Here is the decision graph for your brief:"
        text = f"{start}\n\n{text}\n\nShall I refine an edge?"
    if has_thinking:
        text = f"<think>\nOptions first, then factors, then results.\n</think>\n{text}"
    return text


def _draft(
    request: SimulatedRequest, character: Character, fate: Stream, stream: Stream
) -> DraftJson:
    graph = draft(request.input, character, stream.branch("draft"))
    faults: Sequence[str]
    if request.model in REPAIR_DRILLS:
        faults = faults_of_drill(request)
    else:
        faults = [fate.choice(FAULTS) for _ in range(fate.choice(character.faults))]
    for fault in faults:
        add_fault(graph, fault)
    return graph


def shaped(value: JsonValue, schema: JsonValue) -> JsonValue:
    """The value with the properties of a strict JSON Schema and no others, as constrained decoding
    gives it.

    What is missing is null, empty or zero; a map becomes a list where the schema wants a list of
    objects with two properties.

    >>> setting = {"properties": {"factor": {"type": "string"}, "value": {"type": "number"}}}
    >>> shaped({"a": 0.5}, {"type": "array", "items": setting})
    [{'factor': 'a', 'value': 0.5}]
    """
    match schema:
        case {"anyOf": [wanted, *_]}:
            return None if value is None else shaped(value, wanted)
        case {"properties": dict() as properties}:
            entries = value if isinstance(value, dict) else {}
            return {key: shaped(entries.get(key), wanted) for key, wanted in properties.items()}
        case {"type": "array", "items": {"properties": dict() as pair}} if (
            isinstance(value, dict) and len(pair) == 2
        ):
            return [dict(zip(pair, entry, strict=True)) for entry in value.items()]
        case {"type": "array", "items": items}:
            return [shaped(item, items) for item in value] if isinstance(value, list) else []
        case {"type": "string" | "number" | "integer" as kind} if value is None:
            return "" if kind == "string" else 0
    return value
