"""`dvc exp show --json | python -m stages.shared.shell.experiments`: prints the experiments of the
present commit with what each came to and the settings in which they differ.

The table of DVC itself cannot show `models` and `briefs`, which are both a setting and a folder.
"""

import json
import sys
import textwrap
from collections.abc import Iterator
from typing import Any


def main() -> None:
    """Print the commit, its experiments and the working tree."""
    runs = dict(_runs(json.load(sys.stdin)))
    settings = {name: dict(_settings(run["params"]["params.yaml"])) for name, run in runs.items()}
    keys = {key for of_run in settings.values() for key in of_run}
    differing = [
        key for key in sorted(keys) if len({of_run.get(key) for of_run in settings.values()}) > 1
    ]
    for name, run in runs.items():
        print(f"{name}: {_result(run)}")
        shown = "; ".join(f"{key} {settings[name].get(key)}" for key in differing)
        if shown:
            print(textwrap.fill(shown, 80, initial_indent="  ", subsequent_indent="  "))


def _runs(commits: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for commit in commits:
        if commit["data"]:
            yield commit["name"] or commit["rev"], commit["data"]
        for experiment in commit["experiments"] or ():
            run = experiment["revs"][0]
            if run["data"]:
                yield experiment["name"] or run["rev"], run["data"]


def _settings(values: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Each setting by its dotted path."""
    for key, value in values.get("data", values).items():
        if isinstance(value, dict):
            yield from _settings(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", json.dumps(value).strip('"')


def _result(run: dict[str, Any]) -> str:
    metrics = run["metrics"].get("results/metrics.json", {}).get("data")
    if not metrics:
        return "no results"
    score = metrics["expected_score"]
    usable = f"{metrics['cells']} cells, {metrics['usable_rate']:.0%} usable"
    return f"{usable}, expected score {'not measured' if score is None else format(score, '.3f')}"


if __name__ == "__main__":
    main()
