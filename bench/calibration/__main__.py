"""`python -m bench.calibration`: measure all tables and write bench/calibration/RESULTS.md."""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from tabulate import tabulate

from bench.calibration.decisions import MODELS, decide_models
from bench.calibration.measure import (
    BRIEFS,
    SETTINGS,
    RuleErrors,
    power,
    rule_errors,
    score_coverage,
    wrong_claims,
)
from bench.calibration.populations import BY_NAME, POPULATIONS
from bench.calibration.rules import EXPECTED_RULES, SCORE_RULES
from bench.calibration.settling import settle_looks

RESULTS = Path(__file__).parent / "RESULTS.md"
BUDGET, BUDGET_WHERE_USABLE, BUDGET_RELIABILITY = 0.03, 0.05, 0.02
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
            minutes=seconds / 60,
            error=100 * (0.03 * 0.97 / options.repetitions) ** 0.5,
        )
        RESULTS.write_text("\n".join([intro, *sections]), encoding="utf-8")


INTRODUCTION = """\
# How often claims are right

Written by `python -m bench.calibration`: {repetitions:,} repetitions of each cell, {minutes:.0f}
minutes. A population (`populations.py`) says what base and head score on briefs that are drawn from it.
Shares are percentages; at 3 % their standard error is {error:.1f}.
"""


def wrong(repetitions: int) -> str:
    """Claims when both sides have the same mean expected score."""
    rows = []
    usable_rows = []
    for population in POPULATIONS:
        cells = [wrong_claims(population, briefs, repetitions) for briefs in BRIEFS]
        rows.append([population.name, *(pair(cell.better, cell.worse, BUDGET) for cell in cells)])
        if population.equal_quality:
            shares = [
                pair(cell.better_where_usable, cell.worse_where_usable, BUDGET_WHERE_USABLE)
                for cell in cells
            ]
            usable_rows.append([population.name, *shares])
    settings = ", ".join(f"{models} and {samples}" for models, samples in SETTINGS)
    first = section(
        "False *better* / *worse*, equal expected scores",
        f"The greatest share over models and samples ({settings}); the budget is 3 % each.",
        ["population", *HEADERS],
        rows,
    )
    second = section(
        "False *better where usable* / *worse where usable*, equal quality",
        "The same draws; the budget is 5 % each. **Bold**: above it, in skewed populations with "
        "fewer than 25 briefs, where the claim carries the caveat *few briefs*.",
        ["population", *HEADERS],
        usable_rows,
    )
    return f"{first}\n{second}"


def rules(repetitions: int) -> str:
    """The rules that E was chosen from."""
    errors: dict[str, list[RuleErrors]] = {name: [] for name in EXPECTED_RULES}
    for population in POPULATIONS:
        for models, samples in SETTINGS:
            for briefs in BRIEFS:
                cell = rule_errors(population, models, briefs, samples, repetitions)
                for name, error in cell.items():
                    errors[name].append(error)
    rows = [
        [
            name,
            percent(max(cell.better for cell in cells)),
            percent(max(cell.worse for cell in cells)),
            sum(max(cell.better, cell.worse) > BUDGET for cell in cells),
            f"{sum(cell.length for cell in cells) / len(cells):.3f}",
        ]
        for name, cells in errors.items()
    ]
    return section(
        "Rules for the expected score",
        f"Over all {len(POPULATIONS) * len(SETTINGS) * len(BRIEFS)} cells of the first table.",
        ["rule", "better at most", "worse at most", "cells above 3 %", "mean length"],
        rows,
    )


def gains(repetitions: int) -> str:
    """How often a gain is found."""
    effects = (0.05, 0.10, 0.16)
    rows = []
    for name in ("no failures", "bounded", "both fail 6 %", "both fail 12 %"):
        for models in (1, 3):
            for briefs in BRIEFS:
                found = [
                    power(BY_NAME[name], effect, models, briefs, repetitions) for effect in effects
                ]
                shares = [
                    f"{percent(any_claim)} ({percent(better)})" for any_claim, better in found
                ]
                rows.append([name, models, briefs, *shares])
    return section(
        "Power",
        "How often *better* or *better where usable* is claimed, by the gain in expected score; in "
        "brackets *better* alone. One sample.",
        ["population", "models", "briefs", *(f"+{effect:.2f}" for effect in effects)],
        rows,
    )


