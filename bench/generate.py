"""`python -m bench.generate`: what `generate` takes against bare clients on the same calls.

Load A is 100 cells at 500 ms, load B 1,000 cells at 100 ms, load C 10,000 cells at 100 ms; a 37 KB
prompt, 6 KB answers. Every figure is of a whole process, start-up and durable storage included; the
bare clients keep nothing. `rerun` is the same command again, with everything in the ledger.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figure import Figure, figure, ratio, table
from bench.measure import Cost, asked, loopback_server, measure
from bench.workspace import environment, generate_command, make_workspace


@dataclass(frozen=True)
class Load:
    """A number of cells, and how long the server takes for each call."""

    name: str
    models: int
    briefs: int
    latency_ms: float
    repeats: int

    @property
    def cells(self) -> int:
        """Calls of a run."""
        return self.models * self.briefs


LOADS = {
    "A": Load("A", models=5, briefs=20, latency_ms=500.0, repeats=3),
    "B": Load("B", models=10, briefs=100, latency_ms=100.0, repeats=3),
    "C": Load("C", models=10, briefs=1000, latency_ms=100.0, repeats=1),
}
Costs = Mapping[str, Sequence[Cost]]
"""What the repeats of each process took: `openai`, `aiohttp`, `generate` and `rerun`."""


def figures(loads: str = "ABC", concurrency: Sequence[int] = (32, 64)) -> list[Figure]:
    """The figures of all loads; ratios are to the bare `openai` client, repeat by repeat."""
    results: list[Figure] = []
    for name in loads:
        for in_flight in concurrency:
            results += figures_of(LOADS[name], in_flight, measure_load(LOADS[name], in_flight))
    return results


def measure_load(load: Load, in_flight: int) -> Costs:
    """Run every process on a load, in turns."""
    costs: dict[str, list[Cost]] = {"openai": [], "aiohttp": [], "generate": [], "rerun": []}
    with loopback_server(load.latency_ms) as server:
        for _ in range(load.repeats):
            with tempfile.TemporaryDirectory() as name:
                folder = make_workspace(
                    Path(name),
                    f"{server}/v1",
                    models=load.models,
                    briefs=load.briefs,
                    max_concurrency=in_flight,
                )
                env = environment(folder)
                for client in ("openai", "aiohttp"):
                    command = _bare_command(client, server, load.cells, in_flight)
                    costs[client].append(measure(command, cwd=folder, env=env))
                asked(server, "/reset")
                for run in ("generate", "rerun"):
                    costs[run].append(measure(generate_command(), cwd=folder, env=env))
                    state = json.loads(asked(server, "/stats"))
                    assert state["requests"] == load.cells, state
                    assert state["most_in_flight"] <= in_flight, state
    return costs


def _bare_command(client: str, server: str, cells: int, in_flight: int) -> list[str]:
    options = [f"--url={server}/v1", f"--cells={cells}", f"--concurrency={in_flight}"]
    return [sys.executable, "-m", "bench.floors", client, "--prompt=prompts/long.txt", *options]


def figures_of(load: Load, in_flight: int, costs: Costs) -> list[Figure]:
    """The figures of one load and concurrency."""
    name = f"{load.name} ({load.cells:,} cells at {load.latency_ms:g} ms), {in_flight} in flight"
    walls = {what: [cost.wall_s for cost in repeats] for what, repeats in costs.items()}
    cpus = {what: [cost.cpu_s for cost in repeats] for what, repeats in costs.items()}
    memory = [cost.rss_mib for cost in costs["generate"]]
    rerun_target = 10.0 if load.name == "C" else None
    return [
        figure(f"{name}: wall", walls["generate"], "s"),
        ratio("... of the openai client's", walls["generate"], walls["openai"], target=1.1),
        ratio("... of the aiohttp client's", walls["generate"], walls["aiohttp"]),
        ratio("... CPU of the openai client's", cpus["generate"], cpus["openai"], target=1.4),
        figure("... memory", memory, "MiB", target=300),
        figure("... again, all in the ledger", walls["rerun"], "s", target=rerun_target),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", default="AB", help="which loads, for instance ABC")
    parser.add_argument("--concurrency", type=int, nargs="*", default=[32, 64])
    options = parser.parse_args()
    print(table(figures(options.loads, options.concurrency)))


if __name__ == "__main__":
    main()
