"""Millions of stored answers scored by `dask.bag`: `python -m examples.score_at_scale answers/ scorecards/`.

A part is a file of answers, each the content of a `response.json` on one line; `--pack results/responses` makes such parts of
response files first, in an empty folder. Every part of `answers/` becomes the part of the same name in `scorecards/`, line for
line, by the pure functions of `python -m stages.score`. A part is there whole or not at all; what is there is not scored again,
unless its answers were written later. Scorecards of other rules, briefs or prompt are refused: they belong in another folder.

The work is done by the processes of this machine, or by a cluster of `dask.distributed`: `--cluster local` starts one here,
`--cluster tcp://HOST:PORT` uses one whose workers see the same folders and have this repository on their Python path.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import chain, islice
from pathlib import Path

from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import line
from stages.score import Scorer
from stages.score.batch import score_bytes
from stages.score.response_files import response_files
from stages.shell.command import run
from stages.shell.files import whole_file, write_atomic
from stages.shell.inputs import load_briefs, load_params, load_prompt

try:
    import dask.bag
    import dask.config
    from distributed import Client, LocalCluster
except ImportError as error:
    sys.exit(
        f"{error}: this example needs `pip install dask distributed`, or everything of requirements-dev.lock"
    )

PER_PART = 10_000
CONNECT_S = 10


def score_lines(lines: Iterable[bytes], scorer: Scorer, name: str = "answers") -> Iterator[bytes]:
    """The line of a scorecard for the line of every answer; pure, and one at a time in memory.

    Raises:
        InputError: a line is no response, or its brief does not exist.
    """
    for number, answer in enumerate(lines, start=1):
        yield line(score_bytes(answer, f"{name} line {number}", scorer).to_json())


def score_part(part: Path, target: Path, scorer: Scorer) -> int:
    """Score one part; returns how many answers it has."""
    count = 0
    with part.open("rb") as lines, whole_file(target / part.name) as scored:
        for scorecard in score_lines(lines, scorer, part.name):
            scored.write(scorecard)
            count += 1
    return count


def score_parts(source: Path, target: Path, scorer: Scorer, scheduler: object = "processes") -> int:
    """Score every part that is not scored yet; returns how many answers that were.

    `scheduler` is where the work is done: "processes" is this machine's cores, a `dask.distributed.Client` is a cluster.

    Raises:
        InputError: there are no parts, `target` has other scorecards than these would make, or an answer cannot be read.
    """
    source, target = (
        source.resolve(),
        target.resolve(),
    )  # workers may have been started in another folder
    found = _parts(source, target)
    _sign(target, scorer)
    parts = [part for part in found if not _is_scored(part, target / part.name)]
    if not parts:
        return 0
    work = partial(score_part, target=target, scorer=scorer)
    bag = dask.bag.from_sequence(parts, partition_size=1)  # type: ignore[no-untyped-call]
    with dask.config.set(
        chunksize=1
    ):  # or up to six parts would go to one process, also while others have none
        return int(bag.map(work).sum().compute(scheduler=scheduler))


def _parts(source: Path, target: Path) -> list[Path]:
    parts = sorted(part for part in source.glob("*.jsonl") if part.is_file())
    if not parts:
        raise InputError(
            [Problem(source.as_posix(), "", "has no parts, files named *.jsonl; --pack makes some")]
        )
    if target == source or (target.exists() and not target.is_dir()):
        raise InputError(
            [Problem(target.as_posix(), "", "must be another folder, for the scorecards")]
        )
    extra = sorted({part.name for part in target.glob("*.jsonl")} - {part.name for part in parts})
    if extra:
        found = f"has scorecards of answers that are not in {source.as_posix()}, {extra[0]} for instance: take another folder"
        raise InputError([Problem(target.as_posix(), "", found)])
    return parts


def _is_scored(part: Path, scored: Path) -> bool:
    return scored.exists() and scored.stat().st_mtime_ns >= part.stat().st_mtime_ns


def _sign(target: Path, scorer: Scorer) -> None:
    """Write into the folder what its scorecards come from besides the answers; refuse a folder with another signature."""
    file = target / "scored_by.txt"
    if file.exists() and file.read_text() != scorer.sha256:
        raise InputError(
            [
                Problem(
                    target.as_posix(),
                    "",
                    "has scorecards by other rules, briefs or prompt: take another folder",
                )
            ]
        )
    target.mkdir(parents=True, exist_ok=True)
    write_atomic(file, scorer.sha256.encode())


def pack(responses: Path, source: Path, per_part: int = PER_PART) -> None:
    """Make parts of the response files below a folder; a line break in JSON stands only where white space may stand.

    Raises:
        InputError: there are no response files, or `source` is not a folder without parts.
    """
    files = response_files(responses)
    first = next(files, None)
    if first is None:
        raise InputError([Problem(responses.as_posix(), "", "has no response files")])
    if (source.exists() and not source.is_dir()) or next(source.glob("*.jsonl"), None) is not None:
        raise InputError([Problem(source.as_posix(), "", "must be an empty folder, for the parts")])
    source.mkdir(parents=True, exist_ok=True)
    everything = chain([first], files)
    number = 0
    while chunk := list(islice(everything, per_part)):
        with whole_file(source / f"part-{number:06}.jsonl") as part:
            for file in chunk:
                part.write(file.read_bytes().replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")
        number += 1


@contextmanager
def cluster(address: str) -> Iterator[Client]:
    """The cluster at an address; for "local" one of a worker process per core of this machine, which ends with it.

    Raises:
        InputError: no scheduler answers there.
    """
    if address == "local":
        workers = LocalCluster(
            threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        )  # type: ignore[no-untyped-call]
        with workers, Client(workers) as client:  # type: ignore[no-untyped-call]
            yield client
        return
    try:
        client = Client(address, timeout=CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            [Problem("--cluster", "", f"no scheduler answers at {address!r}: {error}")]
        ) from None
    with client:
        yield client


def main() -> None:
    """Pack if asked to, then score with the rules, briefs and prompt that `params.yaml` names."""
    parser = argparse.ArgumentParser(prog="python -m examples.score_at_scale", description=__doc__)
    parser.add_argument("answers", type=Path, help="folder of the parts")
    parser.add_argument("scorecards", type=Path, help="folder for the scored parts")
    parser.add_argument(
        "--pack",
        type=Path,
        metavar="FOLDER",
        help="make the parts of the response files below it first",
    )
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help='"local", or where a dask scheduler listens'
    )
    chosen = parser.parse_args()
    params = load_params()
    scorer = Scorer(params.score, load_briefs(), load_prompt(params.prompt))
    if chosen.pack:
        pack(chosen.pack, chosen.answers)
    with (
        cluster(chosen.cluster)
        if chosen.cluster is not None
        else nullcontext("processes") as scheduler
    ):
        scored = score_parts(chosen.answers, chosen.scorecards, scorer, scheduler)
    print(f"{scored:,} answers scored")


if __name__ == "__main__":
    run(main)
