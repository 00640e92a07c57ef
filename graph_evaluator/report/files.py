"""Adapter: reads what the report is made of, and writes its files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from graph_evaluator.present.page import single_file
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.errors import InputError, input_error
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.records.record import parse_record
from graph_evaluator.records.response import Cell, Response, Run
from graph_evaluator.records.run_results import CheckCards
from graph_evaluator.records.scorecard import Scorecard, ScoredCell
from graph_evaluator.report.exports import metrics, models_csv, scores_csv
from graph_evaluator.report.findings import Findings, build_findings
from graph_evaluator.report.reviews import read_notes, read_reviews
from graph_evaluator.report.site.pages import site_files
from graph_evaluator.report.texts import analysis_pack, summary
from graph_evaluator.shell import paths
from graph_evaluator.shell.inputs import (
    load_briefs,
    load_models,
    load_params,
    load_prompt,
    same_text_notes,
)
from graph_evaluator.shell.paths import read_record, remove_others, write_atomic
from graph_evaluator.shell.results import REPRO_AGAIN, check_responses, load_response


class Results:
    """The scored cells of `results/`; a scorecard and a response only when they are asked for.
    InputError if there is no scorecard, one is damaged, or a cell has two.
    """

    def __init__(self) -> None:
        self.cells: list[ScoredCell] = []
        self._lines: dict[Cell, tuple[int, int]] = {}
        name = paths.SCORECARDS.as_posix()
        try:
            with paths.SCORECARDS.open("rb") as file:
                self._read(file, name)
        except OSError as error:
            raise input_error(name, "", f"{error.strerror}: dvc repro makes it") from None
        if not self.cells:
            raise input_error(name, "", "has no scorecard: dvc repro makes it")

    def _read(self, lines: Iterable[bytes], name: str) -> None:
        place = 0
        for number, line in enumerate(lines, start=1):
            cell = parse_record(line, ScoredCell, name, f"line {number}", fix=REPRO_AGAIN)
            if cell.cell in self._lines:
                twice = f"{cell.model_id}, {cell.brief_id}, sample {cell.sample}"
                raise input_error(name, f"line {number}", f"{twice} has two scorecards")
            self._lines[cell.cell] = (place, len(line))
            self.cells.append(cell)
            place += len(line)

    def read_cell(self, cell: Cell) -> tuple[Scorecard, Response | None]:
        """The scorecard and the response of a cell."""
        place, length = self._lines[cell]
        with paths.SCORECARDS.open("rb") as file:
            file.seek(place)
            line = file.read(length)
        return parse_record(line, Scorecard, paths.SCORECARDS.as_posix()), self.response(cell)

    def response(self, cell: Cell) -> Response | None:
        """The response of a cell; None when there is no file of that name that holds one."""
        if not (IDENTIFIER.fullmatch(cell.model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
            return None
        file = paths.RESPONSES / paths.response_file(cell)
        try:
            return load_response(file)
        except InputError:
            return None


def report() -> Findings:
    """Write every file of the stage from what is stored in `results/`; all findings. InputError if
    something cannot be read.
    """
    run = check_responses()
    if run is None:
        raise input_error(paths.RUN, "", "there is no such file: dvc repro makes it")
    params = load_params()
    results = Results()
    cells = results.cells
    models = {cell.model_id for cell in cells}
    config_ids = _with_file(models, paths.MODELS, ".json")
    brief_ids = _with_file({cell.brief_id for cell in cells}, paths.BRIEFS, ".md")
    briefs = {brief.id: brief for brief in load_briefs(brief_ids)}
    findings = build_findings(
        run,
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
