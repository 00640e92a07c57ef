"""The files of the project: their paths, the only place that names them; and how they are read
strictly, written atomically, and removed when nothing keeps them.
"""

import codecs
import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path, PurePath
from typing import BinaryIO

from graph_evaluator.records.errors import Model, input_error
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.record import Record, parse_record
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


def read_input(path: Path) -> str:
    """The text of a file that a person wrote: it is hashed and sent, so it must not depend on an
    editor. InputError if there is no such file, or it is not UTF-8.
    """
    if not path.is_file():
        raise input_error(path, "", "there is no such file")
    return decode(path.read_bytes(), path.as_posix())


def decode(raw: bytes, name: str) -> str:
    """The text in the bytes of a file, without byte order mark and with LF line ends; InputError
    if it is not UTF-8.
    """
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise input_error(name, "", "is not UTF-8: save the file as UTF-8") from None


def write_atomic(path: Path, content: bytes) -> None:
    """Write a whole file or nothing, by renaming a temporary file next to it. A missing folder is
    made.

    Leaves the file alone, its time stamp too, when it already has the content.
    """
    with suppress(FileNotFoundError):
        if path.stat().st_size == len(content) and path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)


def write_record(path: Path, record: Record) -> None:
    """Write a record as JSON, as `write_atomic` does."""
    write_atomic(path, pretty(record.to_json()))


def read_record(path: Path, record: type[Model], fix: str) -> Model | None:
    """The record that a file contains; None where there is no file. InputError says the fix."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    return parse_record(content, record, path.as_posix(), fix=fix)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when all went well; nothing is left of it otherwise.
    Its folder exists.
    """
    unique = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unique.open("wb") as file:
            yield file
        unique.replace(path)
    except BaseException:
        with suppress(OSError):
            unique.unlink()
        raise


def folder_sha256(folder: Path) -> str:
    """The hash of all files below a folder; of an absent folder as of an empty one."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return files_sha256(
        {path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    )


def files_sha256(hashes: Mapping[PurePath, str]) -> str:
    """The hash of files by relative path and the SHA-256 of their content."""
    digest = hashlib.sha256()
    for file in sorted(hashes):
        digest.update(f"{file.as_posix()}\0{hashes[file]}\n".encode())
    return digest.hexdigest()


def remove_others(folder: Path, keep: Collection[Path]) -> None:
    """Remove every file below a folder but those to keep, and the folders that are left empty;
    links are not followed.
    """
    for root, folders, files in os.walk(folder, topdown=False):
        links = [name for name in folders if Path(root, name).is_symlink()]
        for path in (Path(root, name) for name in (*files, *links)):
            if path not in keep:
                path.unlink()
        if Path(root) != folder and not os.listdir(root):
            os.rmdir(root)


def environment_variables() -> dict[str, str]:
    """The environment's variables above those of the repository's `.env`, without empty ones."""
    from dotenv import dotenv_values

    file = repository() / ".env"
    written = dotenv_values(stream=StringIO(read_input(file) if file.exists() else ""))
    return {key: value for key, value in (written | dict(os.environ)).items() if value}
