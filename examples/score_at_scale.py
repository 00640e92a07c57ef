"""Millions of stored answers scored by `dask.bag`: `python -m examples.score_at_scale answers/ scorecards/`.

A part is a file of answers, each the content of a `response.json` on one line; `--pack results/responses` makes such parts of
response files first. Every part of `answers/` becomes the part of the same name in `scorecards/`, line for line, by the pure
functions of `python -m stages.score`. A part is there whole or not at all, and what is there is not scored again.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice, starmap
from pathlib import Path

import dask.bag

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem
from stages.contracts.scoring_rules import ScoringRules
from stages.score.answer import Answer
from stages.score.response_files import response_files
from stages.score.scorecard_line import scorecard_line
from stages.score.scorer import Scorer
from stages.score.stored_response import read_response
from stages.shell.command import run
from stages.shell.inputs import load_briefs, load_params

PER_PART = 10_000


def score_lines(
    lines: Iterable[bytes], rules: ScoringRules, briefs: Mapping[str, Brief], name: str = "answers"
) -> Iterator[bytes]:
    """The line of a scorecard for the line of every answer; pure, and a few at a time in memory.

    Raises:
        InputError: a line is no response, or its brief is not there.
    """

    def answer(number: int, line: bytes) -> Answer:
        where = f"{name} line {number}"
        response, reading = read_response(line, file=where)
        brief = briefs.get(response.brief_id)
        if brief is None:
            raise InputError([Problem(where, "brief_id", f'there is no brief "{response.brief_id}"')])
        return Answer(response, reading, brief.expectations)

    return map(scorecard_line, Scorer(rules).score_all(starmap(answer, enumerate(lines, start=1))))


def score_part(part: Path, target: Path, rules: ScoringRules, briefs: Mapping[str, Brief]) -> int:
    """Score one part, and tell how many answers it has."""
    unfinished = target / f".{part.name}.tmp"
    count = 0
    with part.open("rb") as lines, unfinished.open("wb") as scored:
        for line in score_lines(lines, rules, briefs, part.name):
            scored.write(line)
            count += 1
    unfinished.replace(target / part.name)
    return count


def score_parts(
    source: Path, target: Path, rules: ScoringRules, briefs: Mapping[str, Brief], scheduler: object = "processes"
) -> int:
    """Score every part that is not scored yet, and tell how many answers that were.

    `scheduler` is where the work is done: "processes" is this machine's cores, a `dask.distributed.Client` is a cluster.
    """
    target.mkdir(parents=True, exist_ok=True)
    parts = [part for part in sorted(source.glob("*.jsonl")) if not (target / part.name).exists()]
    if not parts:
        return 0
    work = partial(score_part, target=target, rules=rules, briefs=briefs)
    bag = dask.bag.from_sequence(parts, partition_size=1)  # type: ignore[no-untyped-call]
    return int(bag.map(work).sum().compute(scheduler=scheduler))


def pack(responses: Path, source: Path, per_part: int = PER_PART) -> None:
    """Make parts of the response files below a folder; a line break in JSON stands only where white space may stand."""
    source.mkdir(parents=True, exist_ok=True)
    files = response_files(responses)
    number = 0
    while chunk := list(islice(files, per_part)):
        lines = (file.read_bytes().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n" for file in chunk)
        (source / f"part-{number:06}.jsonl").write_bytes(b"".join(lines))
        number += 1


def main() -> None:
    """Pack if asked to, then score with the rules of `params.yaml` and the briefs of `briefs/`."""
    parser = argparse.ArgumentParser(prog="python -m examples.score_at_scale", description=__doc__)
    parser.add_argument("answers", type=Path, help="folder of the parts")
    parser.add_argument("scorecards", type=Path, help="folder for the scored parts")
    parser.add_argument(
        "--pack", type=Path, metavar="FOLDER", help="make the parts of the response files below it first"
    )
    chosen = parser.parse_args()
    if chosen.pack:
        pack(chosen.pack, chosen.answers)
    briefs = {brief.id: brief for brief in load_briefs()}
    print(f"{score_parts(chosen.answers, chosen.scorecards, load_params().score, briefs):,} answers scored")


if __name__ == "__main__":
    run(main)
