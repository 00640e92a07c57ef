"""Which cells a run has, what is asked for each of them, and under which fingerprints its answers are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import GenerateParams
from stages.generate.call import Endpoint
from stages.generate.plan.fingerprint import Wording, canonical_request, fingerprint_of, worded
from stages.generate.plan.request import Request, build_requests


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell: its request, and the fingerprint of each draw that it may take (from 1)."""

    cell: Cell
    config: ModelConfig
    request: Request
    round_number: int
    fingerprints: tuple[str, ...]

    @property
    def canonical(self) -> tuple[str, ...]:
        """The canonical request of each draw; made when asked for, as those of all cells would fill the memory."""
        return tuple(
            canonical_request(self.request, round_number=self.round_number, sample=self.cell.sample, draw=draw)
            for draw in range(1, len(self.fingerprints) + 1)
        )


def plan_cells(
    models: Sequence[tuple[ModelConfig, Endpoint]],
    briefs: Sequence[Brief],
    settings: GenerateParams,
    *,
    instructions: str,
    instructions_sha256: str,
    schema: dict[str, JsonValue] | None,
) -> list[PlannedCell]:
    """All cells of a run, by model, brief and sample."""
    if not briefs:
        return []
    cells: list[PlannedCell] = []
    inputs = [worded(brief.body) for brief in briefs]
    for config, endpoint in models:
        requests = build_requests(
            config, endpoint, briefs, instructions=instructions, instructions_sha256=instructions_sha256, schema=schema
        )
        wording = Wording(requests[0], round_number=settings.round)
        for brief, request, worded_input in zip(briefs, requests, inputs, strict=True):
            for sample in range(1, settings.samples + 1):
                texts = [
                    wording.text(worded_input, sample=sample, draw=draw)
                    for draw in range(1, settings.unparsed_draws + 1)
                ]
                cells.append(
                    PlannedCell(
                        cell=Cell(config.id, brief.id, sample),
                        config=config,
                        request=request,
                        round_number=settings.round,
                        fingerprints=tuple(map(fingerprint_of, texts)),
                    )
                )
    return cells


def by_fingerprint(cells: Sequence[PlannedCell]) -> Mapping[str, tuple[PlannedCell, int]]:
    """The cell and the draw (from 1) of each fingerprint; of cells that ask the very same the first one."""
    found: dict[str, tuple[PlannedCell, int]] = {}
    for planned in cells:
        for index, fingerprint in enumerate(planned.fingerprints):
            found.setdefault(fingerprint, (planned, index + 1))
    return found
