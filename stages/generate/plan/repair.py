"""The repair turn: an answer that cannot be used is sent back once, with what is wrong with it."""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from stages.contracts.json_text import JsonObject, canonical
from stages.contracts.params import Limits
from stages.contracts.response import UNREADABLE_CODES
from stages.contracts.scorecard import Finding
from stages.generate.answers.draws import Draw
from stages.generate.apis.kind import Turn
from stages.generate.plan.call import (
    MESSAGE_TOKENS,
    Call,
    estimated_tokens,
    fingerprint_of,
)
from stages.shell.numbers import first_of
from stages.structure.rules import find_violations

PLACEHOLDER = "{problems}"
"""The place of the sentences in `prompts/repair.txt`."""
EMPTY_ANSWER = "(empty answer)"
"""Stands for an answer without text: APIs refuse an empty turn."""
MAX_NAMED_PLACES = 20

_TEXTS = tomllib.loads(files("stages.generate.plan").joinpath("repair.toml").read_text("utf-8"))
SENTENCES: dict[str, str] = _TEXTS["sentences"]
"""What the drafting model is told, by violation code."""
SENTENCES_VERSION: int = _TEXTS["version"]


@dataclass(frozen=True, slots=True)
class RepairRules:
    """Which answers are sent back, and with which words.

    `template` is the text of `prompts/repair.txt`, with `PLACEHOLDER` in it.
    """

    template: str
    limits: Limits

    @property
    def identity(self) -> list[object]:
        """What distinguishes two runs that repair by different rules."""
        return [self.template, SENTENCES_VERSION, self.limits.model_dump()]

    def find_violations(self, draw: Draw) -> tuple[Finding, ...]:
        """Why an answer is sent back; empty when it is not.

        A truncated or refused answer never is.
        """
        if draw.status == "success":
            return find_violations(draw.graph, self.limits)
        if draw.status == "parse_failed" and draw.failure_code in UNREADABLE_CODES:
            return (Finding(code="NO_GRAPH", message=draw.error_message or ""),)
        return ()

    def message(self, violations: Sequence[Finding]) -> str:
        """What is sent after the answer: one sentence for each code of its violations."""
        limits = self.limits.model_dump()
        sentences: list[str] = []
        for code in dict.fromkeys(violation.code for violation in violations):
            of_code = [violation for violation in violations if violation.code == code]
            sentence = SENTENCES[code].format(places=_name_places(of_code), **limits)
            sentences.append(f"- {sentence}")
        return self.template.replace(PLACEHOLDER, "\n".join(sentences)).strip()


def _name_places(violations: Sequence[Finding]) -> str:
    """The edges that findings name, else their paths, else their nodes; "none" without any."""
    edges = [
        f"{_quoted(edge.source)} → {_quoted(edge.target)}"
        for violation in violations
        for edge in violation.edges
    ]
    paths = [violation.message.rstrip(".") for violation in violations if violation.path]
    nodes = [_quoted(node) for violation in violations for node in violation.nodes]
    places = edges or paths or nodes or ["none"]
    return first_of(places, MAX_NAMED_PLACES)


def _quoted(name: str) -> str:
    return canonical(name).decode("utf-8")


def repair_call(first: Call, draw: Draw, rules: RepairRules) -> Call | None:
    """The call that sends the answer to `first` back; None when the answer needs no repair."""
    violations = rules.find_violations(draw)
    if not violations:
        return None
    answer = draw.answer.content.raw_text
    message = rules.message(violations)
    identity = repair_identity(first.identity, answer, message)
    turns_tokens = estimated_tokens(answer) + estimated_tokens(message)
    input_tokens = first.input_tokens + turns_tokens + MESSAGE_TOKENS
    sendable = answer.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
    answer_turn = Turn("assistant", sendable if sendable.strip() else EMPTY_ANSWER)
    return replace(
        first,
        turns=(*first.turns, answer_turn, Turn("user", message)),
        identity=identity,
        fingerprint=fingerprint_of(identity),
        input_tokens=input_tokens,
        cost_upper_usd=first.prices.upper_usd(input_tokens, first.most_output_tokens),
        is_repair=True,
    )


def repair_identity(first: JsonObject, answer: str, message: str) -> JsonObject:
    """Everything that can alter the answer to a repair: the first request, the text of its answer,
    and the message.
    """
    answer_sha256 = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
    return {**first, "repair": {"answer_sha256": answer_sha256, "message": message}}
