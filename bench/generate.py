"""`python -m bench generate`: what `generate` takes against a bare client on the same calls.

Load A is 100 cells at 500 ms, load B 1,000 cells at 100 ms, load C 10,000 cells at 100 ms; a 37 KB
prompt, 6 KB answers. Every figure is of a whole process, start-up and durable storage included; the
bare client keeps nothing. `rerun` is the same command again, with everything in the ledger.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figure import Figure, figure, ratio
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
"""What the repeats of each process took: `bare`, `generate` and `rerun`."""
IN_FLIGHT = (32, 64)


def figures() -> list[Figure]:
    """The figures of all loads; ratios are to the bare `openai` client, repeat by repeat."""
    results: list[Figure] = []
    for load in LOADS.values():
        for in_flight in IN_FLIGHT:
            results += figures_of(load, in_flight, measure_load(load, in_flight))
    return results


def measure_load(load: Load, in_flight: int) -> Costs:
    """Run every process on a load, in turns."""
    costs: dict[str, list[Cost]] = {"bare": [], "generate": [], "rerun": []}
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
                command = _bare_command(server, load.cells, in_flight)
                costs["bare"].append(measure(command, cwd=folder, env=env))
                asked(server, "/reset")
                for run in ("generate", "rerun"):
                    costs[run].append(measure(generate_command(), cwd=folder, env=env))
                    state = json.loads(asked(server, "/stats"))
                    assert state["requests"] == load.cells, state
                    assert state["most_in_flight"] <= in_flight, state
    return costs


def _bare_command(server: str, cells: int, in_flight: int) -> list[str]:
    options = [f"--url={server}/v1", f"--cells={cells}", f"--concurrency={in_flight}"]
    return [sys.executable, "-m", "bench.bare_client", "--prompt=prompts/long.txt", *options]


def figures_of(load: Load, in_flight: int, costs: Costs) -> list[Figure]:
    """The figures of one load and concurrency."""
    name = f"{load.name} ({load.cells:,} cells at {load.latency_ms:g} ms), {in_flight} in flight"
    walls = {what: [cost.wall_s for cost in repeats] for what, repeats in costs.items()}
    cpus = {what: [cost.cpu_s for cost in repeats] for what, repeats in costs.items()}
    memory = [cost.rss_mib for cost in costs["generate"]]
    is_large = load.name == "C"
    wall_target, cpu_target = (None, None) if is_large else (1.1, 1.4)
    rerun_target = 8.0 if is_large else None
    return [
        figure(f"{name}: wall", walls["generate"], "s"),
        ratio("... of the bare client's", walls["generate"], walls["bare"], target=wall_target),
        ratio("... CPU of the bare client's", cpus["generate"], cpus["bare"], target=cpu_target),
        figure("... memory", memory, "MiB", target=300),
        figure("... again, all in the ledger", walls["rerun"], "s", target=rerun_target),
    ]
