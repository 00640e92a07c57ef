"""What a run works on: its cells, what is sent for each of them, under which fingerprints their
answers are kept, and which calls they still need.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from graph_evaluator.generate.plan.call import (
    MESSAGE_TOKENS,
    Call,
    PlannedModel,
    address,
    estimated_tokens,
)
from graph_evaluator.records.brief import Brief, Prompt
from graph_evaluator.records.json_text import JsonValue, sha256_of
from graph_evaluator.records.params import GenerateParams, Params
from graph_evaluator.records.response import Answer, Cell
from graph_evaluator.simulate.characters import SIMULATION_VERSION

_CELLS_READ_AT_ONCE = 100
ReadAnswers = Callable[[Sequence[Call]], Mapping[str, Answer]]
"""Gives the answers to calls by fingerprint, where there are any: of the ledger, or of a file."""


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell: the call of each draw that it may take, and its answers so far. The last answer
    counts.
    """

    calls: tuple[Call, ...]
    answers: tuple[Answer, ...] = ()

    @property
    def cell(self) -> Cell:
        """Model, brief and sample by their ids."""
        return self.calls[0].cell

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of each draw."""
        return tuple(call.fingerprint for call in self.calls)

    @property
    def next_call(self) -> Call | None:
        """The call that the cell needs; None once it is complete: draws go on until a success."""
        has_success = bool(self.answers) and self.answers[-1].status == "success"
        left = self.calls[len(self.answers) :]
        return None if has_success or not left else left[0]

    def with_answer(self, answer: Answer) -> "PlannedCell":
        """The cell after one more answer."""
        return replace(self, answers=(*self.answers, answer))

    def with_answers(self, answers: Mapping[str, Answer]) -> "PlannedCell":
        """The cell after those of the answers, by fingerprint, that it needs."""
        planned = self
        while (call := planned.next_call) is not None and call.fingerprint in answers:
            planned = planned.with_answer(answers[call.fingerprint])
        return planned


class RunPlan(NamedTuple):
    """What a run works on; `models` and `cells` are called, `recorded` models never are."""

    params: Params
    prompt: Prompt
    models: tuple[PlannedModel, ...]
    briefs: tuple[Brief, ...]
    cells: tuple[PlannedCell, ...]
    recorded: tuple[PlannedModel, ...] = ()


def plan_cells(
    models: Sequence[PlannedModel],
    prompt: Prompt,
    briefs: Sequence[Brief],
    settings: GenerateParams,
) -> list[PlannedCell]:
    """All cells of a run that are called, by model, brief and sample."""
    cells: list[PlannedCell] = []
    for model in models:
        for brief in briefs:
            first = first_call(model, prompt, brief, settings)
            for sample in range(1, settings.samples + 1):
                draws = range(1, settings.unparsed_draws + 1)
                calls = tuple(_repeated(first, sample, draw) for draw in draws)
                cells.append(PlannedCell(calls))
    return cells


def first_call(model: PlannedModel, prompt: Prompt, brief: Brief, settings: GenerateParams) -> Call:
    """The call for the first draw of the first sample.

    Its identity is everything that can alter the answer, with the prompt's hash. Left out, because
    they cannot alter it: key, headers, limits, price, names and target mode. Simulated models have
    a version of the simulation.
    """
    endpoint, text = model.endpoint, brief.body
    identity: dict[str, JsonValue] = {
        "api": endpoint.api,
        "api_version": endpoint.api_version,
        "endpoint": address(endpoint),
        "model": model.config.model,
        "instructions_sha256": prompt.sha256,
        "input": text,
        "settings": model.settings,
        "round": settings.round,
        "sample": 1,
        "draw": 1,
    }
    if endpoint.simulated:
        identity["simulation"] = SIMULATION_VERSION
    texts_tokens = estimated_tokens(prompt.text) + estimated_tokens(text)
    return Call(
        cell=Cell(model.config.id, brief.id, sample=1),
        planned=model,
        prompt=prompt,
        text=text,
        identity=identity,
        fingerprint=sha256_of(identity),
        input_tokens=texts_tokens + MESSAGE_TOKENS,
        timeout_s=model.timeout_s,
    )


def _repeated(first: Call, sample: int, draw: int) -> Call:
    """The call for another sample and draw."""
    if sample == draw == 1:
        return first
    identity = first.identity | {"sample": sample, "draw": draw}
    return replace(
        first,
        cell=replace(first.cell, sample=sample),
        identity=identity,
        fingerprint=sha256_of(identity),
        draw=draw,
    )


def cells_with_answers(cells: Sequence[PlannedCell], read: ReadAnswers) -> Iterator[PlannedCell]:
    """Every cell with its answers, in order; a hundred are read at a time."""
    for start in range(0, len(cells), _CELLS_READ_AT_ONCE):
        chunk = cells[start : start + _CELLS_READ_AT_ONCE]
        answers = read([call for planned in chunk for call in planned.calls])
        for planned in chunk:
            yield planned.with_answers(answers)


def next_calls(cells: Iterable[PlannedCell]) -> list[Call]:
    """The call that each cell needs next; of cells with equal requests the first one's."""
    calls: dict[str, Call] = {}
    for planned in cells:
        call = planned.next_call
        if call is not None:
            calls.setdefault(call.fingerprint, call)
    return list(calls.values())
