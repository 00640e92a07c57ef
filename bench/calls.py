"""The figures of `bench.generate` and `bench.score` beside their targets."""

import os
import re
import subprocess
import sys

from bench.figure import Figure, figure, ratio
from bench.score import end_to_end, on_two_cores, taking_turns
from bench.workspace import REPOSITORY

_ROW = re.compile(r"([ABC]) +(\d+) (generate|rerun) (.*)")
_WALL, _LOW, _HIGH, _CPU, _MEMORY, _OF_IDEAL, _OF_WALL, _OF_CPU = range(8)
_MOST_WALL = {"A": 1.3, "B": 1.15}


def generate_figures(*, loads: str = "ABC") -> list[Figure]:
    """Runs `python -m bench.generate`, shows what it prints, and takes the ratios from its rows.

    Load A and B are held against the bare `openai` client; the memory of load C (10,000 cells) against that of B (1,000).
    """
    command = [sys.executable, "-m", "bench.generate", f"--loads={loads}"]
    done = subprocess.run(command, cwd=REPOSITORY, env=dict(os.environ), stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, flush=True)
    return figures_of(done.stdout)


def figures_of(printed: str) -> list[Figure]:
    """The figures in what `bench.generate` printed: walls relative to the floor's median spread as the walls did.

    Raises:
        RuntimeError: there is none.
    """
    found: list[Figure] = []
    memory: dict[tuple[str, str], float] = {}
    for match in filter(None, map(_ROW.match, printed.splitlines())):
        load, concurrency, what = match[1], match[2], match[3]
        numbers = [float(number) for number in re.findall(r"[\d.]+", match[4])]
        name = f"{load} at {concurrency}"
        if what == "rerun":
            found.append(
                Figure(f"{name}: again, all in the ledger", numbers[_WALL], numbers[_LOW], numbers[_HIGH], "s")
            )
            continue
        memory[load, concurrency] = numbers[_MEMORY]
        wall, of_wall = numbers[_WALL], numbers[_OF_WALL]
        spread = [number * of_wall / wall for number in numbers[_LOW : _HIGH + 1]]
        of_cpu = numbers[_OF_CPU]
        if load in _MOST_WALL:
            found.append(
                Figure(f"{name}: wall of the openai client's", of_wall, spread[0], spread[1], "x", _MOST_WALL[load])
            )
            found.append(Figure(f"{name}: CPU of the openai client's", of_cpu, of_cpu, of_cpu, "x", 2.0))
        elif ("B", concurrency) in memory:
            more, less = numbers[_MEMORY], memory["B", concurrency]
            found.append(ratio(f"{name}: memory of that of B", [more], [less], target=1.5))
    if not found:
        raise RuntimeError(f"bench.generate printed no row that can be read:\n{printed}")
    return found


def score_figures(*, seconds: float = 3.0, stored: int = 100_000) -> list[Figure]:
    """Answers per second from raw text to scorecard, on one core beside parsing alone and on two, and many from files."""
    found: list[Figure] = []
    for nodes, least in ((12, 10_000.0), (45, None)):
        floor, ours = taking_turns(nodes, seconds)
        name = f"score: answers of {nodes} nodes, per second of CPU"
        found.append(figure(name, ours, "answers/s", target=least, at_least=True))
        found.append(ratio("... of orjson.loads alone", ours, floor, target=0.25, at_least=True))
    rate = on_two_cores(seconds)
    found.append(figure("... of 12 nodes, on two cores", [rate], "answers/s", target=20_000.0, at_least=True))
    took, memory = end_to_end(stored)
    found.append(figure(f"score: {stored:,} stored responses end to end", [took], "s"))
    found.append(figure("... the most memory of one process", [memory], "MiB", target=300.0))
    return found
