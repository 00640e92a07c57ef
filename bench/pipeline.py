"""`python -m bench.pipeline`: what the pipeline itself takes: nothing to do, everything in the ledger, one model added, start-up.

Whole processes, DVC included but for the stage alone. The floor of a run with nothing to do is `dvc status` of a pipeline
without stages; it is measured for a small project too, as DVC's share grows with the files. The time over the calls' own is
what remains after taking off cells x latency / concurrency.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.figure import Figure, figure, ratio, table
from bench.measure import Cost, asked, loopback_server, measure
from bench.repository import dvc_command, dvc_environment, make_empty_repository, make_repository
from bench.workspace import environment, generate_command

LATENCY_MS = 100.0
CONCURRENCY = 32
MODELS = 10
SMALL = 100
"""The cells of the small project."""
STAGES = ("generate", "score", "report", "compare")


def figures(*, cells: int = 1_000, repeats: int = 3) -> list[Figure]:
    """The pipeline with so many cells, then the start of each stage."""
    with tempfile.TemporaryDirectory() as name, loopback_server(LATENCY_MS) as server:
        found = _pipeline(Path(name), server, max(cells // MODELS, 1), repeats)
        found += _small(Path(name), server, repeats)
    return found + _starts(repeats)


def _pipeline(folder: Path, server: str, briefs: int, repeats: int) -> list[Figure]:
    empty, ours = folder / "empty", folder / "ours"
    empty_env = make_empty_repository(empty)
    env = make_repository(
        ours, f"{server}/v1", models=MODELS, briefs=briefs, max_concurrency=CONCURRENCY
    )
    cells, own_s = MODELS * briefs, _own_time(briefs)
    first = _dvc(ours, env, "repro")
    asked(server, "/reset")
    again, added, rest, alone = [], [], [], []
    status, idle = _nothing_to_do(empty, empty_env, ours, env, cells, repeats, target=None)
    for _ in range(repeats):
        again.append(_dvc(ours, env, "repro", "-f", "-s", "generate"))
    _expect(server, 0)
    for number in range(MODELS, MODELS + repeats):
        _add_model(ours, number)
        added.append(_dvc(ours, env, "repro", "generate"))
        rest.append(_dvc(ours, env, "repro"))
    for number in range(MODELS + repeats, MODELS + 2 * repeats):
        _add_model(ours, number)
        alone.append(measure(generate_command(), cwd=ours, env=env))
    _expect(server, 2 * briefs * repeats)
    return [
        *_costs(f"pipeline: first run of {cells:,} cells, all stages", [first]),
        *_costs("pipeline: dvc status of an empty pipeline", status),
        *idle,
        *_costs(
            f"pipeline: dvc repro -f -s generate, {cells:,} cells in the ledger", again, target=2.0
        ),
        ratio("... of dvc status of an empty pipeline", _walls(again), _walls(status)),
        *_costs(
            f"pipeline: generate with a model more, over the calls' own {own_s:.1f} s",
            added,
            own_s,
            target=3.0,
        ),
        *_costs("pipeline: score and report after it", rest),
        *_costs(
            "pipeline: a model more by python -m stages.generate, over the calls' own",
            alone,
            own_s,
            target=3.0,
        ),
    ]


def _small(folder: Path, server: str, repeats: int) -> list[Figure]:
    empty, ours = folder / "empty", folder / "small"
    env = make_repository(
        ours, f"{server}/v1", models=MODELS, briefs=SMALL // MODELS, max_concurrency=CONCURRENCY
    )
    _dvc(ours, env, "repro")
    return _nothing_to_do(empty, dvc_environment(empty), ours, env, SMALL, repeats, target=2.5)[1]


def _nothing_to_do(
    empty: Path,
    empty_env: Mapping[str, str],
    ours: Path,
    env: Mapping[str, str],
    cells: int,
    repeats: int,
    *,
    target: float | None,
) -> tuple[list[Cost], list[Figure]]:
    """What `dvc status` of the empty pipeline took, and the figures of runs with nothing to do, in turns with it."""
    status, nothing = [], []
    for _ in range(repeats):
        status.append(_dvc(empty, empty_env, "status"))
        nothing.append(_dvc(ours, env, "repro"))
    return status, [
        *_costs(f"pipeline: dvc repro with nothing to do, {cells:,} cells", nothing),
        ratio(
            "... of dvc status of an empty pipeline", _walls(nothing), _walls(status), target=target
        ),
    ]


def _dvc(folder: Path, env: Mapping[str, str], *arguments: str) -> Cost:
    return measure(dvc_command(*arguments), cwd=folder, env=env)


def _walls(costs: Sequence[Cost]) -> list[float]:
    return [cost.wall_s for cost in costs]


def _costs(
    what: str, costs: Sequence[Cost], own_s: float = 0.0, *, target: float | None = None
) -> list[Figure]:
    """The wall time without the calls' own, and the CPU time, which other work on the machine lengthens less."""
    return [
        figure(what, [wall - own_s for wall in _walls(costs)], "s", target=target),
        figure("... CPU", [cost.cpu_s for cost in costs], "s"),
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
            found.append(
                figure(
                    f"start-up: {stage}", [_wall(command, folder, env) for _ in range(repeats)], "s"
                )
            )
        command = [sys.executable, "-c", "import openai"]
        found.append(
            figure(
                "start-up: import openai",
                [_wall(command, folder, env) for _ in range(repeats)],
                "s",
            )
        )
    return found


def _wall(command: list[str], folder: Path, env: Mapping[str, str]) -> float:
    return measure(command, cwd=folder, env=env).wall_s


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    print(table(figures(cells=chosen.cells, repeats=chosen.repeats)))
