"""`graph-evaluator score`: scores the responses, which become results/scorecards.jsonl."""

import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from graph_evaluator.records.errors import InputError, Problem, input_error, nearest
from graph_evaluator.records.json_text import line
from graph_evaluator.records.response import Cell
from graph_evaluator.score import Scorer
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run
from graph_evaluator.shell.files import write_atomic
from graph_evaluator.shell.inputs import (
    load_briefs,
    load_codebooks,
    load_params,
    load_prompt,
    notes_on_files,
)
from graph_evaluator.shell.numbers import counted
from graph_evaluator.shell.results import check_responses, read_response, response_files

_INTRODUCTION = """\
When to use it: rules, briefs or codebooks have changed and the answers are there. `dvc repro` \
runs it for you.
It scores every response below results/responses/ by the rules under `score` in params.yaml and \
writes results/scorecards.jsonl. No model is called."""

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
FILES_PER_TASK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""

ScoredLine: TypeAlias = tuple[Cell, bytes]
"""A cell that was scored, and its line of the scorecards file."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score what `generate` or another tool wrote."""
    command_parser("score", _INTRODUCTION, "").parse_args(arguments)
    params = load_params()
    prompt = load_prompt(params.prompt)
    briefs = load_briefs()
    manifest = check_responses()
    recorded = manifest.recorded if manifest else {}
    others = {run.prompt for run in recorded.values() if run.prompt} - {prompt.path}
    codebooks = load_codebooks(briefs)
    scorer = Scorer(params.score, briefs, prompt, map(load_prompt, sorted(others)), codebooks)
    files = response_files(paths.RESPONSES)
    if not files:
        message = "there is no response*.json below it: run generate first"
        raise input_error(paths.RESPONSES.as_posix(), "", message)
    scored = _score_files(files, scorer)
    _write_scorecards(sorted(scored))
    print(f"{counted(len(scored), 'response')} scored in {paths.SCORECARDS.as_posix()}")
    for note in notes_on_files(briefs):
        print(f"note: {note}")


def _score_files(files: Sequence[Path], scorer: Scorer) -> list[ScoredLine]:
    """Every response file scored, on all processors where there are many; InputError names those
    that are no responses to a known brief.
    """
    score = partial(_score_file, scorer=scorer)
    if len(files) < PARALLEL_FROM:
        results = [score(file) for file in files]
    else:  # interrupts are for the parent
        ignored = (signal.SIGINT, signal.SIG_IGN)
        processes = ProcessPoolExecutor(initializer=signal.signal, initargs=ignored)
        with processes as pool:
            results = list(pool.map(score, files, chunksize=FILES_PER_TASK))
    problems: list[Problem] = []
    lines: list[ScoredLine] = []
    for result in results:
        if isinstance(result, InputError):
            problems += result.problems
        else:
            lines.append(result)
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    return lines


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


def _write_scorecards(scored: Sequence[ScoredLine]) -> None:
    """Write the sorted lines; InputError if two files are of the same cell, and the old scorecards
    are kept.
    """
    problems: list[Problem] = []
    for (first, _), (second, _) in pairwise(scored):
        if first == second:
            cell = f"{first.model_id} / {first.brief_id} / {first.sample}"
            message = "more than one file belongs to this cell"
            problems.append(Problem(paths.SCORECARDS.name, cell, message))
    if problems:
        raise InputError(problems[:MAX_PROBLEMS])
    write_atomic(paths.SCORECARDS, b"".join(entry for _, entry in scored))


if __name__ == "__main__":
    run(main)
