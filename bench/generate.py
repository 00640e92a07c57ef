"""`python -m bench.generate`: what `generate` takes against bare clients on the same calls, in the same run.

Load A is 100 cells at 500 ms, load B 1,000 cells at 100 ms, load C 10,000 cells at 100 ms; a 37 KB prompt, 6 KB answers. Every
figure is of a whole process, start-up and durable storage included; the floors keep nothing. `ideal` is cells x latency /
concurrency. `rerun` is the same command again, with everything in the ledger.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.measure import Cost, asked, loopback_server, measure
from bench.workspace import environment, generate_command, make_workspace

LOADS = {"A": (5, 20, 500.0), "B": (10, 100, 100.0), "C": (10, 1000, 100.0)}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", default="AB", help="which loads, for instance ABC")
    parser.add_argument("--concurrency", type=int, nargs="*", default=[32, 64])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-floors", action="store_true", help="leave the bare clients out")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    print(
        "load conc            wall s  (spread)      CPU s    MiB   x ideal  x openai wall  x openai CPU"
    )
    for load in chosen.loads:
        for concurrency in chosen.concurrency:
            _compare(
                load, concurrency, chosen.repeats if load != "C" else 1, floors=not chosen.no_floors
            )


def _compare(load: str, concurrency: int, repeats: int, *, floors: bool) -> None:
    models, briefs, latency_ms = LOADS[load]
    cells = models * briefs
    names = ("generate", "rerun", "openai", "aiohttp")[: 4 if floors else 2]
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    with loopback_server(latency_ms) as server:
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as name:
                folder = make_workspace(
                    Path(name),
                    f"{server}/v1",
                    models=models,
                    briefs=briefs,
                    max_concurrency=concurrency,
                )
                env = environment(folder)
                for client in ("openai", "aiohttp") if floors else ():
                    command = [
                        sys.executable,
                        "-m",
                        "bench.floors",
                        client,
                        f"--url={server}/v1",
                        f"--cells={cells}",
                    ]
                    command += ["--prompt=prompts/long.txt", f"--concurrency={concurrency}"]
                    costs[client].append(measure(command, cwd=folder, env=env))
                asked(server, "/reset")
                costs["generate"].append(measure(generate_command(), cwd=folder, env=env))
                told = json.loads(asked(server, "/stats"))
                assert told == {"requests": cells, "most_in_flight": concurrency}, told
                costs["rerun"].append(measure(generate_command(), cwd=folder, env=env))
                assert json.loads(asked(server, "/stats"))["requests"] == cells
    ideal_s = cells * latency_ms / 1000 / concurrency
    floor = _median(costs["openai" if floors else "generate"])
    for name, measured in costs.items():
        cost = _median(measured)
        walls = [one.wall_s for one in measured]
        print(
            f"{load:4} {concurrency:4} {name:9} {cost.wall_s:8.2f}  ({min(walls):5.2f} to {max(walls):5.2f}) {cost.cpu_s:7.2f} "
            f"{cost.rss_mib:6.0f} {cost.wall_s / ideal_s:9.2f}"
            + (
                f" {cost.wall_s / floor.wall_s:14.3f} {cost.cpu_s / floor.cpu_s:13.3f}"
                if floors
                else ""
            ),
            flush=True,
        )


def _median(costs: Iterable[Cost]) -> Cost:
    listed = list(costs)
    return Cost(
        statistics.median(cost.wall_s for cost in listed),
        statistics.median(cost.cpu_s for cost in listed),
        statistics.median(cost.rss_mib for cost in listed),
    )


if __name__ == "__main__":
    main()
