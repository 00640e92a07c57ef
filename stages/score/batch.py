"""Scoring response files into the scorecards file and the audit, on all processors where there are many files. An adapter."""

import os
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.json_text import JsonValue, line
from stages.contracts.response import Response
from stages.contracts.scorecard import Audit, Scorecard
from stages.score.attacks import Graph
from stages.score.audit import AuditedCell, audit
from stages.score.response_files import read_response
from stages.score.scorer import Scorer
from stages.shell.files import write_atomic

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
CHUNK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""


@dataclass(frozen=True, slots=True, order=True)
class ScoredFile:
    """A response file that was scored: its cell, its line of the scorecards file, and the scores of a valid graph."""

    cell: Cell
    line: bytes
    file: Path
    overall_score: float | None = None
    sub_scores: Mapping[str, float] = field(default_factory=dict, compare=False)
    usable: bool = False


def score_files(files: Sequence[Path], scorer: Scorer) -> list[ScoredFile]:
    """Every response file scored, in the order of the files.

    Raises:
        InputError: files that cannot be read, are no responses, or name a brief that does not exist.
    """
    score_some = partial(_score_some, scorer=scorer)
    chunks = [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
    processes = (os.cpu_count() or 1) if len(files) >= PARALLEL_FROM else 1
    scored: list[ScoredFile] = []
    problems: list[Problem] = []
    with ProcessPoolExecutor(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        for some, found in pool.map(score_some, chunks) if processes > 1 else map(score_some, chunks):
            scored += some
            problems += found
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return scored


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score_some(files: Sequence[Path], scorer: Scorer) -> tuple[list[ScoredFile], list[Problem]]:
    scored: list[ScoredFile] = []
    problems: list[Problem] = []
    for file in files:
        try:
            card = score_bytes(file.read_bytes(), file.as_posix(), scorer)
        except OSError as error:
            problems.append(Problem(file.as_posix(), "", f"cannot be read: {error.strerror}"))
        except InputError as error:
            problems += error.problems
        else:
            sub_scores = {part.name: part.value for parts in card.sub_scores.values() for part in parts}
            scored.append(
                ScoredFile(card.cell, line(card.to_json()), file, card.overall_score, sub_scores, card.usable)
            )
    return scored, problems


def score_bytes(raw: bytes, name: str, scorer: Scorer) -> Scorecard:
    """The scorecard of the response in the bytes of a file.

    Raises:
        InputError: it is no response, or its brief does not exist.
    """
    response = read_response(raw, file=name)
    if response.brief_id not in scorer.briefs:
        hint = nearest(response.brief_id, scorer.briefs)
        raise InputError([Problem(name, "brief_id", f'there is no brief "{response.brief_id}"{hint}')])
    return scorer.score(response)


def write_scorecards(path: Path, scored: Sequence[ScoredFile]) -> None:
    """Write the lines sorted by (model, brief, sample).

    Raises:
        InputError: two files are of the same cell; the old scorecards are kept.
    """
    ordered = sorted(scored)
    repeated = [one.cell for one, following in pairwise(ordered) if one.cell == following.cell]
    if repeated:
        raise InputError(
            Problem(
                path.name,
                f"{cell.model_id} / {cell.brief_id} / {cell.sample}",
                "more than one file belongs to this cell",
            )
            for cell in repeated[:MAX_PROBLEMS]
        )
    write_atomic(path, b"".join(one.line for one in ordered))


def audit_run(scored: Sequence[ScoredFile], scorer: Scorer, prompt_text: str) -> Audit:
    """The audit of the instrument on the run's own valid graphs."""
    cells = [
        AuditedCell(one.cell, partial(_load_graph, one.file), one.overall_score, one.sub_scores, one.usable)
        for one in scored
        if one.overall_score is not None
    ]

    def judge(graph: JsonValue, brief_id: str) -> Scorecard:
        answer = Response(model_id="audit", brief_id=brief_id, sample=1, status="success", parsed_graph=graph)
        return scorer.score(answer)

    return audit(cells, judge, prompt_text)


def _load_graph(file: Path) -> Graph:
    graph = read_response(file.read_bytes(), file=file.as_posix()).parsed_graph
    if not isinstance(graph, dict):
        raise TypeError(f"{file.as_posix()} had a valid graph when it was scored")
    return graph