def scores(repetitions: int) -> str:
    """The interval of one model's expected score."""
    rows = []
    for population in POPULATIONS:
        cells = [score_coverage(population, briefs, repetitions) for briefs in BRIEFS]
        rows.append(
            [population.name, *(percent(min(c[name] for c in cells)) for name in SCORE_RULES)]
        )
    return section(
        "Coverage of one model's expected score",
        "The least share over both sides, 8 to 40 briefs, 1 and 4 samples; the target is 93 %.",
        ["population", *SCORE_RULES],
        rows,
    )


def decisions(repetitions: int) -> str:
    """Which model is named."""
    rows = []
    for models in MODELS:
        for briefs in BRIEFS:
            decided = decide_models(models, briefs, repetitions)
            shares = (
                decided.leads,
                decided.not_worse,
                decided.leads_where_usable,
                decided.not_worse_where_usable,
                decided.undecided,
                decided.false_leads,
                decided.false_not_worse,
                decided.false_where_usable,
            )
            rows.append([models.about, briefs, *map(percent, shares)])
    headers = [
        "models",
        "briefs",
        "leads",
        "not worse",
        "leads where usable",
        "not worse where usable",
        "undecided",
        "false leads",
        "false not worse",
        "false where usable",
    ]
    return section(
        "Models named for a mode",
        "One sample, margin 0.03; a model costs more than the next. False: not the best alone, or "
        "worse than the best by more than the margin, in expected score or (where usable) quality.",
        headers,
        rows,
    )


def settling(repetitions: int) -> str:
    """Looks at 1, 2, 4 and 8 samples."""
    rows = []
    for population in POPULATIONS:
        for models in (1, 3):
            equal = settle_looks(population, 0.0, models, 16, repetitions // 2)
            better = settle_looks(population, 0.05, models, 16, repetitions // 2)
            usable = "" if not population.equal_quality else pair(equal.in_favour, equal.against, 1)
            gained = (better.in_favour, better.at_once, better.saved, better.by_reliability)
            wrong_shares = pair(equal.better, equal.worse, BUDGET)
            reliable = bold(equal.by_reliability, BUDGET_RELIABILITY)
            shares = [wrong_shares, usable, reliable, *map(percent, gained)]
            rows.append([population.name, models, *shares])
    headers = [
        "population",
        "models",
        "false better / worse",
        "any claim",
        "false by reliability",
        "found",
        "at once",
        "saved",
        "by reliability",
    ]
    return section(
        "Looks at 1, 2, 4 and 8 samples",
        "16 briefs, fixed weights. False claims over all looks if the expected scores are equal "
        "(any claim: if the quality is equal too); a gain of 0.05 found by looks, and at once with "
        "8 samples; calls saved by looks. By reliability: *better where usable* that became *better*, "
        "all answers to m* of 200 new briefs being usable; the budget is 2 %.",
        headers,
        rows,
    )


TABLES: dict[str, Callable[[int], str]] = {
    "wrong": wrong,
    "rules": rules,
    "gains": gains,
    "scores": scores,
    "decisions": decisions,
    "settling": settling,
}


def section(title: str, text: str, headers: Sequence[str], rows: Rows) -> str:
    """A heading, a sentence and a Markdown table."""
    table = tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)
    return f"## {title}\n\n{text}\n\n{table}\n"


def percent(share: float) -> str:
    """A share as a number of per cent.

    >>> percent(0.0254)
    '2.5'
    """
    return f"{100 * share:.1f}"


def bold(value: float, budget: float) -> str:
    """A share, bold where it is above the budget."""
    return f"**{percent(value)}**" if value > budget else percent(value)


def pair(first: float, second: float, budget: float) -> str:
    """Two shares, bold where one is above the budget."""
    text = f"{percent(first)} / {percent(second)}"
    return f"**{text}**" if max(first, second) > budget else text


if __name__ == "__main__":
    main()
