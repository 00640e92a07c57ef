"""Scoring many response files: on one processor, or on all of them where there are enough files for that to pay.

An adapter: reads the response files. The order of the results is the order of the files.
"""

import gc
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.response import Cell
from stages.contracts.scoring_rules import ScoringRules
from stages.score.answer import Answer
from stages.score.scorecard_line import scorecard_line
from stages.score.scorer import Scorer
from stages.score.stored_response import read_response

PAYS_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
_PER_TASK = 200
_READ_AHEAD = 32
_BYTES_AHEAD = 4_000_000


class Scored(NamedTuple):
    """One file: the cell and its line of the scorecards file, or what is wrong with the file."""

    cell: Cell | None = None
    line: bytes = b""
    problems: tuple[Problem, ...] = ()


class FileScorer:
    """Scores response files by one set of rules and briefs."""

    def __init__(self, rules: ScoringRules, briefs: Mapping[str, Brief]) -> None:
        self._scorer = Scorer(rules)
        self._briefs = briefs

    def score(self, files: Iterable[Path]) -> Iterator[Scored]:
        """Score the response in each file, in their order; some are read ahead."""
        stream = iter(files)
        while read := self._read_some(stream):
            scorecards = self._scorer.score_all(found for found in read if isinstance(found, Answer))
            for found in read:
                if isinstance(found, Scored):
                    yield found
                else:
                    yield Scored(found.response.cell, scorecard_line(next(scorecards)))

    def _read_some(self, files: Iterator[Path]) -> list[Answer | Scored]:
        """What is in the next files: so many as are read ahead, fewer where they are large; none at the end."""
        read: list[Answer | Scored] = []
        size = 0
        for file in files:
            try:
                raw = file.read_bytes()
            except OSError as error:
                read.append(Scored(problems=(Problem(file.as_posix(), "", f"cannot be read: {error.strerror}"),)))
            else:
                read.append(self._answer(raw, file.as_posix()))
                size += len(raw)
            if len(read) == _READ_AHEAD or size > _BYTES_AHEAD:
                break
        return read

    def _answer(self, raw: bytes, name: str) -> Answer | Scored:
        try:
            response, reading = read_response(raw, file=name)
        except InputError as error:
            return Scored(problems=error.problems)
        brief = self._briefs.get(response.brief_id)
        if brief is None:
            hint = nearest(response.brief_id, self._briefs)
            return Scored(problems=(Problem(name, "brief_id", f'there is no brief "{response.brief_id}"{hint}'),))
        return Answer(response, reading, brief.expectations)


def score_files(files: Iterable[Path], rules: ScoringRules, briefs: Mapping[str, Brief]) -> Iterator[Scored]:
    """Score files, in their order. Files and results are held for a few tasks at a time, however many there are."""
    stream = iter(files)
    first = list(islice(stream, PAYS_FROM))
    processors = os.cpu_count() or 1
    if len(first) < PAYS_FROM or processors == 1:
        yield from FileScorer(rules, briefs).score(chain(first, stream))
        return
    with ProcessPoolExecutor(processors, initializer=_prepare, initargs=(rules, briefs)) as pool:
        underway: deque[Future[list[Scored]]] = deque()
        everything = chain(first, stream)
        while task := list(islice(everything, _PER_TASK)):
            underway.append(pool.submit(_score_task, task))
            if len(underway) > 2 * processors:
                yield from underway.popleft().result()
        while underway:
            yield from underway.popleft().result()


_of_this_process: list[FileScorer] = []


def prepare_process() -> None:
    """Prepare a process that does nothing but score: it makes no reference cycles, so that looking for them is waste."""
    gc.set_threshold(50_000)


def _prepare(rules: ScoringRules, briefs: Mapping[str, Brief]) -> None:
    prepare_process()
    _of_this_process[:] = [FileScorer(rules, briefs)]


def _score_task(files: list[Path]) -> list[Scored]:
    return list(_of_this_process[0].score(files))
