"""Adapter: reads what stages write, for later stages and commands: `results/run.json`, the files of
responses, and the scorecards.

Responses may be written by hand or by another tool: whatever is optional may be missing or null,
other keys are ignored, and the names that some tools write for numbers that JSON cannot hold are
read (a graph that has one is invalid).
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from graph_evaluator.records.errors import InputError, Problem, input_error, read_as, refuse
from graph_evaluator.records.json_text import NotJson, parse
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER
from graph_evaluator.records.record import parse_record
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.records.run_results import Run
from graph_evaluator.records.scorecard import Scorecard, ScoredCell
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import decode, folder_sha256

REPRO_AGAIN = "dvc repro -f makes it again"
_PARTS = frozenset({"cell", "answer", "measured", "usage", "cost"})
_SAMPLE = re.compile(r"response-([1-9][0-9]{0,8})\.json")


def read_run(content: bytes) -> Run:
    """The manifest in the content of its file; InputError if this version did not write it."""
    return parse_record(content, Run, paths.RUN.as_posix(), fix=REPRO_AGAIN)


def run_if_readable(content: bytes | None) -> Run | None:
    """The manifest in the content of its file; None without a file that this version wrote."""
    with suppress(InputError):
        return read_run(content or b"")
    return None


def check_responses() -> Run | None:
    """Check that `results/responses` holds what `results/run.json` was written with; without a
    manifest or hash anything is accepted. Returns the manifest; None if there is none, as for
    responses of another tool.

    Raises:
        InputError: the manifest cannot be read, or the responses are missing, or other ones, as
            after `git checkout` or `git merge` without `dvc checkout`.
    """
    if not paths.RUN.is_file():
        return None
    manifest = read_run(paths.RUN.read_bytes())
    recorded = manifest.responses_sha256
    if recorded is not None and recorded != folder_sha256(paths.RESPONSES):
        advice = "run `dvc checkout`, or `dvc repro` to write it again"
        message = f"is not what {paths.RUN} was written with: {advice}"
        if not paths.RESPONSES.exists():
            message = "is missing: run `dvc pull` to fetch it, or `dvc repro` to make it"
        raise input_error(paths.RESPONSES, "", message)
    return manifest


def response_files(folder: Path) -> list[Path]:
    """Every `response*.json` below a folder: by folder, then by sample."""
    files = [path for path in folder.rglob("response*.json") if path.is_file()]
    return sorted(files, key=lambda path: (path.parent, sample_named(path.name), path.name))


def sample_named(file_name: str) -> int:
    """The sample that a file's name means: 1, unless the name is response-N.json.

    >>> sample_named("response-12.json"), sample_named("response-by-hand.json")
    (12, 1)
    """
    match = _SAMPLE.fullmatch(file_name)
    return int(match[1]) if match else 1


def load_response(file: Path) -> Response:
    """The response in a file; errors as `read_response`, and one of the system too."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise input_error(file, "", f"cannot be read: {error.strerror}") from None
    return read_response(raw, file=str(file))


def read_response(raw: bytes, *, file: str) -> Response:
    """The response in the bytes of its file; a missing sample is that of the file's name.

    Raises:
        InputError: no JSON object; `model_id`, `brief_id` or `status` is missing; or a value is of
            the wrong type.
    """
    try:
        values = parse(decode(raw, file))
    except NotJson as error:
        raise input_error(file, "", f"is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise input_error(file, "", "must be a JSON object")
    stated = {key: value for key, value in values.items() if value is not None}
    named = {"sample": sample_named(PurePosixPath(file).name)} | stated
    try:
        response = read_as(Response, named, file=file)
    except InputError as error:
        raise InputError(map(_with_flat_key, error.problems)) from None
    cell = response.cell
    problems = [
        Problem(file, key, f"must be {ID_RULE}, found {name[:60]!r}")
        for key, name in (("model_id", cell.model_id), ("brief_id", cell.brief_id))
        if not IDENTIFIER.fullmatch(name)
    ]
    if cell.sample < 1:
        problems.append(Problem(file, "sample", f"counts from 1, found {cell.sample}"))
    refuse(problems)
    return response


def _with_flat_key(problem: Problem) -> Problem:
    """The problem under its key in the file, where the parts of a response are flat."""
    keys = [key for key in problem.where.split(".") if key not in _PARTS]
    return replace(problem, where=".".join(keys))


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
