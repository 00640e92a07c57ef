"""`python -m bench.calibration`: measure all tables and write bench/calibration/RESULTS.md."""

import argparse
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from tabulate import tabulate

from bench.calibration.decisions import MODELS, decide_models
from bench.calibration.measure import BRIEFS, SETTINGS, false_verdicts, shares_of
from bench.calibration.populations import BY_NAME, POPULATIONS
from bench.calibration.settling import settle
from bench.calibration.two_numbers import verdict_shares

RESULTS = Path(__file__).parent / "RESULTS.md"
BUDGET = 0.035
POWER_SETTINGS = ((1, 16, 1), (1, 16, 2), (1, 16, 4), (1, 16, 8), (3, 16, 1), (1, 8, 1), (1, 40, 1))
"""Models, briefs and samples."""
GAINING = ("no failures", "below 1", "both fail 3 %", "candidate fails 3%", "both fail 12 %")
GAINS = ((0.0, 0.0), (0.1, 0.0), (0.0, 0.15), (0.1, 0.15), (0.1, -0.15), (0.1, -0.03))
"""In score and in content."""
SHOWN = ("better", "worse", "mixed", "no meaningful difference")
Rows: TypeAlias = Sequence[Sequence[object]]
HEADERS = [f"{count} briefs" for count in BRIEFS]


def main() -> None:
    """Measure the tables that are named; all of them are written to RESULTS.md."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], help="default: all, and write")
    parser.add_argument("--repetitions", type=int, default=4000, help="per cell (default: 4000)")
    options = parser.parse_args()
    started = time.monotonic()
    sections = []
    for name in options.tables or TABLES:
        sections.append(TABLES[name](options.repetitions))
        print(sections[-1], flush=True)
    seconds = time.monotonic() - started
    if not options.tables:
        intro = INTRODUCTION.format(
            repetitions=options.repetitions,
            seconds=seconds,
            error=100 * (0.03 * 0.97 / options.repetitions) ** 0.5,
        )
        RESULTS.write_text("\n".join([intro, *sections]), encoding="utf-8")


INTRODUCTION = """\
# How often verdicts are right

Written by `python -m bench.calibration`: {repetitions:,} repetitions of each cell, {seconds:.0f}
seconds. A population (`populations.py`) says what baseline and candidate score on briefs that are
drawn from it. Shares are percentages; at 3 % their standard error is {error:.1f}.
"""


def errors(repetitions: int) -> str:
    """False verdicts when both sides have the same mean expected score."""
    rows = []
    for population in POPULATIONS:
        cells = [false_verdicts(population, briefs, repetitions) for briefs in BRIEFS]
        shares = [pair(cell.better, cell.worse, BUDGET) for cell in cells]
        rows.append([population.name, population.kind, *shares])
    settings = ", ".join(f"{models} and {samples}" for models, samples in SETTINGS)
    return section(
        "compare: false *better* / *worse*, equal expected scores",
        f"The greatest share over models and samples ({settings}); **bold** above 3.5 %. Skewed: "
        "failures on one side whose better graphs make up for them, or rare large losses. "
        "Dependent: the briefs are no independent draws.",
        ["population", "differences", *HEADERS],
        rows,
    )


def gains(repetitions: int) -> str:
    """How often a gain is found, as samples, briefs and models are added."""
    rows = []
    for name in GAINING:
        for effect in (0.05, 0.10):
            found = [
                shares_of(BY_NAME[name], models, briefs, samples, effect, repetitions)
                for models, briefs, samples in POWER_SETTINGS
            ]
            rows.append([name, f"+{effect:.2f}", *(percent(cell.better) for cell in found)])
    headers = [f"{b} x {s} x {m}" for m, b, s in POWER_SETTINGS]
    return section(
        "compare: *better* where the candidate gains",
        "By the gain in expected score; columns are briefs x samples x models.",
        ["population", "gain", *headers],
        rows,
    )


def two_numbers(repetitions: int) -> str:
    """Verdicts on score and content together."""
    rows = []
    for name in ("no failures", "both fail 3 %"):
        for gains in GAINS:
            row = [name, f"{gains[0]:+.2f} / {gains[1]:+.2f}"]
            for briefs, samples in ((16, 1), (16, 8), (40, 2)):
                shares = verdict_shares(BY_NAME[name], gains, briefs, samples, repetitions // 4)
                row.append(" / ".join(percent(shares.get(verdict, 0.0)) for verdict in SHOWN))
            rows.append(row)
    return section(
        "compare: score and content together",
        "*Better* / *worse* / *mixed* / *no meaningful difference*, by the gains in score and in "
        "content; one model, briefs of six effects. The rest cannot tell.",
        ["population", "gains", "16 briefs x 1 sample", "16 x 8", "40 x 2"],
        rows,
    )


def decisions(repetitions: int) -> str:
    """Which model is named."""
    rows = []
    for models in MODELS:
        for briefs in (8, 16, 40):
            decided = decide_models(models, briefs, repetitions)
            shares = (
                decided.leads,
                decided.not_worse,
                decided.undecided,
                decided.false_leads,
                decided.false_not_worse,
            )
            rows.append([models.about, briefs, *map(percent, shares)])
    headers = ["leads", "not worse", "undecided", "false leads", "false not worse"]
    return section(
        "decision: models named for a mode",
        "One sample; a model costs more than the next. False: not the best alone, or worse than the "
        "best by more than 0.02.",
        ["models", "briefs", *headers],
        rows,
    )


def settling(repetitions: int) -> str:
    """Interim analyses of 1, 2, 4 and 8 samples."""
    rows = []
    for population in POPULATIONS:
        equal = settle(population, 0.0, 16, repetitions // 2)
        row = [population.name, pair(equal.better, equal.worse, BUDGET), percent(equal.saved)]
        if population.name in GAINING:
            gain = settle(population, 0.05, 16, repetitions // 2)
            row += map(percent, (gain.better, gain.at_once, gain.saved))
        rows.append(row)
    return section(
        "settle: interim analyses of 1, 2, 4 and 8 samples",
        "16 briefs, one model. False *better* / *worse* over all of them if the expected scores are "
        "equal, and calls saved; a gain of 0.05 found, and at once with 8 samples.",
        ["population", "false better / worse", "saved", "found", "at once", "saved"],
        rows,
    )


TABLES: dict[str, Callable[[int], str]] = {
    "errors": errors,
    "gains": gains,
    "two_numbers": two_numbers,
    "decisions": decisions,
    "settling": settling,
}


def section(title: str, text: str, headers: Sequence[str], rows: Rows) -> str:
    """A heading, a sentence and a Markdown table."""
    table = tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)
    compact = re.sub(r" +\|", " |", re.sub(r"-{4,}", "---", table))
    return f"## {title}\n\n{text}\n\n{compact}\n"


def percent(share: float) -> str:
    """A share as a number of per cent.

    >>> percent(0.0254)
    '2.5'
    """
    return f"{100 * share:.1f}"


def pair(first: float, second: float, budget: float) -> str:
    """Two shares, bold where one is above the budget."""
    text = f"{percent(first)} / {percent(second)}"
    return f"**{text}**" if max(first, second) > budget else text


if __name__ == "__main__":
    main()
