"""What a run works on: its cells, what is sent for each of them, and under which fingerprints their
answers are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stages.contracts.brief import Brief, Expectations, Prompt, prompt_of
from stages.contracts.json_text import JsonValue
from stages.contracts.params import GenerateParams, Params
from stages.contracts.response import Cell
from stages.generate.answers.answer import Answer
from stages.generate.answers.draws import Draw, read_draw
from stages.generate.apis.kind import Turn
from stages.generate.plan.call import (
    MESSAGE_TOKENS,
    Call,
    canonical_request,
    estimated_tokens,
    fingerprint_of,
)
from stages.generate.plan.endpoint import address
from stages.generate.plan.models import PlannedModel, asked_for_text
from stages.generate.plan.repair import RepairRules, repair_call
from stages.simulate import SIMULATION_VERSION

TEXT = "text"
"""The brief of the cells whose answers are text, no graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCell:
    """One cell, with the fingerprint of each draw that it may take, the estimated input and the
    highest cost of one call.

    `cost_upper_usd` is None when no price is known, `repair` without a repair turn.
    """

    model: PlannedModel
    prompt: Prompt
    brief: Brief
    sample: int
    round_number: int
    fingerprints: tuple[str, ...]
    input_tokens: int
    cost_upper_usd: float | None
    repair: RepairRules | None = None

    @property
    def cell(self) -> Cell:
        """Model, brief and sample by their ids."""
        return Cell(self.model.config.id, self.brief.id, self.sample)

    def identity(self, draw: int) -> dict[str, JsonValue]:
        """Everything that can alter the answer to a draw (from 1), with the prompt's hash.

        Left out, because they cannot alter it: key, headers, limits, price, names and target mode.
        Simulated models have a version of the simulation.
        """
        endpoint = self.model.endpoint
        identity: dict[str, JsonValue] = {
            "api": endpoint.api,
            "api_version": endpoint.api_version,
            "endpoint": address(endpoint),
            "model": self.model.config.model,
            "instructions_sha256": self.prompt.sha256,
            "input": self.brief.body,
            "settings": self.model.settings,
            "round": self.round_number,
            "sample": self.sample,
            "draw": draw,
        }
        if endpoint.simulated:
            identity["simulation"] = SIMULATION_VERSION
        return identity

    def call(self, draw: int) -> Call:
        """The call for a draw (from 1)."""
        model = self.model
        return Call(
            cell=self.cell,
            endpoint=model.endpoint,
            model=model.config.model,
            instructions=self.prompt.text,
            instructions_sha256=self.prompt.sha256,
            turns=(Turn("user", self.brief.body),),
            settings=model.settings,
            identity=self.identity(draw),
            fingerprint=self.fingerprints[draw - 1],
            draw=draw,
            input_tokens=self.input_tokens,
            most_output_tokens=model.most_output_tokens,
            cost_upper_usd=self.cost_upper_usd,
            prices=model.prices,
            timeout_s=model.timeout_s,
        )

    def repair_call(self, draw: Draw) -> Call | None:
        """The call that sends the answer of the last draw back; None when it needs no repair."""
        if self.repair is None:
            return None
        return repair_call(self.call(draw.number), draw, self.repair)

    def read_draw(self, call: Call, answer: Answer) -> Draw:
        """The answer to a call of the cell, read as the settings that were sent ask for."""
        params = self.model.config.params
        structured = params.response_format == "json_schema"
        draw = read_draw(call.draw, answer, bound=params.max_output_tokens, structured=structured)
        return replace(draw, is_repair=call.is_repair)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run works on; `models` and `cells` are called, `recorded` models never are.

    `repair` is None without a repair turn.
    """

    params: Params
    prompt: Prompt
    models: tuple[PlannedModel, ...]
    briefs: tuple[Brief, ...]
    cells: tuple[PlannedCell, ...]
    recorded: tuple[PlannedModel, ...] = ()
    repair: RepairRules | None = None

    @property
    def called(self) -> "RunPlan":
        """What is called of it: without recorded models, and briefs that only they answered."""
        briefs = tuple(brief for brief in self.briefs if brief.purpose != "traffic")
        return replace(self, briefs=briefs, recorded=())


def plan_cells(
    models: Sequence[PlannedModel],
    prompt: Prompt,
    briefs: Sequence[Brief],
    settings: GenerateParams,
    repair: RepairRules | None = None,
) -> list[PlannedCell]:
    """All cells of a run that are called, by model, brief and sample: none for a brief of
    traffic.
    """
    cells: list[PlannedCell] = []
    called_briefs = [brief for brief in briefs if brief.purpose != "traffic"]
    prompt_tokens = estimated_tokens(prompt.text) + MESSAGE_TOKENS
    brief_tokens = {brief.id: estimated_tokens(brief.body) for brief in called_briefs}
    for model in models:
        for brief in called_briefs:
            input_tokens = prompt_tokens + brief_tokens[brief.id]
            cost_upper_usd = model.prices.upper_usd(input_tokens, model.most_output_tokens)
            samples = 1 if brief.purpose == "reliability" else settings.samples
            for sample in range(1, samples + 1):
                cell = PlannedCell(
                    model=model,
                    prompt=prompt,
                    brief=brief,
                    sample=sample,
                    round_number=settings.round,
                    fingerprints=(),
                    input_tokens=input_tokens,
                    cost_upper_usd=cost_upper_usd,
                    repair=repair,
                )
                cells.append(_with_fingerprints(cell, settings.unparsed_draws))
    return cells


def text_cell(model: PlannedModel, instructions: str, text: str, number: int) -> PlannedCell:
    """The cell of a text that a model is asked to answer with text, for the `number`-th time."""
    prompt, brief = prompt_of(TEXT, instructions), Brief(TEXT, Expectations(), text, "")
    settings = GenerateParams.model_validate({"samples": number})
    return plan_cells([asked_for_text(model)], prompt, [brief], settings)[-1]


def _with_fingerprints(cell: PlannedCell, draws: int) -> PlannedCell:
    requests = [canonical_request(cell.identity(draw)) for draw in range(1, draws + 1)]
    return replace(cell, fingerprints=tuple(map(fingerprint_of, requests)))


def by_fingerprint(cells: Sequence[PlannedCell]) -> Mapping[str, Call]:
    """The call that each fingerprint is of; that of the first of several cells with equal
    requests.
    """
    calls = (
        planned.call(draw)
        for planned in reversed(cells)
        for draw in range(1, len(planned.fingerprints) + 1)
    )
    return {call.fingerprint: call for call in calls}
