"""Scoring many response files into the scorecards file, on all processors where there are many files. An adapter."""

import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

from stages.contracts.brief import Brief
from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.json_text import line
from stages.contracts.params import ScoringRules
from stages.score.response_files import read_response
from stages.score.scorer import Scorer
from stages.shell.files import write_atomic

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
CHUNK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""

ScoredLine = tuple[Cell, bytes]


def score_files(files: Sequence[Path], rules: ScoringRules, briefs: Mapping[str, Brief]) -> list[ScoredLine]:
    """The cell and the scorecard line of every response file, in the order of the files.

    Raises:
        InputError: files that cannot be read, are no responses, or name a brief that does not exist.
    """
    score_some = partial(_score_some, rules=rules, briefs=briefs)
    chunks = [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
    processes = (os.cpu_count() or 1) if len(files) >= PARALLEL_FROM else 1
    scored: list[ScoredLine] = []
    problems: list[Problem] = []
    with ProcessPoolExecutor(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        for lines, found in pool.map(score_some, chunks) if processes > 1 else map(score_some, chunks):
            scored += lines
            problems += found
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return scored


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score_some(
    files: Sequence[Path], rules: ScoringRules, briefs: Mapping[str, Brief]
) -> tuple[list[ScoredLine], list[Problem]]:
    scorer = Scorer(rules)
    scored: list[ScoredLine] = []
    problems: list[Problem] = []
    for file in files:
        name = file.as_posix()
        try:
            scored.append(score_bytes(file.read_bytes(), name, scorer, briefs))
        except OSError as error:
            problems.append(Problem(name, "", f"cannot be read: {error.strerror}"))
        except InputError as error:
            problems += error.problems
    return scored, problems


def score_bytes(raw: bytes, name: str, scorer: Scorer, briefs: Mapping[str, Brief]) -> ScoredLine:
    """The cell and the scorecard line of the response in the bytes of a file.

    Raises:
        InputError: it is no response, or its brief does not exist.
    """
    response = read_response(raw, file=name)
    brief = briefs.get(response.brief_id)
    if brief is None:
        hint = nearest(response.brief_id, briefs)
        raise InputError([Problem(name, "brief_id", f'there is no brief "{response.brief_id}"{hint}')])
    return response.cell, line(scorer.score(response, brief.expectations).to_json())


def write_scorecards(path: Path, scored: Sequence[ScoredLine]) -> None:
    """Write the lines sorted by (model, brief, sample).

    Raises:
        InputError: two files are of the same cell; the old scorecards are kept.
    """
    ordered = sorted(scored)
    repeated = [cell for (cell, _), (following, _) in pairwise(ordered) if cell == following]
    if repeated:
        raise InputError(
            Problem(
                path.name, f"{cell.model_id} / {cell.brief_id} / {cell.sample}", "more than one file is of this cell"
            )
            for cell in repeated[:MAX_PROBLEMS]
        )
    write_atomic(path, b"".join(entry for _, entry in ordered))
