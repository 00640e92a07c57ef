"""The list of all cells: `cells.html`, and the data that its script filters.

The data are classic scripts, because a browser reads no other file beside a page that is opened
from disk; `cells-filter.js` describes them.
"""

from collections.abc import Iterable, Iterator

from stages.report.columns import OUTCOMES, content_of_cell
from stages.report.failures import code_name, meaning_of, warnings_of_cell
from stages.report.findings import Findings
from stages.report.site.table import PACKAGE
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.page import CELLS, Frame, cell_page, page
from stages.shared.records.graph import read
from stages.shared.records.json_text import JsonObject, JsonValue, line
from stages.shared.records.response import Response
from stages.shared.records.scorecard import Scorecard

MAX_MESSAGES = 20
MAX_MESSAGE = 200
MAX_LABELS = 2_000
"""Characters of a cell's labels that can be searched."""


class CellList:
    """The rows of the list, which are collected while the cells' pages are written."""

    def __init__(self) -> None:
        self._rows: list[tuple[bytes, bytes]] = []
        self._codes: set[str] = set()

    def add(self, cell: ScoredCell, card: Scorecard, response: Response | None) -> None:
        """Add a cell; `response` is None when its file is missing."""
        status = cell.outcome
        codes = list(dict.fromkeys(cell.codes))
        warnings = list(warnings_of_cell(cell))
        self._codes.update([status, *codes, *warnings])
        latency_ms = cell.measured.latency_ms
        seconds = None if latency_ms is None else latency_ms / 1000
        fields: list[JsonValue] = [
            cell_page(cell.cell),
            cell.model_id,
            cell.brief_id,
            cell.sample,
            status,
            [*codes],
            [*warnings],
            _measured(cell.expected_score, 3),
            _measured(content_of_cell(cell), 3),
            _measured(cell.measured.est_cost_usd, 10),
            _measured(seconds, 3),
        ]
        self._rows.append((line(fields), line(_text(cell, card, response))))

    def files(self, frame: Frame, findings: Findings) -> Iterator[tuple[str, bytes]]:
        """The page and its two files of data: rows in the order in which cells were added."""
        names: JsonObject = {
            "models": {model.id: model.name for model in findings.models},
            "codes": {code: code_name(code) for code in sorted(self._codes)},
            "meanings": {code: meaning_of(code)[0] for code in sorted(self._codes)},
        }
        rows = _script("CELLS", [fields for fields, _ in self._rows])
        yield "cells.js", rows + b"window.CELL_NAMES = " + line(names).strip() + b";\n"
        yield "cells-texts.js", _script("CELL_TEXTS", [text for _, text in self._rows])
        yield (
            CELLS,
            page(
                frame,
                "cells.html.j2",
                package=PACKAGE,
                title="All cells",
                at=CELLS,
                models=findings.models,
                unanswered=OUTCOMES["no_answer"],
            ),
        )


def _script(name: str, lines: Iterable[bytes]) -> bytes:
    return f"window.{name} = [\n".encode() + b",".join(lines) + b"];\n"


def _measured(value: float | None, places: int) -> float | None:
    return None if value is None else round(value, places)


def _text(cell: ScoredCell, card: Scorecard, response: Response | None) -> str:
    """The labels of a cell's graph, and the messages about it."""
    checks = [check.message for check in card.fidelity if check.outcome in ("fail", "warn")]
    findings = [finding.message for finding in (*card.violations, *card.warnings)]
    messages = [*findings[:MAX_MESSAGES], *checks]
    if response is not None and response.answer.error_message:
        messages.append(response.answer.error_message)
    graph, _ = read(response.answer.graph if response else None)
    labels = {node.label.casefold().strip() for node in graph.nodes if node.label}
    searched = "\n".join(sorted(labels))[:MAX_LABELS]
    return "\n".join([searched, *(message[:MAX_MESSAGE] for message in messages)])
