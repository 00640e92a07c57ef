"""The answer of a simulated model to one call: a pure function of the request and its draw."""

import datetime
from dataclasses import dataclass

from stages.shared.records.graph import example_graph
from stages.shared.records.json_text import JsonObject, JsonValue, canonical
from stages.shared.simulate.characters import CODER, PROPOSER, Character, character_of, proposal
from stages.shared.simulate.coding import code_or_draft
from stages.shared.simulate.drafting import plain_draft, vary
from stages.shared.simulate.stream import Stream

_CLOCK_START = datetime.datetime(2026, 1, 5, 9, tzinfo=datetime.UTC)
_CONTEXT_TOKENS = 32_000
_REFUSAL = "I'm sorry, but I can't help with this decision."
_QUESTION = "Which of the aims matters most, and over what period?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRequest:
    """What determines an answer. `draw` names one of many independent draws; `max_output_tokens`
    bounds reasoning and text together.
    """

    model: str
    instructions: str
    input: str
    draw: str
    max_output_tokens: int | None = None

    def stream(self, *more: str) -> Stream:
        """Random numbers of this model, input and draw, and of what else is named."""
        return Stream(self.model, self.input, self.draw, *more)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """A body of the Responses API; how long it took and when it came, by the simulated clock."""

    body: JsonObject
    latency_ms: float
    arrived_at: datetime.datetime


def fails_first(request: SimulatedRequest) -> bool:
    """Whether the first call for this answer fails."""
    character = character_of(request.model, request.instructions)
    return request.stream("first call").chance(character.fails_first)


def answer(request: SimulatedRequest) -> SimulatedAnswer:
    """The answer of the model that the request names.

    A refusal, a cut-off, text that cannot be parsed and broken rules depend on the model, the input
    and the draw; everything else on the instructions too, so that another prompt gives another
    draft of the same quality.
    """
    character = character_of(request.model, request.instructions)
    failures = request.stream("chance")
    stream = request.stream("answer", request.instructions)
    limit = request.max_output_tokens or _CONTEXT_TOKENS
    refuses = failures.chance(character.refused)
    reasons_to_the_end = failures.chance(character.truncated)
    reasoning = min(int(stream.between(*character.reasoning)), limit)
    if reasons_to_the_end:
        reasoning = max(0, limit - 100)
    whole = _REFUSAL if refuses else _text(request, character, failures, stream)
    text = whole[: limit - reasoning] if count_tokens(whole) > limit - reasoning else whole
    output_tokens = limit if text != whole else reasoning + count_tokens(whole)
    seconds = stream.between(0.3, 1.5)
    seconds += output_tokens / character.tokens_per_s / stream.between(0.85, 1.15)
    body = _body(request, text, refuses=refuses, is_cut_off=text != whole)
    body["id"] = f"resp_{stream.hex(48)}"
    body["usage"] = _usage(request, output_tokens, reasoning)
    return SimulatedAnswer(
        body=body,
        latency_ms=round(1000 * seconds, 1),
        arrived_at=_CLOCK_START + datetime.timedelta(seconds=stream.between(0, 8 * 3600)),
    )


def count_tokens(text: str) -> int:
    """About how many tokens a text has: one for every four bytes."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def _text(request: SimulatedRequest, character: Character, failures: Stream, stream: Stream) -> str:
    """What the model writes when nothing ends its answer early."""
    if request.model == PROPOSER:
        return proposal(request.input)
    if request.model == CODER:
        return code_or_draft(request.input)
    graph = example_graph(request.instructions) if character.copies_example else None
    if graph is None:
        graph = plain_draft(request.input)
        vary(graph, character, stream, failures)
    text = canonical(graph).decode()
    if failures.chance(character.unparseable):
        return failures.choice((text[: len(text) // 2], _QUESTION))
    if stream.chance(character.wrapped):
        text = f"Here is the decision graph:\n\n```json\n{text}\n```"
    if stream.chance(character.wrapped):
        text = f"<think>\nOptions first, then factors, then results.\n</think>\n{text}"
    return text


def _body(request: SimulatedRequest, text: str, *, refuses: bool, is_cut_off: bool) -> JsonObject:
    """The model, the text and how it ended, as the Responses API gives them."""
    part: JsonValue = {"type": "output_text", "text": text}
    if refuses:
        part = {"type": "refusal", "refusal": text}
    return {
        "object": "response",
        "model": request.model,
        "status": "incomplete" if is_cut_off else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut_off else None,
        "output": [{"type": "message", "role": "assistant", "content": [part]}],
    }


def _usage(request: SimulatedRequest, output_tokens: int, reasoning_tokens: int) -> JsonObject:
    """The tokens; instructions from 1,024 tokens on count as cached."""
    instructions = count_tokens(request.instructions)
    cached = instructions if instructions >= 1024 else 0
    return {
        "input_tokens": instructions + count_tokens(request.input),
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": 0},
        "output_tokens": output_tokens,
        "output_tokens_details": {"reasoning_tokens": reasoning_tokens},
    }
