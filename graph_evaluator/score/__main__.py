"""`graph-evaluator score`: scores the answers into `results/scorecards.jsonl`."""

import re
import signal
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from graph_evaluator.records.errors import InputError, Problem, input_error, nearest, refuse
from graph_evaluator.records.json_text import line
from graph_evaluator.records.params import OwnCheckRule
from graph_evaluator.records.response import Cell
from graph_evaluator.score import Scorer
from graph_evaluator.score.damages import MAX_GRAPHS, check_cards, draw
from graph_evaluator.score.own_checks import load_own_checks
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, refuse_next_to_run, run, show
from graph_evaluator.shell.inputs import (
    load_briefs,
    load_codebooks,
    load_params,
    load_prompt,
    notes_on_files,
)
from graph_evaluator.shell.numbers import counted
from graph_evaluator.shell.paths import write_atomic, write_record
from graph_evaluator.shell.results import check_responses, load_response, response_files

_INTRODUCTION = """\
When to use it: rules, briefs or codebooks have changed and the answers are stored. `dvc repro` \
runs it for you.
It scores every response below results/responses/ by the rules under `score` in params.yaml and \
writes results/scorecards.jsonl and results/checks.json. Checks of your own are the files \
checks/NAME.py that params.yaml lists under `score.checks` (docs/checks.md). No model is called."""

PARALLEL_FROM = 2_000
"""With fewer files, starting processes takes longer than they save."""
FILES_PER_TASK = 200
MAX_PROBLEMS = 50
"""How many problems of response files one message lists."""

_CELL = re.compile(r"([^/]+)/([^/]+)(?:/([1-9][0-9]{0,8}))?")


Scored = tuple[Cell, bytes, Path | None]
"""A cell with its line of the scorecards, and with its file where its graph is usable."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score what `generate` or another tool wrote."""
    example = "--check no_invented_currency sim-careful/13-ryokan-jp"
    parser = command_parser("score", _INTRODUCTION, "", example)
    text = "only print what checks/NAME.py says about one graph, MODEL/BRIEF or MODEL/BRIEF/SAMPLE"
    parser.add_argument("--check", nargs=2, metavar=("NAME", "CELL"), help=text)
    tried: list[str] | None = parser.parse_args(arguments).check
    params = load_params()
    own = load_own_checks({tried[0]: OwnCheckRule()} if tried else params.score.checks)
    prompt = load_prompt(params.prompt)
    briefs = load_briefs()
    manifest = check_responses()
    recorded = manifest.recorded if manifest else {}
    others = {run.prompt for run in recorded.values() if run.prompt} - {prompt.path}
    codebooks = load_codebooks(briefs)
    prompts = map(load_prompt, sorted(others))
    scorer = Scorer(params.score, briefs, prompt, prompts, codebooks, own.results, own.failing)
    if tried:
        show(_try_check(tried[0], tried[1], scorer))
        return
    refuse_next_to_run()
    files = response_files(paths.RESPONSES)
    if not files:
        message = "there is no response*.json below it: run generate first"
        raise input_error(paths.RESPONSES, "", message)
    scored = sorted(_score_files(files, scorer))
    times = Counter(str(cell) for cell, _, _ in scored)
    twice = [cell for cell, number in times.items() if number > 1]
    message = "more than one file has this model, brief and sample"
    refuse(Problem(paths.SCORECARDS.name, cell, message) for cell in twice[:MAX_PROBLEMS])
    usable = {str(cell): file for cell, _, file in scored if file}
    damaged = sorted(usable, key=draw)[:MAX_GRAPHS]
    graphs = [load_response(usable[cell]) for cell in damaged]
    cards = check_cards(graphs, scorer, {check.name: check.question for check in own.checks})
    write_atomic(paths.SCORECARDS, b"".join(card for _, card, _ in scored))
    write_record(paths.CHECK_CARDS, cards)
    show(f"{counted(len(scored), 'response')} scored in {paths.SCORECARDS.as_posix()}")
    for note in notes_on_files(briefs):
        show(f"note: {note}")


def _try_check(name: str, cell: str, scorer: Scorer) -> str:
    """What a check says of the graph of a stored answer."""
    parts = _CELL.fullmatch(cell)
    file = paths.RESPONSES
    if parts:
        file /= paths.response_file(Cell(parts[1], parts[2], int(parts[3] or 1)))
    if not file.is_file():
        message = "has no stored answer; name it MODEL/BRIEF or MODEL/BRIEF/SAMPLE"
        raise input_error("--check", cell, message)
    card = scorer.score(load_response(file))
    if name not in card.own_checks:
        raise input_error(file, "", "has no valid graph of a brief to check")
    value = card.own_checks[name]
    said = "does not apply" if value is None else f"gives {value:g}"
    if isinstance(value, bool):
        said = "passes" if value else "fails"
    return f"{name} on {cell}: {said}. {card.fidelity[-1].message}"


def _score_files(files: Sequence[Path], scorer: Scorer) -> list[Scored]:
    """Every response file scored, on all processors where there are many; InputError names those
    that are not responses to a known brief.
    """
    score = partial(_score_file, scorer=scorer)
    if len(files) < PARALLEL_FROM:
        results = [score(file) for file in files]
    else:  # interrupts are for the parent
        ignored = (signal.SIGINT, signal.SIG_IGN)
        with ProcessPoolExecutor(initializer=signal.signal, initargs=ignored) as pool:
            results = list(pool.map(score, files, chunksize=FILES_PER_TASK))
    errors = [result for result in results if isinstance(result, InputError)]
    problems = [problem for error in errors for problem in error.problems]
    refuse(problems[:MAX_PROBLEMS])
    return [result for result in results if not isinstance(result, InputError)]


def _score_file(file: Path, scorer: Scorer) -> Scored | InputError:
    try:
        response = load_response(file)
    except InputError as error:
        return error
    if response.cell.brief_id not in scorer.briefs:
        hint = nearest(response.cell.brief_id, scorer.briefs)
        return input_error(file, "brief_id", f'there is no brief "{response.cell.brief_id}"{hint}')
    card = scorer.score(response)
    return response.cell, line(card.to_json()), file if card.usable else None


if __name__ == "__main__":
    run(main)
