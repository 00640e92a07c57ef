"""What a simulated model answers, before it is put into the shape of an API: a pure function of the request and the draw."""

import datetime
from typing import Literal

import msgspec

from stages.contracts.json_text import JsonValue, canonical, parse
from stages.simulate import tokens
from stages.simulate.character import Character
from stages.simulate.draft import written
from stages.simulate.drafter import draft
from stages.simulate.faults import break_rules
from stages.simulate.reading import read
from stages.simulate.shaping import shaped
from stages.simulate.stream import Stream
from stages.simulate.wording import unparseable, worded

_CONTEXT_LIMIT = 32_000
_FATE = "fate 88"
_CACHE_MISSES = 0.08
_EPOCH = datetime.datetime(2026, 1, 5, 9, 0, tzinfo=datetime.UTC)
_SPAN_S = 8 * 3600
_REFUSALS = (
    "I'm sorry, but I can't help with this decision.",
    "I can't assist with weighing these options against each other.",
)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What decides the answer.

    `draw` names one of many independent draws. `plain` says that a JSON format was asked for, `schema` its JSON Schema.
    """

    model: str
    instructions: str
    input: str
    draw: str
    plain: bool = False
    schema: JsonValue = None
    max_output_tokens: int | None = None


class SimulatedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer by the simulated clock: `created_at` is in Unix seconds, `latency_ms` what a model of the kind would take.

    `input_tokens` includes `cached_tokens`, `output_tokens` includes `reasoning_tokens`.
    """

    id: str
    ending: Literal["complete", "cut off", "refused"]
    text: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    latency_ms: float
    created_at: int


def answer(asked: Asked, character: Character) -> SimulatedAnswer:
    """The character's answer.

    What goes wrong (a refusal, a cut-off, text that cannot be read, broken rules) depends on the model, the input and the
    draw; everything else on the instructions too, so that another prompt gives another draft of the same quality.
    """
    fate = Stream(_FATE, asked.model, asked.input, asked.draw)
    stream = Stream("answer", asked.model, asked.instructions, asked.input, asked.draw)
    lot = fate.branch("ending").unit()
    refused = lot < character.refused
    runaway = character.refused <= lot < character.refused + character.truncated
    text = _REFUSALS[fate.below(len(_REFUSALS))] if refused else _text(asked, character, fate, stream)
    reasoning = 0
    if character.reasoning is not None:
        low, high = character.reasoning
        reasoning = low + stream.branch("reasoning").below(high - low)
        reasoning = reasoning // 8 if refused else reasoning
    limit = asked.max_output_tokens or _CONTEXT_LIMIT
    if runaway:
        reasoning = limit - fate.below(min(limit, 400))
    reasoning = min(reasoning, limit)
    cut = reasoning + tokens.count(text) > limit
    if cut:
        text = tokens.first(text, limit - reasoning)
    output = limit if cut else reasoning + tokens.count(text)
    return SimulatedAnswer(
        id=stream.branch("id").hex(48),
        ending="cut off" if cut else "refused" if refused else "complete",
        text=text,
        input_tokens=tokens.count(asked.instructions) + tokens.count(asked.input) + 8,
        cached_tokens=0
        if Stream("cache", asked.model, asked.input).chance(_CACHE_MISSES)
        else tokens.cacheable(asked.instructions),
        output_tokens=output,
        reasoning_tokens=reasoning,
        latency_ms=_latency(character, output, stream.branch("latency")),
        created_at=int(_EPOCH.timestamp()) + stream.branch("time").below(_SPAN_S),
    )


def _text(asked: Asked, character: Character, fate: Stream, stream: Stream) -> str:
    reading = read(asked.input)
    made = draft(reading, character, stream.branch("draft"))
    faults = fate.branch("faults")
    lot, count = faults.unit(), 0
    for number, share in enumerate(character.faults):
        if lot < share:
            count = number
            break
        lot -= share
    made = break_rules(made, count, faults)
    if not asked.plain and fate.branch("unparseable").chance(character.unparseable):
        return unparseable(made, fate.branch("broken"))
    if asked.schema is not None:
        return canonical(shaped(parse(written(made)), asked.schema)).decode("utf-8")
    return worded(made, character, asked.plain, stream.branch("wording"))


def _latency(character: Character, output: int, stream: Stream) -> float:
    first = stream.between(*character.first_token_ms)
    return round(first + 1000 * output / stream.between(*character.tokens_per_s), 1)
