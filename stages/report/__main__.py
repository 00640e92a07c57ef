"""`python -m stages.report`: from scorecards to everything that people read."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from rich.console import Console

from stages.contracts.brief import Brief
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER
from stages.report.analysis_pack import analysis_pack
from stages.report.cells import frame_of, with_configs, with_responses
from stages.report.exports import metrics, model_metrics, plots, scores_csv
from stages.report.findings import Findings, find
from stages.report.site import build
from stages.report.stored import Results
from stages.report.summary import summary
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
        with_responses(with_configs(cells, configs), results.response),
        configs,
        params,
        audit=results.audit(),
        agreement=results.agreement(),
        bodies={brief.id: brief.body for brief in briefs.values()},
    )
    _write_tables(findings)
    _write_pages(findings, results, briefs)
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
    write_atomic(paths.SUMMARY, summary(findings, results.response).encode("utf-8"))
    pack = analysis_pack(findings, briefs, results.find, findings.params.analysis_pack_chars)
    write_atomic(paths.ANALYSIS_PACK, pack.encode("utf-8"))
    written: set[str] = set()
    for name, content in build(findings, briefs, results.find):
        file = paths.SITE / PurePosixPath(name)
        write_atomic(file, content)
        written.add(os.fspath(file))
    remove_others(paths.SITE, written)


if __name__ == "__main__":
    run(main)
