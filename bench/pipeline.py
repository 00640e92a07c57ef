"""`python -m bench.pipeline`: what the pipeline itself takes: nothing to do, everything in the ledger, one model added, start-up.

Whole processes, DVC included. The floor of a run with nothing to do is `dvc status` of a pipeline without stages. The time over
the calls' own is what remains after taking off cells x latency / concurrency.
"""

import json
import math
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.figure import Figure, figure, ratio, table
from bench.measure import asked, loopback_server, measure
from bench.repository import commit, dvc_command, make_empty_repository, make_repository
from bench.workspace import environment

LATENCY_MS = 100.0
CONCURRENCY = 32
MODELS = 10
STAGES = ("generate", "score", "report", "compare")


def figures(*, cells: int = 1_000, repeats: int = 3) -> list[Figure]:
    """The pipeline with so many cells, then the start of each stage."""
    with tempfile.TemporaryDirectory() as name, loopback_server(LATENCY_MS) as server:
        found = _pipeline(Path(name), server, max(cells // MODELS, 1), repeats)
    return found + _starts(repeats)


def _pipeline(folder: Path, server: str, briefs: int, repeats: int) -> list[Figure]:
    empty, ours = folder / "empty", folder / "ours"
    empty_env = make_empty_repository(empty)
    env = make_repository(ours, f"{server}/v1", models=MODELS, briefs=briefs, max_concurrency=CONCURRENCY)
    cells = MODELS * briefs
    first = _wall(dvc_command("repro"), ours, env)
    commit(ours, env)
    asked(server, "/reset")
    status, nothing, again = [], [], []
    for _ in range(repeats):
        status.append(_wall(dvc_command("status"), empty, empty_env))
        nothing.append(_wall(dvc_command("repro"), ours, env))
        again.append(_wall(dvc_command("repro", "-f", "-s", "generate"), ours, env))
    _expect(server, 0)
    added, rest = [], []
    for number in range(MODELS, MODELS + repeats):
        _add_model(ours, number)
        added.append(_wall(dvc_command("repro", "generate"), ours, env) - _own_time(briefs))
        rest.append(_wall(dvc_command("repro"), ours, env))
    _expect(server, briefs * repeats)
    return [
        figure(f"pipeline: first run of {cells:,} cells, all stages", [first], "s"),
        figure("pipeline: dvc repro with nothing to do", nothing, "s"),
        ratio("... of dvc status of an empty pipeline", nothing, status, target=2.0),
        figure(f"pipeline: dvc repro -f -s generate, {cells:,} cells in the ledger", again, "s", target=2.0),
        ratio("... of dvc status of an empty pipeline", again, status),
        figure(
            f"pipeline: generate with a model more, over the calls' {_own_time(briefs):.1f} s", added, "s", target=3.0
        ),
        figure("... score and report after it", rest, "s"),
    ]


def _own_time(calls: int) -> float:
    return math.ceil(calls / CONCURRENCY) * LATENCY_MS / 1000


def _add_model(folder: Path, number: int) -> None:
    config = json.loads((folder / "models/m00.json").read_text())
    config |= {"id": f"m{number:02}", "model": f"model-{number}"}
    (folder / f"models/m{number:02}.json").write_text(json.dumps(config))


def _expect(server: str, requests: int) -> None:
    found = json.loads(asked(server, "/stats"))["requests"]
    if found != requests:
        raise RuntimeError(f"{found} calls were made in place of {requests}")


def _starts(repeats: int) -> list[Figure]:
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = environment(folder)
        bare = [_wall([sys.executable, "-c", "pass"], folder, env) for _ in range(repeats)]
        found.append(figure("start-up: bare interpreter", bare, "s"))
        for stage in STAGES:
            command = [sys.executable, "-c", f"import stages.{stage}.__main__"]
            _wall(command, folder, env)
            found.append(figure(f"start-up: {stage}", [_wall(command, folder, env) for _ in range(repeats)], "s"))
        command = [sys.executable, "-c", "import openai"]
        found.append(figure("start-up: import openai", [_wall(command, folder, env) for _ in range(repeats)], "s"))
    return found


def _wall(command: list[str], folder: Path, env: Mapping[str, str]) -> float:
    return measure(command, cwd=folder, env=env).wall_s


if __name__ == "__main__":
    print(table(figures()))
