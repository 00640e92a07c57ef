"""The answer of a simulated model to one call: a pure function of the request and its draw.

A draft is drawn by hand for each shipped brief and a short template for any other, and a character
changes either. The simulated coder answers the requests of `briefs`: codes by the words of aliases;
statements drafted from the most frequent words of a brief.
"""

import datetime
import itertools
import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from graph_evaluator.language.concepts import read_concepts
from graph_evaluator.language.words import wording
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, parse
from graph_evaluator.simulate.characters import CHARACTERS, CODER, Character, Stream

DraftJson = dict[str, Any]
"""A draft, or a node or an edge of it, before it is written as JSON."""

_CLOCK_START = datetime.datetime(2026, 1, 5, 9, tzinfo=datetime.UTC)
_CONTEXT_TOKENS = 32_000
_CACHED_FROM_TOKENS = 1_024
_REFUSAL = "I'm sorry, but I can't help with this decision."
_QUESTION = "Which of the aims matters most, and over what period?"
_FOLDER = files("graph_evaluator.simulate") / "drafts"
_OPENINGS: dict[str, str] = tomllib.loads((_FOLDER / "openings.toml").read_text("utf-8"))
_PART_END = re.compile(r"[.!?,;:](?=\s|$)|[。、！？，؟،\n]")
_MAX_READ_CHARS, _MAX_LABEL_CHARS = 4_000, 60
_STATUS_QUO = re.compile(r"^Status quo\W*")
_DRAFTED_CONCEPTS = 4


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


def answer(request: SimulatedRequest) -> tuple[JsonObject, float, datetime.datetime]:
    """The answer of the model that the request names: a body of the Responses API, how many
    milliseconds it took, and when it came, by the simulated clock.

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
    arrived_at = _CLOCK_START + datetime.timedelta(seconds=arrived_after_s)
    return body, round(1000 * seconds, 1), arrived_at


def count_tokens(text: str) -> int:
    """About how many tokens a text has: one for every four bytes."""
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def _text(request: SimulatedRequest, character: Character, failures: Stream, stream: Stream) -> str:
    """What the model writes when nothing ends its answer early."""
    if request.model == CODER:
        return code_or_draft(request.input)
    graph = plain_draft(request.input)
    vary(graph, character, stream, failures)
    text = canonical(graph)
    if failures.chance(character.unparseable):
        return text[: len(text) // 2] if failures.chance(0.5) else _QUESTION
    if stream.chance(character.wrapped):
        text = f"Here is the decision graph:\n\n```json\n{text}\n```"
    if stream.chance(character.wrapped):
        text = f"<think>\nOptions first, then factors, then results.\n</think>\n{text}"
    return text


def plain_draft(brief: str) -> DraftJson:
    """The hand-drawn draft of the shipped brief that the text begins as; for any other text the
    template, its labels followed by the text's first sentences. Structurally valid.
    """
    for brief_id, opening in _OPENINGS.items():
        if brief.startswith(opening):
            return _read(brief_id)
    parts = [" ".join(part.split()) for part in _PART_END.split(brief[:_MAX_READ_CHARS])]
    worded = [part[:_MAX_LABEL_CHARS] for part in parts if part] or ["no text"]
    draft = _read("template")
    for entry, part in zip(draft["nodes"], itertools.cycle(worded), strict=False):
        entry["label"] += f": {part}"
    return draft


def _read(name: str) -> DraftJson:
    draft: DraftJson = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return draft


def vary(draft: DraftJson, character: Character, stream: Stream, failures: Stream) -> None:
    """Change a plain draft in place as a character does; valid unless the character breaks a rule.

    Every strength gets another size. `failures` decides whether a rule is broken.
    """
    options, factors = nodes_of(draft, "option"), nodes_of(draft, "factor")
    (goal,) = nodes_of(draft, "goal")
    if stream.chance(character.omit_status_quo):
        for option in options:
            option["label"] = _STATUS_QUO.sub("", option["label"])
    if stream.chance(character.omit_external):
        for factor in factors:
            if factor["category"] == "external":
                factor["category"] = "observable"
    if stream.chance(character.omit_threshold):
        for key in [key for key in goal if "threshold" in key]:
            del goal[key]
    if stream.chance(character.omit_coaching):
        draft["coaching"] = {}
    _leave_out_factors(draft, character, stream)
    _vary_strengths(draft, character, stream)
    if failures.chance(character.breaks_rule):
        _break_rule(draft, failures)


def nodes_of(draft: DraftJson, *kinds: str) -> list[DraftJson]:
    """The nodes of these kinds, in the order of the draft."""
    return [entry for entry in draft["nodes"] if entry["kind"] in kinds]


def _leave_out_factors(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Leave out some of the factors that nothing moves, with their edges and claims."""
    moved = {link["to"] for link in draft["edges"]}
    unmoved = [factor["id"] for factor in nodes_of(draft, "factor") if factor["id"] not in moved]
    removed = [factor for factor in unmoved if stream.chance(character.leaves_out)]
    draft["nodes"] = [entry for entry in draft["nodes"] if entry["id"] not in removed]
    for part in ("edges", "causal_claims"):
        draft[part] = [entry for entry in draft[part] if entry.get("from") not in removed]


def _vary_strengths(draft: DraftJson, character: Character, stream: Stream) -> None:
    """Change the strengths of all edges but those of decisions and options, which are certain."""
    certain = {entry["id"] for entry in nodes_of(draft, "decision", "option")}
    factors = {entry["id"] for entry in nodes_of(draft, "factor")}
    largest = {
        entry["id"]: 1.9 if stream.chance(character.over_range) else 1.0 for entry in draft["nodes"]
    }
    for link in draft["edges"]:
        strength = link["strength"]
        if link["from"] in certain or not strength["mean"]:
            continue
        scale = stream.between(largest[link["to"]] - 0.2, largest[link["to"]])
        mean = max(-0.95, min(0.95, strength["mean"] * scale))
        std = strength["std"] * stream.between(0.85, 1.15)
        exists = link["exists_probability"] * stream.between(0.92, 1.0)
        if stream.chance(character.default_share):
            mean, std, exists = 0.5 if mean > 0 else -0.5, 0.125, 0.8
        if link["from"] in factors and stream.chance(character.wrong_sign):
            mean = -mean
            link["effect_direction"] = "positive" if mean > 0 else "negative"
        link["strength"] = {"mean": round(mean, 2), "std": round(std, 3)}
        link["exists_probability"] = round(exists, 2)


def _break_rule(draft: DraftJson, stream: Stream) -> None:
    """Remove the goal, or add the reverse of an edge into it, which closes a cycle."""
    if stream.chance(0.5):
        draft["nodes"] = [entry for entry in draft["nodes"] if entry["kind"] != "goal"]
        return
    (goal,) = nodes_of(draft, "goal")
    into_goal = next(link for link in draft["edges"] if link["to"] == goal["id"])
    draft["edges"].append(into_goal | {"from": goal["id"], "to": into_goal["from"]})


def code_or_draft(request: str) -> str:
    """The answer to a request of `briefs code` or `briefs draft`; to any other text, nothing."""
    try:
        content: Any = parse(request)
    except NotJson:
        content = None
    if not isinstance(content, dict):
        return "{}"
    reply = _codes(content) if "labels" in content else _draft(str(content.get("brief")))
    return canonical(reply)


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
