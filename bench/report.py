"""`python -m bench report`: what the report of 144, 1,000 and 10,000 cells takes: wall time and memory of the whole process."""

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from bench.draft_graphs import draft_graph
from bench.figure import Figure, figure
from bench.measure import Cost, measure
from bench.workspace import environment, make_workspace

SECONDS = {144: 4.0, 1_000: 6.0, 10_000: 60.0}
"""The seconds that a report of so many cells may take."""
MODELS = {144: 9, 1_000: 10, 10_000: 10}


def figures() -> list[Figure]:
    """Wall time, CPU time and memory of each size; the largest is measured once."""
    found: list[Figure] = []
    for size, seconds in SECONDS.items():
        costs = _costs(size, 3 if size <= 1_000 else 1)
        found += [
            figure(f"report: {size:,} cells", [cost.wall_s for cost in costs], "s", target=seconds),
            figure("... CPU", [cost.cpu_s for cost in costs], "s"),
            figure("... memory", [cost.rss_mib for cost in costs], "MiB", target=300.0),
        ]
    return found


def _costs(size: int, repeats: int) -> list[Cost]:
    with tempfile.TemporaryDirectory() as name:
        models = MODELS[size]
        folder = make_workspace(
            Path(name), "http://127.0.0.1:9/v1", models=models, briefs=size // models
        )
        write_responses(folder)
        env = environment(folder)
        measure([sys.executable, "-m", "graph_evaluator", "score"], cwd=folder, env=env)
        costs = []
        for _ in range(repeats):
            # Files that are already there would not be written again.
            shutil.rmtree(folder / "results/site", ignore_errors=True)
            costs.append(
                measure([sys.executable, "-m", "graph_evaluator", "report"], cwd=folder, env=env)
            )
        return costs


def write_responses(folder: Path) -> None:
    """A run with a response for every cell of a workspace: mostly valid graphs, some that are not, some without an answer."""
    graphs = [draft_graph(12, seed) for seed in range(400)]
    for graph in graphs[::9]:
        del graph["edges"][0]
    models = sorted(file.stem for file in (folder / "models").glob("*.json"))
    briefs = sorted(file.stem for file in (folder / "briefs").glob("*.md"))
    for number, (model, brief) in enumerate(product(models, briefs)):
        cell = folder / "results/responses" / model / brief
        cell.mkdir(parents=True, exist_ok=True)
        about = {"model_id": model, "brief_id": brief, "sample": 1, "attempts": 1}
        (cell / "response.json").write_bytes(json.dumps(about | _answer(graphs, number)).encode())
    run = {
        "run_id": "bench", "git_sha": None, "tool_version": "bench", "prompt": {"path": "bench.txt", "sha256": ""},
        "models": {}, "briefs": {}, "samples": 1, "round": 1,
    }  # fmt: skip
    (folder / "results/run.json").write_text(json.dumps(run))


def _answer(graphs: Sequence[object], number: int) -> dict[str, object]:
    if number % 50 == 7:
        return {
            "status": "timeout_failed",
            "failure_code": "timeout",
            "error_message": "no answer within 300 s",
        }
    paid = {
        "latency_ms": 1000.0 + number % 997,
        "input_tokens": 9_000,
        "output_tokens": 1_700,
        "est_cost_usd": 0.03,
    }
    if number % 50 == 8:
        return paid | {"status": "parse_failed", "raw_text": "I am sorry.", "draws": 1}
    graph = graphs[number % len(graphs)]
    return paid | {
        "status": "success",
        "extraction_method": "direct",
        "raw_text": json.dumps(graph),
        "parsed_graph": graph,
        "draws": 1,
    }
