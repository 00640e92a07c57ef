"""`python -m bench.report`: what the report of 1,000 and of 10,000 cells takes: wall time and memory of the whole process.

The floor reads the same scorecards and responses with `orjson` and writes the same bytes to the same number of files, in one
process. The memory is that of the largest process.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson

from bench.draft_graphs import draft_graph
from bench.figure import Figure, figure, ratio, table
from bench.measure import Cost, measure
from bench.workspace import environment, make_workspace

MODELS = 10
SIZES = (1_000, 10_000)
_DISTINCT = 400


def figures(*, sizes: Sequence[int] = SIZES, repeats: int = 3) -> list[Figure]:
    """Wall time against the floor and memory of each size, the larger against the smaller."""
    found: list[Figure] = []
    smallest: list[Cost] = []
    for size in sizes:
        ours, floor = _costs(size, repeats if size <= 1_000 else 1)
        name = f"report: {size:,} cells"
        found.append(figure(name, [cost.wall_s for cost in ours], "s"))
        found.append(ratio("... of reading and writing alone", _walls(ours), _walls(floor)))
        found.append(figure("... CPU", [cost.cpu_s for cost in ours], "s"))
        found.append(
            ratio("... of that of reading and writing alone", [c.cpu_s for c in ours], [c.cpu_s for c in floor])
        )
        found.append(figure("... memory", [cost.rss_mib for cost in ours], "MiB"))
        if smallest:
            more = [cost.rss_mib for cost in ours]
            found.append(ratio(f"... of that of {sizes[0]:,}", more, [smallest[0].rss_mib] * len(more)))
        smallest = smallest or ours
    return found


def _walls(costs: Sequence[Cost]) -> list[float]:
    return [cost.wall_s for cost in costs]


def _costs(size: int, repeats: int) -> tuple[list[Cost], list[Cost]]:
    with tempfile.TemporaryDirectory() as name:
        folder = make_workspace(Path(name), "http://127.0.0.1:9/v1", models=MODELS, briefs=max(size // MODELS, 1))
        write_responses(folder)
        env = environment(folder)
        measure([sys.executable, "-m", "stages.score"], cwd=folder, env=env)
        ours, floor = [], []
        for _ in range(repeats):
            for written in ("plots", "site"):  # what stands already would not be written again
                shutil.rmtree(folder / "results" / written, ignore_errors=True)
            ours.append(measure([sys.executable, "-m", "stages.report"], cwd=folder, env=env))
            floor.append(measure([sys.executable, "-m", "bench.report", "--floor"], cwd=folder, env=env))
    return ours, floor


def write_responses(folder: Path) -> None:
    """A response for every cell of a workspace: mostly valid graphs, some that are not, some without an answer."""
    graphs = [draft_graph(12, seed) for seed in range(_DISTINCT)]
    for graph in graphs[::9]:
        del graph["edges"][0]
    models = sorted(file.stem for file in (folder / "models").glob("*.json"))
    briefs = sorted(file.stem for file in (folder / "briefs").glob("*.md"))
    for number, (model, brief) in enumerate((model, brief) for model in models for brief in briefs):
        cell = folder / "results/responses" / model / brief
        cell.mkdir(parents=True, exist_ok=True)
        about = {"model_id": model, "brief_id": brief, "sample": 1, "attempts": 1}
        (cell / "response.json").write_bytes(json.dumps(about | _answer(graphs, number)).encode())


def _answer(graphs: Sequence[object], number: int) -> dict[str, object]:
    if number % 50 == 7:
        return {"status": "timeout_failed", "failure_code": "timeout", "error_message": "no answer within 300 s"}
    paid = {"latency_ms": 1000.0 + number % 997, "input_tokens": 9_000, "output_tokens": 1_700, "est_cost_usd": 0.03}
    if number % 50 == 8:
        return paid | {"status": "parse_failed", "raw_text": "I am sorry.", "draws": 1}
    graph = graphs[number % len(graphs)]
    return paid | {"status": "success", "raw_text": json.dumps(graph), "parsed_graph": graph, "draws": 1}


def _floor() -> None:
    results = Path("results")
    for line in (results / "scorecards.jsonl").read_bytes().splitlines():
        orjson.loads(line)
    for file in sorted((results / "responses").rglob("*.json")):
        orjson.loads(file.read_bytes())
    copy = Path("floor")
    for file in sorted((results / "site").rglob("*")):
        if file.is_file():
            target = copy / file.relative_to(results)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--floor", action="store_true", help="do what the floor does, in the working directory")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="cells")
    chosen = parser.parse_args()
    if chosen.floor:
        _floor()
    else:
        print(table(figures(sizes=chosen.sizes)))
