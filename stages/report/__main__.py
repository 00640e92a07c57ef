"""`python -m stages.report`: from scorecards to everything that people read."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from stages.contracts.brief import Brief
from stages.contracts.json_text import pretty
from stages.contracts.model_config import IDENTIFIER
from stages.report.advice import advice_of
from stages.report.analysis_pack import analysis_pack
from stages.report.cells import frame_of, rows_of, with_configs, with_responses
from stages.report.exports import metrics, model_metrics, plots, scores_csv
from stages.report.findings import Findings, find
from stages.report.site import build
from stages.report.stored import Results
from stages.report.summary import summary
from stages.report.tables import Field, cost_text, failure_fields
from stages.shell import numbers as show
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import remove_others, write_atomic
from stages.shell.inputs import check_responses, load_briefs, load_models, load_params
from stages.shell.text import visible

SHOWN_MODELS = 30
SHOWN_FAILURES = 12
WIDE = 120
"""Columns of a terminal from which everything is shown."""


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
    Console(width=width, highlight=False).print(
        *terminal(findings, (paths.SITE / "index.html").as_posix(), width), sep="\n"
    )


def _known(ids: Iterable[str], folder: Path, suffix: str) -> list[str]:
    return [
        one
        for one in sorted(set(ids))
        if IDENTIFIER.fullmatch(one) and (folder / f"{one}{suffix}").is_file()
    ]


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


def terminal(findings: Findings, site: str, width: int) -> Iterator[RenderableType]:
    """What the end of `dvc repro` prints: the leaderboard, the decisions, what failed and how to fix it, the cost, and where the site is.

    `width` is the terminal's, in columns. Nothing in a label is taken for markup.
    """
    wide, total, fields = width >= WIDE, findings.total, findings.model_fields
    names = "rank name usable score interval cost_per_usable" + (" mode p50 p95" if wide else "")
    yield _grid(
        "Leaderboard", findings.models, fields, names, SHOWN_MODELS, texts=18 if wide else 14
    )
    yield Text(findings.ranking_note, style="dim")
    yield Text()
    for advice in advice_of(findings.decision, findings.models):
        yield Text.assemble((f"{advice.mode}: ", "bold"), visible(advice.text))
    if len(findings.codes):
        yield Text()
        names = "code share meaning fix" if wide else "code share fix"
        yield _grid(
            "What failed", findings.codes, failure_fields(), names, SHOWN_FAILURES, texts=14
        )
    saved = (
        f", {show.money(total.cache_saved_usd)} saved by the prompt cache"
        if total.cache_saved_usd > 0
        else ""
    )
    yield Text()
    yield Text(
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, {show.count(total.usable)} usable; "
        f"cost {cost_text(total)}{saved}"
    )
    for notice in findings.notices:
        yield Text(visible(notice), style="yellow")
    yield Text(f"site: {site}")


def _grid(
    title: str,
    frame: pd.DataFrame,
    fields: Mapping[str, Field],
    names: str,
    most: int,
    *,
    texts: int,
) -> Table:
    """The first rows of a frame; texts are folded to fit, to no less than `texts` columns, numbers are not."""
    grid = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False
    )
    chosen = [fields[name] for name in names.split()]
    rows = [[visible(field.text(row)) for field in chosen] for row in rows_of(frame[:most])]
    for place, field in enumerate(chosen):
        longest = max((len(row[place]) for row in rows), default=0)
        least = longest if field.value else min(longest, 28 if field.code else texts)
        title = field.title.replace(" ", "\n", 1) if field.value else field.title
        grid.add_column(
            title, justify="right" if field.value else "left", overflow="fold", min_width=least
        )
    for row in rows:
        grid.add_row(*map(Text, row))
    if len(frame) > most:
        grid.caption = f"and {show.count(len(frame) - most)} more in results/summary.md"
    return grid


if __name__ == "__main__":
    run(main)
