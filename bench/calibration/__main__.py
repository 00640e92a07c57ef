"""`python -m bench.calibration [TABLE ...] [--repetitions N]`: the tables of docs/comparing.md and docs/reviews.md, as Markdown."""

import argparse
from collections.abc import Iterable, Sequence
from typing import get_args

from tabulate import tabulate

from bench.calibration.agreement import SITUATIONS, agreement_measured
from bench.calibration.candidates import CANDIDATES
from bench.calibration.coverage import (
    BRIEFS,
    SHARES,
    Covered,
    candidate_coverage,
    difference_coverage,
    score_coverage,
)
from bench.calibration.decisions import MODELS, decided
from bench.calibration.populations import HARD, POPULATIONS, Population
from bench.calibration.settling import settled
from bench.calibration.verdicts import verdicts
from stages.contracts.settlement import Boundary
from stages.settle.design import REFERENCE

EVERY = (*POPULATIONS, *HARD)
SETTINGS = ((1, 1), (1, 3), (4, 2))
"""Models and samples."""
BY_NAME = {population.name: population for population in EVERY}
HEADERS = [f"{count} briefs" for count in BRIEFS]


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument(
        "tables", nargs="*", choices=[[], *TABLES], help="which of the tables; default: all"
    )
    parser.add_argument(
        "--repetitions", type=int, default=1000, help="of each cell (default: 1000)"
    )
    options = parser.parse_args()
    for name in options.tables or TABLES:
        TABLES[name](options.repetitions)


def differences(repetitions: int) -> None:
    """The interval of a difference when nothing changed in the mean: coverage, and false verdicts."""
    for models, samples in SETTINGS:
        rows = [
            [
                each.name,
                *(
                    _checked(
                        difference_coverage(each, models, n, samples, 0.0, repetitions=repetitions)
                    )
                    for n in BRIEFS
                ),
            ]
            for each in EVERY
            if models > 1 or each.name != "lost half"
        ]
        title = f"{models} model{'s' * (models > 1)}, {samples} sample{'s' * (samples > 1)}"
        _print(
            f"Coverage of a difference, with false *better* / *worse*: {title}, percent",
            ["population", *HEADERS],
            rows,
        )


def scores(repetitions: int) -> None:
    """The interval of one model's mean score, and the one over briefs' means that it replaces."""
    rows = []
    for population in EVERY:
        found = [score_coverage(population, n, 1, repetitions=repetitions) for n in BRIEFS]
        rows.append(
            [
                population.name,
                *(f"{_percent(new.holds)} ({_percent(old.holds)})" for new, old in found),
            ]
        )
    _print(
        "Coverage of a mean score, in brackets `mean_interval` alone: percent",
        ["population", *HEADERS],
        rows,
    )


def methods(repetitions: int) -> None:
    """The methods that the interval of a difference was chosen from."""
    groups = {
        "no failures": (
            "even",
            "bounded",
            "skewed",
            "ties",
            "one in eight",
            "lognormal",
            "30 % zeros",
        ),
        "failures": tuple(
            each.name for each in POPULATIONS if "fail" in each.name or "hard" in each.name
        ),
    }
    for title, names in groups.items():
        cells = [(BY_NAME[name], n) for name in names for n in BRIEFS]
        found = [
            each
            for population, n in cells
            for each in candidate_coverage(
                population, n, 1, repetitions=repetitions * 2 // 5, effect=0.0
            )
        ]
        rows = [
            _summary(method, [each for each in found if each.method == method])
            for method in (*CANDIDATES, *SHARES)
        ]
        headers = ["method", "least", "mean", "greatest", "false better or worse at most", "length"]
        _print(
            f"Methods, populations with {title}, one model and sample: coverage, percent",
            headers,
            rows,
        )


