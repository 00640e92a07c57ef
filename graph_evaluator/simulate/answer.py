"""The answer of a simulated model to one call: a pure function of the request and its draw."""

import datetime
from dataclasses import dataclass

from graph_evaluator.records.json_text import JsonObject, canonical
from graph_evaluator.simulate.characters import CHARACTERS, CODER, Character, Stream
from graph_evaluator.simulate.drafting import plain_draft, vary
from graph_evaluator.simulate.requests import code_or_draft

_CLOCK_START = datetime.datetime(2026, 1, 5, 9, tzinfo=datetime.UTC)
_CONTEXT_TOKENS = 32_000
_CACHED_FROM_TOKENS = 1_024
_REFUSAL = "I'm sorry, but I can't help with this decision."
_QUESTION = "Which of the aims matters most, and over what period?"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRequest:
    """What determines an answer. `draw` names one of many independent draws; `max_output_tokens`,
    is at most 32,000.
    """

    model: str
    instructions: str
    input: str
    draw: str
    max_output_tokens: int = _CONTEXT_TOKENS

    def stream(self, *more: str) -> Stream:
        """Random numbers of this model, input and draw, and of what else is named."""
        return Stream(self.model, self.input, self.draw, *more)

    @property
    def character(self) -> Character:
        """How the model behaves."""
        return CHARACTERS.get(self.model, Character())

    @property
    def fails_first(self) -> bool:
        """Whether the first call for the answer fails."""
        return self.stream("first call").chance(self.character.fails_first)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """A body of the Responses API; how long it took and when it came, by the simulated clock."""

    body: JsonObject
    latency_ms: float
    arrived_at: datetime.datetime


def answer(request: SimulatedRequest) -> SimulatedAnswer:
    """The answer of the model that the request names.

    A refusal, a cut-off, text that cannot be parsed and broken rules depend on the model, the input
    and the draw; everything else on the instructions too, so that another prompt gives another
    draft of the same quality.
    """
    character = request.character
    failures = request.stream("chance")
    stream = request.stream("answer", request.instructions)
    limit = min(request.max_output_tokens, _CONTEXT_TOKENS)
    refuses = failures.chance(character.refused)
    is_endless = failures.chance(character.truncated)
    text = _REFUSAL if refuses else _text(request, character, failures, stream)
    output_tokens = count_tokens(text)
    is_cut_off = output_tokens > limit or (is_endless and not refuses)
    if is_cut_off:
        text, output_tokens = text[: min(limit, len(text) // 2)], limit
    seconds = stream.between(0.3, 1.5)
    seconds += output_tokens / character.tokens_per_s / stream.between(0.85, 1.15)
    arrived_after_s = stream.between(0, 8 * 3600)
    part: JsonObject = {"type": "output_text", "text": text}
    if refuses:
        part = {"type": "refusal", "refusal": text}
    instructions_tokens = count_tokens(request.instructions)
    is_cached = instructions_tokens >= _CACHED_FROM_TOKENS
    body: JsonObject = {
        "object": "response",
        "model": request.model,
        "status": "incomplete" if is_cut_off else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut_off else None,
        "output": [{"type": "message", "role": "assistant", "content": [part]}],
        "id": f"resp_{stream.name[:48]}",
        "usage": {
            "input_tokens": instructions_tokens + count_tokens(request.input),
            "input_tokens_details": {
                "cached_tokens": instructions_tokens if is_cached else 0,
                "cache_write_tokens": 0,
            },
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }
    return SimulatedAnswer(
        body=body,
        latency_ms=round(1000 * seconds, 1),
        arrived_at=_CLOCK_START + datetime.timedelta(seconds=arrived_after_s),
    )


def count_tokens(text: str) -> int:
    """About how many tokens a text has: one for every four bytes."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def _text(request: SimulatedRequest, character: Character, failures: Stream, stream: Stream) -> str:
    """What the model writes when nothing ends its answer early."""
    if request.model == CODER:
        return code_or_draft(request.input)
    graph = plain_draft(request.input)
    vary(graph, character, stream, failures)
    text = canonical(graph).decode()
    if failures.chance(character.unparseable):
        return text[: len(text) // 2] if failures.chance(0.5) else _QUESTION
    if stream.chance(character.wrapped):
        text = f"Here is the decision graph:\n\n```json\n{text}\n```"
    if stream.chance(character.wrapped):
        text = f"<think>\nOptions first, then factors, then results.\n</think>\n{text}"
    return text
