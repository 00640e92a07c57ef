"""Scoring response files into the scorecards file, on all processors where there are many files.
An adapter.
"""

import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from stages.score.response_files import read_response
from stages.score.scorer import Scorer
from stages.shared.records.errors import InputError, Problem, input_error, nearest
from stages.shared.records.json_text import line
from stages.shared.records.response import Cell
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell.files import write_atomic

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
FILES_PER_TASK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""


@dataclass(frozen=True, slots=True, order=True)
class ScoredFile:
    """The cell of a response file that was scored, and its line of the scorecards file."""

    cell: Cell
    line: bytes


def score_files(files: Sequence[Path], scorer: Scorer) -> list[ScoredFile]:
    """Every response file scored, in the order of the files; InputError names those that are no
    responses to a known brief.
    """
    score = partial(_score_file, scorer=scorer)
    if len(files) < PARALLEL_FROM:
        results = [score(file) for file in files]
    else:
        processes = ProcessPoolExecutor(os.cpu_count(), initializer=_leave_interrupts_to_the_parent)
        with processes as pool:
            results = list(pool.map(score, files, chunksize=FILES_PER_TASK))
    scored: list[ScoredFile] = []
    problems: list[Problem] = []
    for result in results:
        if isinstance(result, ScoredFile):
            scored.append(result)
        else:
            problems += result.problems
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return scored


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score_file(file: Path, scorer: Scorer) -> ScoredFile | InputError:
    name = file.as_posix()
    try:
        card = score_bytes(file.read_bytes(), name, scorer)
    except OSError as error:
        return input_error(name, "", f"cannot be read: {error.strerror}")
    except InputError as error:
        return error
    return ScoredFile(card.cell, line(card.to_json()))


def score_bytes(raw: bytes, name: str, scorer: Scorer) -> Scorecard:
    """The scorecard of the response in the bytes of a file; InputError if it is none, or its brief
    does not exist.
    """
    response = read_response(raw, file=name)
    if response.brief_id not in scorer.briefs:
        hint = nearest(response.brief_id, scorer.briefs)
        message = f'there is no brief "{response.brief_id}"{hint}'
        raise input_error(name, "brief_id", message)
    return scorer.score(response)


def write_scorecards(path: Path, scored: Sequence[ScoredFile]) -> None:
    """Write the lines sorted by cell; InputError if two files are of the same cell, and the old
    scorecards are kept.
    """
    ordered = sorted(scored)
    problems: list[Problem] = []
    for first, second in pairwise(ordered):
        if first.cell == second.cell:
            cell = f"{first.cell.model_id} / {first.cell.brief_id} / {first.cell.sample}"
            problems.append(Problem(path.name, cell, "more than one file belongs to this cell"))
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    write_atomic(path, b"".join(entry.line for entry in ordered))
