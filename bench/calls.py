"""The figures of `bench.generate` and `bench.score` beside their targets."""

import os
import re
import subprocess
import sys

from bench.figure import Figure, figure, ratio
from bench.score import TARGET, TARGET_WITH_CHECKS, end_to_end, scoring_rate
from bench.workspace import REPOSITORY

_ROW = re.compile(r"([ABC]) +(\d+) (generate|rerun) (.*)")
_WALL, _LOW, _HIGH, _CPU, _MEMORY, _OF_IDEAL, _OF_WALL, _OF_CPU = range(8)
_MOST_WALL = {"A": 1.3, "B": 1.3}


def generate_figures(*, loads: str = "ABC") -> list[Figure]:
    """Runs `python -m bench.generate`, shows what it prints, and takes the ratios from its rows.

    Load A and B are held against the bare `openai` client; the memory of load C (10,000 cells) against that of B (1,000).
    """
    command = [sys.executable, "-m", "bench.generate", f"--loads={loads}"]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=dict(os.environ), stdout=subprocess.PIPE, text=True, check=True
    )
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
                Figure(
                    f"{name}: again, all in the ledger",
                    numbers[_WALL],
                    numbers[_LOW],
                    numbers[_HIGH],
                    "s",
                )
            )
            continue
        memory[load, concurrency] = numbers[_MEMORY]
        wall, of_wall = numbers[_WALL], numbers[_OF_WALL]
        spread = [number * of_wall / wall for number in numbers[_LOW : _HIGH + 1]]
        of_cpu = numbers[_OF_CPU]
        if load in _MOST_WALL:
            found.append(
                Figure(
                    f"{name}: wall of the openai client's",
                    of_wall,
                    spread[0],
                    spread[1],
                    "x",
                    _MOST_WALL[load],
                )
            )
            found.append(
                Figure(f"{name}: CPU of the openai client's", of_cpu, of_cpu, of_cpu, "x", 2.0)
            )
        elif ("B", concurrency) in memory:
            more, less = numbers[_MEMORY], memory["B", concurrency]
            found.append(ratio(f"{name}: memory of that of B", [more], [less], target=1.5))
    if not found:
        raise RuntimeError(f"bench.generate printed no row that can be read:\n{printed}")
    return found


def score_figures() -> list[Figure]:
    """Scoring: answers of 12 nodes per second of CPU from raw text to the scorecard's line, and 10,000 stored responses."""
    rates = [scoring_rate(12, 2.0) for _ in range(3)]
    checked = [scoring_rate(12, 2.0, checks=True) for _ in range(3)]
    runs = [end_to_end(10_000) for _ in range(2)]
    return [
        figure("12 nodes: scored per second and core", rates, "/s", target=TARGET, at_least=True),
        figure("... with fidelity checks", checked, "/s", target=TARGET_WITH_CHECKS, at_least=True),
        figure("10,000 stored responses: wall", [took for took, _ in runs], "s", target=20),
        figure(
            "10,000 stored responses: memory", [memory for _, memory in runs], "MiB", target=400
        ),
    ]