def models(repetitions: int) -> None:
    """Whole comparisons of four models when nothing changed."""
    rows = []
    for name in ("even", "lost half", "head fails 6 %", "both fail 12 %"):
        for n in BRIEFS[::2]:
            found = verdicts(BY_NAME[name], 0.0, n, 2, repetitions=repetitions // 5)
            shares = (
                found.overall["worse"],
                found.overall["better"],
                found.any_worse,
                found.any_better,
            )
            rows.append([name, n, *map(_percent, shares)])
    headers = ["population", "briefs", "worse", "better", "any model worse", "any model better"]
    _print("False verdicts, four models with two samples: percent", headers, rows)


def power(repetitions: int) -> None:
    """How often a gain is found."""
    effects = (0.02, 0.04, 0.06, 0.08, 0.1, 0.16)
    rows = [
        [
            name,
            count,
            samples,
            n,
            *map(_percent, _powers(BY_NAME[name], count, n, samples, effects, repetitions // 4)),
        ]
        for name, count, samples in (
            ("bounded", 4, 2),
            ("both fail 6 %", 4, 2),
            ("bounded", 1, 1),
            ("both fail 6 %", 1, 1),
        )
        for n in BRIEFS
    ]
    headers = [
        "population",
        "models",
        "samples",
        "briefs",
        *(f"+{effect:.2f}" for effect in effects),
    ]
    _print("Power, how often the verdict is *better*: percent", headers, rows)


def _powers(
    population: Population,
    count: int,
    briefs: int,
    samples: int,
    effects: Iterable[float],
    repetitions: int,
) -> list[float]:
    cells = (
        difference_coverage(population, count, briefs, samples, each, repetitions=repetitions)
        for each in effects
    )
    return [each.better for each in cells]


def decisions(repetitions: int) -> None:
    """Which model is named."""
    rows = [
        [each.about, n, *map(_percent, found[:-1]), f"{found.regret:.3f}"]
        for each in MODELS
        for n in BRIEFS
        for found in [decided(each, n, repetitions=repetitions // 4)]
    ]
    headers = [
        "models",
        "briefs",
        "leads",
        "not worse",
        "undecided",
        "false leads",
        "named is 0.02 worse",
        "regret",
    ]
    _print("Named models, one sample: percent, and regret in score", headers, rows)


def agreement(repetitions: int) -> None:
    """The agreement of people with the score, from reviews with a known agreement."""
    rows = [
        [f"{one.agreement:.0%}", one.briefs, one.people, f"{found.covered:.1%}", f"{found.above_half:.0%}", f"{found.length:.2f}"]
        for one in SITUATIONS
        for found in [agreement_measured(one, repetitions=repetitions)]
    ]  # fmt: skip
    headers = ["true agreement", "briefs", "people", "coverage", "found above 50 %", "mean length"]
    _print("Agreement of people with the score, forty pairs", headers, rows)


def settling(repetitions: int) -> None:
    """How settlements in planned looks end: four models, 16 briefs, up to eight samples."""
    headers = [
        "population",
        "better / worse",
        "saved",
        f"better at {REFERENCE:+g}",
        "fixed",
        "saved",
        "wrong stops",
    ]
    for boundary in get_args(Boundary):
        rows = []
        for each in EVERY:
            equal, changed = (
                settled(each, boundary, effect, 4, 16, repetitions=repetitions // 4)
                for effect in (0.0, REFERENCE)
            )
            shares = (equal.saved, changed.better, changed.fixed, changed.saved)
            wrong = f"{_percent(equal.better)} / {_percent(equal.worse)}"
            stops = f"{_percent(equal.wrong_stops)} / {_percent(changed.wrong_stops)}"
            rows.append([each.name, wrong, *map(_percent, shares), stops])
        _print(f"Settlements, {boundary}, four models, 16 briefs: percent", headers, rows)


TABLES = {
    "differences": differences,
    "scores": scores,
    "methods": methods,
    "models": models,
    "power": power,
    "decisions": decisions,
    "settling": settling,
    "agreement": agreement,
}


def _checked(found: Covered) -> str:
    return f"{_percent(found.holds)} ({_percent(found.better)} / {_percent(found.worse)})"


def _summary(method: str, found: Sequence[Covered]) -> list[str]:
    shares = [each.holds for each in found]
    wrong = max(max(each.better, each.worse) for each in found)
    length = sum(each.length for each in found) / len(found)
    return [
        method,
        *map(_percent, (min(shares), sum(shares) / len(shares), max(shares), wrong)),
        f"{length:.3f}",
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _print(title: str, headers: list[str], rows: Sequence[Sequence[object]]) -> None:
    print(
        f"## {title}\n\n{tabulate(rows, headers=headers, tablefmt='github', disable_numparse=True)}\n",
        flush=True,
    )


if __name__ == "__main__":
    main()
