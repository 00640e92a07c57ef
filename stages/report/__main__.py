"""`python -m stages.report`: from scorecards to everything that people read."""

import stages.shell.interrupt  # noqa: F401, I001 - first, so that Ctrl-C is quiet while the rest loads
import os
import sys
from collections.abc import Iterable
from pathlib import PurePosixPath

from rich.console import Console

from stages.contracts.brief import Brief
from stages.contracts.graph import read
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER, ModelConfig
from stages.contracts.cell import Cell
from stages.report import site
from stages.report.analysis_pack import analysis_pack
from stages.report.cells import CellResult, cell_result, in_modes
from stages.report.digest import Digest, digest_of
from stages.report.manifest import manifest_of
from stages.report.metrics import metrics
from stages.report.plots import plots
from stages.report.scores_csv import scores_csv
from stages.report.site.evidence import Page
from stages.report.stored import Stored
from stages.report.summary import best_cell, summary
from stages.report.telling_cells import telling_cells
from stages.report.terminal import terminal
from stages.report.workers import each
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import remove_others, write_atomic
from stages.shell.inputs import load_briefs, load_models, load_params

CHARS_PER_GRAPH = 400
"""No graph with its heading is shorter, so that no more of them are read than can fit into the pack."""


def main() -> None:
    """Write the metrics, the tables, the pages and the site, and print the findings."""
    params = load_params().report
    stored = Stored()
    read = [cell_result(card) for card in stored.cards()]
    configs = _configs({cell.model_id for cell in read})
    cells = in_modes(read, {key: config.target_mode for key, config in configs.items()})
    digest = digest_of(stored.run() or manifest_of(cells), cells, configs, params)
    _write_tables(digest)
    _write_pages(digest, stored, params.analysis_pack_chars)
    _write_site(site.build(digest, _briefs(digest.cells), stored.evidence, each))
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = Console()
    width = console.width if console.is_terminal else 120
    Console(width=width, highlight=False).print(terminal(digest, (paths.SITE / "index.html").as_posix(), width))


def _configs(model_ids: Iterable[str]) -> dict[str, ModelConfig]:
    there = [key for key in sorted(model_ids) if IDENTIFIER.fullmatch(key) and (paths.MODELS / f"{key}.json").is_file()]
    return {config.id: config for config in load_models(there)}


def _briefs(cells: Iterable[CellResult]) -> dict[str, Brief]:
    ids = sorted({cell.brief_id for cell in cells})
    there = [key for key in ids if IDENTIFIER.fullmatch(key) and (paths.BRIEFS / f"{key}.md").is_file()]
    return {brief.id: brief for brief in load_briefs(there)}


def _write_tables(digest: Digest) -> None:
    write_atomic(paths.METRICS, pretty(metrics(digest.leaderboard)))
    write_atomic(paths.SCORES_CSV, scores_csv(digest.run.run_id, digest.cells))
    for name, content in plots(digest).items():
        write_atomic(paths.PLOTS / name, content)


def _write_pages(digest: Digest, stored: Stored, limit: int) -> None:
    best = best_cell(digest)
    answer = stored.response(best) if best else None
    drawn = (best, read(answer.parsed_graph)[0]) if best and answer else None
    write_atomic(paths.SUMMARY, summary(digest, drawn).encode("utf-8"))
    telling = telling_cells(digest, limit // CHARS_PER_GRAPH + 1)
    shown: list[Cell] = [one.cell.cell for one in telling]
    cards = {cell: stored.card(cell) for cell in shown}
    graphs = {cell: found.parsed_graph for cell in shown if (found := stored.response(cell)) is not None}
    write_atomic(paths.ANALYSIS_PACK, analysis_pack(digest, telling, cards, graphs, limit).encode("utf-8"))


def _write_site(pages: Iterable[Page]) -> None:
    written: set[str] = set()
    for name, content in pages:
        file = paths.SITE / PurePosixPath(name)
        write_atomic(file, content)
        written.add(os.fspath(file))
    remove_others(paths.SITE, written)


if __name__ == "__main__":
    run(main)
