"""The one place that names the files of the project, relative to the repository."""

import os
from pathlib import Path

from graph_evaluator.records.response import Cell

PARAMS = Path("params.yaml")
PROMPTS = Path("prompts")
DRAFT_SCHEMA = PROMPTS / "draft_graph.schema.json"
BRIEFS = Path("briefs")
CODEBOOKS = Path("codebooks")
CHECKS = Path("checks")
MODELS = Path("models")
REVIEWS = Path("reviews")
ANSWERS = Path("answers")
RESULTS = Path("results")
RESPONSES = RESULTS / "responses"
RUN = RESULTS / "run.json"
SCORECARDS = RESULTS / "scorecards.jsonl"
CHECK_CARDS = RESULTS / "checks.json"
METRICS = RESULTS / "metrics.json"
DECISION = RESULTS / "decision.json"
SCORES_CSV = RESULTS / "scores.csv"
SUMMARY = RESULTS / "summary.md"
ANALYSIS_PACK = RESULTS / "analysis-pack.md"
PLOTS = RESULTS / "plots"
SITE = RESULTS / "site"
LEDGER = Path(".ledger")
"""The folder of the ledger, under the environment's `DVC_ROOT`; `GRAPH_EVALUATOR_LEDGER` names
another.
"""


def response_file(cell: Cell) -> Path:
    """The file of one response below `RESPONSES`: MODEL/BRIEF/response.json, then response-2.json
    and so on.
    """
    name = "response.json" if cell.sample == 1 else f"response-{cell.sample}.json"
    return Path(cell.model_id, cell.brief_id, name)


def repository() -> Path:
    """The repository that owns the ledger and `.env`: `DVC_ROOT`, which names it also in a
    temporary copy.

    Without DVC it is the nearest folder upwards that holds `dvc.yaml`, else the working directory.
    """
    named = os.environ.get("DVC_ROOT")
    if named:
        return Path(named)
    here = Path.cwd()
    return next(
        (folder for folder in (here, *here.parents) if (folder / "dvc.yaml").is_file()), here
    )


def ledger_folder() -> Path:
    """The folder of the ledger: `GRAPH_EVALUATOR_LEDGER`, from the repository on, else
    `.ledger`.
    """
    named = os.environ.get("GRAPH_EVALUATOR_LEDGER")
    return repository() / (Path(named).expanduser() if named else LEDGER)


def way_to_site(file: Path) -> str:
    """The relative path from a file to the site; empty if there is none."""
    if not (SITE / "index.html").is_file():
        return ""
    return Path(os.path.relpath(SITE, file.parent)).as_posix()
