"""A brief's page: what every model made of it, the best graphs side by side, and its text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.graph import read
from stages.report import number_formats as show
from stages.report.cells import CellResult
from stages.report.leaderboard import BriefStanding
from stages.report.site.addresses import brief_page, cell_page, root_of
from stages.report.site.cards import Fact
from stages.report.site.cell_rows import cell_table
from stages.report.site.evidence import Find, Page
from stages.report.site.frame import Frame, page
from stages.report.site.side_by_side import Drafted, pairs
from stages.report.visible_text import visible_lines

MAX_DRAFTS = 6
MAX_BODY = 100_000


@dataclass(frozen=True)
class BriefPages:
    """Makes the page of any brief of a run: `cells` by brief, `names` the models' names."""

    frame: Frame
    standings: Mapping[str, BriefStanding]
    briefs: Mapping[str, Brief]
    cells: Mapping[str, Sequence[CellResult]]
    names: Mapping[str, str]
    find: Find

    def __call__(self, brief_id: str) -> Page:
        """The page of a brief."""
        at = brief_page(brief_id)
        root = root_of(at)
        brief, cells, names = self.briefs.get(brief_id), self.cells.get(brief_id, ()), self.names
        drafts = _drafts(cells, names, self.find, root)
        content: dict[str, object] = {
            "lede": f"What {show.count(len({cell.model_id for cell in cells}))} models made of this brief.",
            "facts": _facts(self.standings[brief_id], brief),
            "cells": cell_table(cells, root=root, by="Model", names=dict(names), caption=f"Cells of {brief_id}"),
            "pairs": pairs(drafts) if len(drafts) > 1 else (),
            "pairs_note": _pairs_note(drafts, cells),
            "body": visible_lines(brief.body[:MAX_BODY]) if brief else "",
        }
        return page(self.frame, "brief", at, brief_id, (), content)


def _facts(standing: BriefStanding, brief: Brief | None) -> tuple[Fact, ...]:
    counts = standing.counts
    facts: list[Fact] = [
        ("Complexity", standing.complexity, ""),
        ("Expected score", show.score(standing.expected_score), "mean over all models"),
        ("Valid graphs", show.share(counts.valid_share), f"{show.count(counts.scored)} of {show.count(counts.cells)}"),
        ("Best", show.score(standing.best_score), standing.best_model or ""),
        ("Worst", show.score(standing.worst_score), standing.worst_model or ""),
    ]
    if brief is not None:
        expects = brief.expectations
        facts.append(("Status quo option", "expected" if expects.expect_status_quo else "not expected", ""))
        facts.append(("Numeric target", "in the brief" if expects.has_numeric_target else "none", ""))
    return tuple(facts)


def _drafts(cells: Sequence[CellResult], names: Mapping[str, str], find: Find, root: str) -> list[Drafted]:
    """The best cell of each model that has a graph, the best models first."""
    best: dict[str, CellResult] = {}
    for cell in sorted(cells, key=_merit):
        if cell.status == "success":
            best.setdefault(cell.model_id, cell)
    drafts = []
    for cell in list(best.values())[:MAX_DRAFTS]:
        response = find(cell.cell).response
        graph = read(response.parsed_graph)[0] if response else None
        if graph is not None and graph.nodes:
            drafts.append(Drafted(names.get(cell.model_id, cell.model_id), root + cell_page(cell.cell), graph))
    return drafts


def _merit(cell: CellResult) -> tuple[float, str, int]:
    return -(cell.expected_score if cell.expected_score is not None else -1.0), cell.model_id, cell.sample


def _pairs_note(drafts: Sequence[Drafted], cells: Sequence[CellResult]) -> str:
    if not drafts:
        return ""
    models = len({cell.model_id for cell in cells if cell.status == "success"})
    rest = f" Of {models} models with a graph the {len(drafts)} best are shown." if models > len(drafts) else ""
    return (
        f"The best graph, by {drafts[0].name}, against the others. Nodes are the same when their ids or else their "
        f"kinds and labels are.{rest}"
    )
