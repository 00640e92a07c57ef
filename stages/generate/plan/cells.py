"""What a run works on: its cells, what is sent for each of them, and under which fingerprints their answers are kept."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from stages.contracts.brief import Brief, Prompt
from stages.contracts.json_text import JsonValue, canonical
from stages.contracts.params import GenerateParams, Params
from stages.contracts.response import Cell
from stages.generate.plan.endpoint import Endpoint, address
from stages.generate.plan.models import PlannedModel
from stages.generate.prices import upper_usd

MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCell:
    """One cell, with the fingerprint of each draw that it may take, the estimated input and the highest cost of one call.

    `cost_upper_usd` is None when no price is known.
    """

    model: PlannedModel
    prompt: Prompt
    brief: Brief
    sample: int
    round_number: int
    fingerprints: tuple[str, ...]
    input_tokens: int
    cost_upper_usd: float | None

    @property
    def cell(self) -> Cell:
        """Model, brief and sample by their ids."""
        return Cell(self.model.config.id, self.brief.id, self.sample)

    def body(self, *, in_batch: bool = False) -> dict[str, JsonValue]:
        """The JSON body of a direct call, or of a line of a batch, which is a service tier of its own."""
        endpoint, name = self.model.endpoint, self.model.config.model
        body: dict[str, JsonValue] = {"model": name}
        if endpoint.api == "responses":
            body |= {"instructions": self.prompt.text, "input": self.brief.body}
        else:
            system: JsonValue = {"role": "system", "content": self.prompt.text}
            body["messages"] = [system, {"role": "user", "content": self.brief.body}]
        body |= self.model.settings
        if in_batch:
            body.pop("service_tier", None)
        if endpoint.api == "responses" or endpoint.url is None:
            body["prompt_cache_key"] = prompt_cache_key(self.prompt.sha256, name)
        return body

    def call(self, draw: int) -> "Call":
        """The call for a draw (from 1)."""
        return Call(planned=self, draw=draw, timeout_s=self.model.timeout_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One draw (from 1) of a cell that is to be made, and its deadline."""

    planned: PlannedCell
    draw: int
    timeout_s: float

    @property
    def fingerprint(self) -> str:
        """Under which the answer is kept."""
        return self.planned.fingerprints[self.draw - 1]

    @property
    def canonical(self) -> str:
        """The canonical JSON of everything that can alter the answer, with the prompt's hash; its own hash is the fingerprint.

        Left out, because they cannot alter an answer: key, headers, limits, price, names, target mode, and `prompt_cache_key`.
        """
        form: dict[str, JsonValue] = {
            "api": self.endpoint.api,
            "api_version": self.endpoint.api_version,
            "endpoint": address(self.endpoint),
            "model": self.model,
            "instructions_sha256": self.planned.prompt.sha256,
            "input": self.input,
            "settings": self.planned.model.settings,
            "round": self.planned.round_number,
            "sample": self.planned.sample,
            "draw": self.draw,
        }
        return canonical(form).decode("utf-8")

    @property
    def cell(self) -> Cell:
        """Whose answer it is."""
        return self.planned.cell

    @property
    def endpoint(self) -> Endpoint:
        """Where it goes."""
        return self.planned.model.endpoint

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self.planned.model.config.model

    @property
    def instructions(self) -> str:
        """The system prompt."""
        return self.planned.prompt.text

    @property
    def input(self) -> str:
        """The user message."""
        return self.planned.brief.body


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run works on."""

    params: Params
    prompt: Prompt
    models: tuple[PlannedModel, ...]
    briefs: tuple[Brief, ...]
    cells: tuple[PlannedCell, ...]


def plan_cells(
    models: Sequence[PlannedModel],
    prompt: Prompt,
    briefs: Sequence[Brief],
    settings: GenerateParams,
) -> list[PlannedCell]:
    """All cells of a run, by model, brief and sample."""
    cells: list[PlannedCell] = []
    for model in models:
        for brief in briefs:
            input_tokens = (
                estimated_tokens(prompt.text) + estimated_tokens(brief.body) + MESSAGE_TOKENS
            )
            rates = model.expected_rates(input_tokens)
            cost_upper_usd = (
                upper_usd(rates, input_tokens, model.most_output_tokens) if rates else None
            )
            for sample in range(1, settings.samples + 1):
                planned = PlannedCell(
                    model=model,
                    prompt=prompt,
                    brief=brief,
                    sample=sample,
                    round_number=settings.round,
                    fingerprints=(),
                    input_tokens=input_tokens,
                    cost_upper_usd=cost_upper_usd,
                )
                requests = [
                    planned.call(draw).canonical for draw in range(1, settings.unparsed_draws + 1)
                ]
                cells.append(replace(planned, fingerprints=tuple(map(fingerprint_of, requests))))
    return cells


def fingerprint_of(canonical_request: str) -> str:
    """The fingerprint of a canonical request: its SHA-256, 64 hex digits."""
    return hashlib.sha256(canonical_request.encode("utf-8")).hexdigest()


def prompt_cache_key(instructions_sha256: str, model: str) -> str:
    """A key that is the same for all requests of one prompt and model, so that they meet in the same prompt cache."""
    return f"graph-{instructions_sha256[:16]}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


@cache
def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many than too few; 0 for no text.

    A token is about four characters of ASCII, and one character in other scripts.

    >>> estimated_tokens("a short sentence"), estimated_tokens("短い文")
    (4, 3)
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 4) + len(text) - ascii_only


def by_fingerprint(cells: Sequence[PlannedCell]) -> Mapping[str, Call]:
    """The call that each fingerprint is of; that of the first of several cells with equal requests."""
    calls = (
        planned.call(draw)
        for planned in reversed(cells)
        for draw in range(1, len(planned.fingerprints) + 1)
    )
    return {call.fingerprint: call for call in calls}
