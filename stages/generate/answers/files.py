"""The response files of a run: read for adoption, written, and removed when their cell is no longer selected."""

import hashlib
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from stages.contracts.cell import Cell
from stages.contracts.json_text import JsonValue, NotJson, parse, pretty
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.generate.answers.recall import Ingredients, Trace
from stages.generate.call import Answer
from stages.generate.plan.cell_plan import PlannedCell
from stages.shell.files import remove_others, write_atomic
from stages.shell.paths import response_name

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_WRITERS = 4
_WAITING = 64
"""How many responses wait to be written at most, for the disk may be slower than what makes them."""


def content_of(response: Response) -> bytes:
    """The bytes of a response file: equal responses, equal bytes."""
    return pretty(response.to_json())


class ResponseFiles:
    """The response files of a run. Use it as a context: leaving it without an error removes every other file of the folder.

    `changed` tells, after that, whether any file was written anew or removed.

    Args:
        folder: Where they are.
        ingredients: Names what responses are made of.
        before: The traces of the responses that an earlier run wrote.
    """

    def __init__(self, folder: Path, ingredients: Ingredients, before: Mapping[str, Trace]) -> None:
        self._folder = folder
        self._ingredients = ingredients
        self._before = before
        self._names: dict[Cell, str] = {}
        self._kept: set[str] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._written: deque[Future[bool]] = deque()
        self.changed = False
        self.traces: dict[str, Trace] = {}

    def __enter__(self) -> Self:
        """The files themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish writing; raises what went wrong with it."""
        if self._pool is not None:
            self._pool.shutdown()
        if error is None:
            self._finish(leaving=0)
            self.changed |= remove_others(self._folder, self._kept) > 0

    def standing(self, planned: PlannedCell, answers: Mapping[str, Answer]) -> Trace | None:
        """The trace of an answered cell's file, if it holds the very bytes that its answers make; else None: write it."""
        name = self._ingredients.name(planned, answers)
        known = self._before.get(name)
        file = _path(self._folder, planned.cell)
        if known is None or _sha256(file) != known.sha256:
            self._names[planned.cell] = name
            return None
        self._kept.add(file)
        self.traces[name] = known
        return known

    def write(self, response: Response) -> None:
        """Write a response; the next run knows its file again if `standing` was asked about its cell."""
        file = _path(self._folder, response.cell)
        self._kept.add(file)
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # a run that writes nothing does without

            self._pool = ThreadPoolExecutor(_WRITERS)
        self._finish(leaving=_WAITING)
        self._written.append(self._pool.submit(self._write, file, response, self._names.pop(response.cell, None)))

    def _finish(self, *, leaving: int) -> None:
        while len(self._written) > leaving:
            self.changed |= self._written.popleft().result()

    def _write(self, file: str, response: Response, name: str | None) -> bool:
        content = content_of(response)
        if name is not None:
            self.traces[name] = Trace(hashlib.sha256(content).hexdigest(), response.status, response.measured.simulated)
        return write_atomic(file, content)


def read_response(folder: Path, cell: Cell) -> Response | None:
    """The response of a cell that is in the folder; None when there is none that can be read."""
    try:
        found: JsonValue = parse(Path(_path(folder, cell)).read_bytes())
        return Response.read(found)
    except (OSError, NotJson, ValidationError):
        return None


def read_run(file: Path) -> Run | None:
    """The manifest of the run before; None when there is none that can be read."""
    try:
        return Run.read(parse(file.read_bytes()))
    except (OSError, NotJson, ValidationError):
        return None


def _path(folder: Path, cell: Cell) -> str:
    return os.path.join(folder, cell.model_id, cell.brief_id, response_name(cell.sample))  # thrice as fast as a Path


def _sha256(file: str) -> str | None:
    try:
        with open(file, "rb", buffering=0) as handle:
            return hashlib.sha256(handle.read()).hexdigest()
    except OSError:
        return None
