"""Which cells a run has, what is asked for each of them, and under which fingerprints its answers are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import GenerateParams
from stages.contracts.response import Cell
from stages.generate.call import Endpoint
from stages.generate.plan.fingerprint import canonical_request, fingerprint_of
from stages.generate.plan.request import Request, build_request


@dataclass(frozen=True)
class PlannedCell:
    """One cell: its request, and for each draw it may take (from 1) the canonical request and its fingerprint."""

    cell: Cell
    config: ModelConfig
    request: Request
    round_number: int
    canonical: tuple[str, ...]
    fingerprints: tuple[str, ...]


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
    cells: list[PlannedCell] = []
    for config, endpoint in models:
        for brief in briefs:
            request = build_request(
                config,
                endpoint,
                brief,
                instructions=instructions,
                instructions_sha256=instructions_sha256,
                schema=schema,
            )
            for sample in range(1, settings.samples + 1):
                canonical = tuple(
                    canonical_request(request, round_number=settings.round, sample=sample, draw=draw)
                    for draw in range(1, settings.unparsed_draws + 1)
                )
                cells.append(
                    PlannedCell(
                        cell=Cell(config.id, brief.id, sample),
                        config=config,
                        request=request,
                        round_number=settings.round,
                        canonical=canonical,
                        fingerprints=tuple(fingerprint_of(text) for text in canonical),
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
