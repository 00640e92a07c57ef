"""`python -m stages.report`: from scorecards to everything that people read."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from rich.console import Console

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph, read
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER
from stages.report.analysis_pack import Example, analysis_pack, example_cells
from stages.report.cells import Row, cell_of, frame_of, with_configs, with_labels
from stages.report.exports import metrics, model_metrics, plots, scores_csv
from stages.report.findings import Findings, find
from stages.report.site import build
from stages.report.stored import Results
from stages.report.summary import best_graph, summary
from stages.report.terminal import terminal
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import remove_others, write_atomic
from stages.shell.inputs import check_responses, load_briefs, load_models, load_params


def main() -> None:
    """Write the metrics, the tables, the pages and the site, and print the findings."""
    check_responses()
    params = load_params().report
    results = Results()
    cells = frame_of(results.cards())
    configs = {one.id: one for one in load_models(_known(cells["model_id"], paths.MODELS, ".json"))}
    briefs = {one.id: one for one in load_briefs(_known(cells["brief_id"], paths.BRIEFS, ".md"))}
    findings = find(
        results.run(),
        with_labels(with_configs(cells, configs), results.labels),
        configs,
        params,
        audit=results.audit(),
        agreement=results.agreement(),
        answered_models=results.answered_models,
        bodies={brief.id: brief.body for brief in briefs.values()},
    )
    _write_tables(findings)
    _write_pages(findings, results, briefs)
    _write_site(build(findings, briefs, results.find))
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = Console()
    width = console.width if console.is_terminal else 120
    Console(width=width, highlight=False).print(terminal(findings, (paths.SITE / "index.html").as_posix(), width))


def _known(ids: Iterable[str], folder: Path, suffix: str) -> list[str]:
    return [one for one in sorted(set(ids)) if IDENTIFIER.fullmatch(one) and (folder / f"{one}{suffix}").is_file()]


def _write_tables(findings: Findings) -> None:
    write_atomic(paths.METRICS, pretty(metrics(findings)))
    write_atomic(paths.METRICS_OF_MODELS, pretty(model_metrics(findings)))
    write_atomic(paths.DECISION, pretty(findings.decision.to_json()))
    write_atomic(paths.SCORES_CSV, scores_csv(findings.run.run_id, findings.cells))
    for name, content in plots(findings).items():
        write_atomic(paths.PLOTS / name, content)


def _write_pages(findings: Findings, results: Results, briefs: dict[str, Brief]) -> None:
    def graph_of(row: Row) -> DraftGraph | None:
        response = results.response(cell_of(row))
        return read(response.parsed_graph)[0] if response else None

    best = best_graph(findings)
    page = summary(findings, best, graph_of(best) if best else None)
    write_atomic(paths.SUMMARY, page.encode("utf-8"))
    chosen = example_cells(findings)
    drafted = [(which, row, graph_of(row)) for which, row in chosen]
    examples = [
        Example(which, row.name, results.card(cell_of(row)), graph)
        for which, row, graph in drafted
        if graph is not None
    ]
    brief = briefs.get(chosen[0][1].brief_id) if chosen else None
    pack = analysis_pack(findings, brief, examples, findings.params.analysis_pack_chars)
    write_atomic(paths.ANALYSIS_PACK, pack.encode("utf-8"))


def _write_site(pages: Iterable[tuple[str, bytes]]) -> None:
    written: set[str] = set()
    for name, content in pages:
        file = paths.SITE / PurePosixPath(name)
        write_atomic(file, content)
        written.add(os.fspath(file))
    remove_others(paths.SITE, written)


if __name__ == "__main__":
    run(main)
