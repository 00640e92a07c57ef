"""Scoring files into the scorecards file: response files, on all processors where there are many,
and answers to inputs that no brief has, which logs gave to recorded models. An adapter.
"""

import hashlib
import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from stages.score.scorer import Scorer
from stages.shared.records.errors import InputError, Problem, input_error, nearest
from stages.shared.records.json_text import JsonValue, line
from stages.shared.records.record import Record, parse_record
from stages.shared.records.response import Answer, Cell, Response, Status, Usage
from stages.shared.shell import paths
from stages.shared.shell.files import write_atomic
from stages.shared.shell.results import read_response
from stages.shared.shell.text import clip

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
FILES_PER_TASK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""
_HASH_DIGITS = 12
MAX_INPUT = 100
"""Characters of an input that its scorecard has."""

ScoredLine: TypeAlias = tuple[Cell, bytes]
"""A cell that was scored, and its line of the scorecards file."""


class TrafficLine(Record):
    """One line of `answers/ID.traffic.jsonl`: an input, and the graph in the answer to it."""

    input: str
    status: Status
    graph: JsonValue = None
    usage: Usage = Usage()
    latency_ms: float | None = None
    cost_usd: float | None = None
    created_at: str | None = None


def score_files(files: Sequence[Path], scorer: Scorer) -> list[ScoredLine]:
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
    errors = [result for result in results if isinstance(result, InputError)]
    problems = [problem for error in errors for problem in error.problems]
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return [result for result in results if not isinstance(result, InputError)]


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _score_file(file: Path, scorer: Scorer) -> ScoredLine | InputError:
    name = file.as_posix()
    try:
        response = read_response(file.read_bytes(), file=name)
    except OSError as error:
        return input_error(name, "", f"cannot be read: {error.strerror}")
    except InputError as error:
        return error
    if response.cell.brief_id not in scorer.briefs:
        hint = nearest(response.cell.brief_id, scorer.briefs)
        return input_error(name, "brief_id", f'there is no brief "{response.cell.brief_id}"{hint}')
    return response.cell, line(scorer.score(response).to_json())


def score_traffic(model_ids: Iterable[str], scorer: Scorer) -> Iterator[ScoredLine]:
    """The scorecards of the traffic of these models, marked so and scored form only: nothing is
    known about what their graphs should have. `brief_id` is made of a hash of the input.

    Raises:
        InputError: a line is none of `ingest`.
    """
    for model_id in model_ids:
        file = paths.ANSWERS / f"{model_id}.traffic.jsonl"
        samples: Counter[str] = Counter()
        for number, raw in enumerate(_lines(file), 1):
            traffic = parse_record(raw, TrafficLine, file.as_posix(), f"line {number}")
            digest = hashlib.sha256(" ".join(traffic.input.split()).encode()).hexdigest()
            brief_id = f"traffic-{digest[:_HASH_DIGITS]}"
            samples[brief_id] += 1
            response = Response(
                cell=Cell(model_id, brief_id, samples[brief_id]),
                answer=Answer(
                    status=traffic.status,
                    graph=traffic.graph,
                    usage=traffic.usage,
                    latency_ms=traffic.latency_ms,
                    created_at=traffic.created_at,
                ),
                est_cost_usd=traffic.cost_usd,
            )
            card = scorer.score(response, traffic=True)
            card = card.model_copy(update={"input": clip(traffic.input, MAX_INPUT)})
            yield card.cell, line(card.to_json())


def _lines(file: Path) -> Iterator[bytes]:
    if file.is_file():
        with file.open("rb") as lines:
            yield from filter(bytes.strip, lines)


def write_scorecards(path: Path, scored: Sequence[ScoredLine]) -> None:
    """Write the lines sorted by cell; InputError if two files are of the same cell, and the old
    scorecards are kept.
    """
    ordered = sorted(scored)
    problems: list[Problem] = []
    for (first, _), (second, _) in pairwise(ordered):
        if first == second:
            cell = f"{first.model_id} / {first.brief_id} / {first.sample}"
            problems.append(Problem(path.name, cell, "more than one file belongs to this cell"))
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    write_atomic(path, b"".join(entry for _, entry in ordered))
