"""`graph-evaluator report`: writes the site, the summary and the decision."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from graph_evaluator.present.page import single_file
from graph_evaluator.present.terminal import open_console
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.errors import InputError, input_error
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.records.run_results import CheckCards, Run
from graph_evaluator.report.exports import metrics, models_csv, scores_csv
from graph_evaluator.report.findings import Findings, build_findings
from graph_evaluator.report.reviews import read_notes, read_reviews
from graph_evaluator.report.site.pages import site_files
from graph_evaluator.report.texts import analysis_pack, summary, terminal
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, refuse_next_to_run, run, show
from graph_evaluator.shell.inputs import (
    load_briefs,
    load_models,
    load_params,
    load_prompt,
    same_text_notes,
)
from graph_evaluator.shell.paths import read_record, remove_others, write_atomic
from graph_evaluator.shell.results import REPRO_AGAIN, Results, check_responses

SINGLE_FILE = paths.RESULTS / "site.html"
_INTRODUCTION = """\
When to use it: answers are scored and you want the pages again. `dvc repro` runs it for you.
From results/scorecards.jsonl and results/responses it writes which model to take for each mode, \
how sure that is, what it costs and what failed: results/site/index.html and the other files of \
results/. No model is called."""


def main() -> None:
    """Write the metrics, the tables, the pages and the site, and print the findings."""
    parser = command_parser("report", _INTRODUCTION, "", "--single-file")
    text = f"also write the site as one file to send: {SINGLE_FILE}"
    parser.add_argument("--single-file", action="store_true", help=text)
    options = parser.parse_args()
    refuse_next_to_run()
    findings = report()
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    console = open_console()
    site = (paths.SITE / "index.html").as_posix()
    console.print(*terminal(findings, site, console.width), sep="\n")
    if options.single_file:
        write_single_file(SINGLE_FILE)
        show(f"written: {SINGLE_FILE.as_posix()}")


def report() -> Findings:
    """Write every file of the stage from what is stored in `results/`; all findings. InputError if
    something cannot be read.
    """
    manifest = check_responses()
    if manifest is None:
        raise input_error(paths.RUN, "", "there is no such file: dvc repro makes it")
    params = load_params()
    results = Results()
    cells = results.cells
    models = {cell.model_id for cell in cells}
    config_ids = _with_file(models, paths.MODELS, ".json")
    brief_ids = _with_file({cell.brief_id for cell in cells}, paths.BRIEFS, ".md")
    briefs = {brief.id: brief for brief in load_briefs(brief_ids)}
    findings = build_findings(
        manifest,
        cells,
        {config.id: config for config in load_models(config_ids)},
        params.report,
        params.compare,
        reviews=read_reviews(paths.REVIEWS),
        answer_notes=read_notes(paths.REVIEWS),
        notes_on_briefs=same_text_notes(briefs.values()),
        cards=read_record(paths.CHECK_CARDS, CheckCards, REPRO_AGAIN),
    )
    _write(findings, results, briefs, params.report.analysis_pack_chars)
    return findings


def _with_file(ids: Iterable[str], folder: Path, suffix: str) -> list[str]:
    names = [name for name in sorted(ids) if IDENTIFIER.fullmatch(name)]
    return [name for name in names if (folder / f"{name}{suffix}").is_file()]


def _write(findings: Findings, results: Results, briefs: Mapping[str, Brief], chars: int) -> None:
    models = paths.PLOTS / "models.csv"
    pack = analysis_pack(findings, briefs, results.read_cell, chars)
    contents = {
        paths.METRICS: pretty(metrics(findings)),
        paths.DECISION: pretty(findings.decision.to_json()),
        paths.SCORES_CSV: scores_csv(findings),
        models: models_csv(findings),
        paths.SUMMARY: summary(findings).encode(),
        paths.ANALYSIS_PACK: pack.encode(),
    }
    for file, content in contents.items():
        write_atomic(file, content)
    remove_others(paths.PLOTS, {models})
    written: set[Path] = set()
    prompt = _prompt_text(findings.run)
    for name, content in site_files(findings, briefs, results.read_cell, prompt):
        written.add(paths.SITE / name)
        write_atomic(paths.SITE / name, content)
    remove_others(paths.SITE, written)


def _prompt_text(run: Run) -> str:
    """The text of the run's prompt; empty where the file is gone or was changed."""
    try:
        prompt = load_prompt(run.prompt.path)
    except InputError:
        return ""
    return prompt.text if prompt.sha256 == run.prompt.sha256 else ""


def write_single_file(file: Path) -> None:
    """Write the site that `report` wrote as one file."""
    pages = [page for page in paths.SITE.rglob("*") if page.is_file()]
    files = {page.relative_to(paths.SITE).as_posix(): page.read_bytes() for page in pages}
    write_atomic(file, single_file(files))


if __name__ == "__main__":
    run(main)
