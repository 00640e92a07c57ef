"""`python -m stages.report`: from scorecards to everything that people read."""

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from rich.console import Console

from stages.contracts.brief import Brief
from stages.contracts.graph import read
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER, ModelConfig
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
    configs = _configs(cells["model_id"])
    cells = with_labels(with_configs(cells, configs), results.labels)
    briefs = _briefs(cells["brief_id"])
    bodies = {brief.id: brief.body for brief in briefs.values()}
    findings = find(results.run(), cells, configs, params, results.audit(), results.answered_models, bodies)
    findings = replace(findings, agreement=results.agreement())
    _write_tables(findings)
    _write_pages(findings, results, briefs)
    _write_site(build(findings, briefs, results.find))
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = Console()
    width = console.width if console.is_terminal else 120
    Console(width=width, highlight=False).print(terminal(findings, (paths.SITE / "index.html").as_posix(), width))


def _configs(model_ids: Iterable[str]) -> dict[str, ModelConfig]:
    known = [
        one for one in sorted(set(model_ids)) if IDENTIFIER.fullmatch(one) and (paths.MODELS / f"{one}.json").is_file()
    ]
    return {config.id: config for config in load_models(known)}


def _briefs(brief_ids: Iterable[str]) -> dict[str, Brief]:
    known = [
        one for one in sorted(set(brief_ids)) if IDENTIFIER.fullmatch(one) and (paths.BRIEFS / f"{one}.md").is_file()
    ]
    return {brief.id: brief for brief in load_briefs(known)}


def _write_tables(findings: Findings) -> None:
    write_atomic(paths.METRICS, pretty(metrics(findings)))
    write_atomic(paths.METRICS_OF_MODELS, pretty(model_metrics(findings)))
    write_atomic(paths.DECISION, pretty(findings.decision.to_json()))
    write_atomic(paths.SCORES_CSV, scores_csv(findings.run.run_id, findings.cells))
    for name, content in plots(findings).items():
        write_atomic(paths.PLOTS / name, content)


def _write_pages(findings: Findings, results: Results, briefs: dict[str, Brief]) -> None:
    best = best_graph(findings)
    example = _example("best", best, results) if best else None
    write_atomic(paths.SUMMARY, summary(findings, best, example.graph if example else None).encode("utf-8"))
    chosen = example_cells(findings)
    examples = [one for title, row in chosen if (one := _example(title, row, results)) is not None]
    brief = briefs.get(chosen[0][1].brief_id) if chosen else None
    pack = analysis_pack(findings, brief, examples, findings.params.analysis_pack_chars)
    write_atomic(paths.ANALYSIS_PACK, pack.encode("utf-8"))


def _example(title: str, row: Row, results: Results) -> Example | None:
    card, response = results.find(cell_of(row))
    return Example(title, row.name, card, read(response.parsed_graph)[0]) if response else None


def _write_site(pages: Iterable[tuple[str, bytes]]) -> None:
    written: set[str] = set()
    for name, content in pages:
        file = paths.SITE / PurePosixPath(name)
        write_atomic(file, content)
        written.add(os.fspath(file))
    remove_others(paths.SITE, written)


if __name__ == "__main__":
    run(main)
