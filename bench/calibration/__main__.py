"""`python -m bench.calibration`: measure all tables and write bench/calibration/RESULTS.md."""

import argparse
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from tabulate import tabulate

from bench.calibration.decisions import decide_models
from bench.calibration.measure import BRIEFS, false_verdicts
from bench.calibration.populations import POPULATIONS
from bench.calibration.two_numbers import (
    Kind,
    Study,
    mean_misses,
    settle_shares,
    verdict_shares,
)

RESULTS = Path(__file__).parent / "RESULTS.md"
KINDS: tuple[Kind, ...] = ("ceiling", "near", "mid")
GAINS = (
    (0.0, 0.0), (0.05, 0.0), (0.1, 0.0), (0.0, 0.05), (0.0, 0.1), (0.05, 0.05), (0.1, 0.1),
    (-0.1, 0.0), (0.0, -0.1), (0.1, -0.05), (0.1, -0.1), (-0.04, 0.1), (-0.05, 0.1),
)  # fmt: skip
"""In form and in content: gains, losses, trade-offs."""
GROWING = ((8, 1), (16, 1), (16, 2), (16, 4), (40, 2), (80, 4), (160, 4), (320, 8))
"""Briefs and samples."""
GUARDED = (
    *((0.1, change) for change in (0.0, -0.02, -0.03, -0.05, -0.07, -0.1, -0.15)),
    *((change, 0.1) for change in (-0.03, -0.04, -0.05, -0.07)),
    (0.03, 0.0), (0.04, 0.0),
)  # fmt: skip
CONDITIONS: tuple[tuple[Kind, float], ...] = (("ceiling", 0.0), ("near", 0.0), ("near", 0.03))
"""Where form is, and the share of answers that fail."""
AHEAD = {(0.0, 0.15): (2, 3, 6), (0.0, 0.1): (2, 3, 6), (0.05, 0.0): (3,), (0.1, 0.0): (3,), (0.0, 0.0): (2, 6)}  # fmt: skip
"""How far one model is ahead in form and content, and among how many models."""
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
        intro = INTRODUCTION.format(repetitions=options.repetitions, seconds=seconds)
        RESULTS.write_text("\n".join([intro, *sections]), encoding="utf-8")


INTRODUCTION = """\
# How often verdicts are right

Written by `python -m bench.calibration`: {repetitions:,} repetitions of each cell of the first
table, a quarter of that in the others, and a tenth in the last but one; {seconds:.0f} seconds. Shares
are percentages. Their standard error is 0.3 points at 3 % in the first table, 1.6 at 50 % in others.

Form alone is drawn from the populations of `populations.py`. Form and content are drawn as in
`two_numbers.py`, after real answers: form at its *ceiling* (96 % of the answers 1.000), *near* it
(0.86) or in the *mid* (0.72); content 0.82 with 3 to 8 effects a brief; another prompt redraws the
chance of 12 % of the effects; failures cluster in briefs and count 0 in both. One model.
"""


def errors(repetitions: int) -> str:
    """False verdicts by form alone when both sides have the same mean."""
    rows = []
    for population in POPULATIONS:
        cells = [false_verdicts(population, briefs, repetitions) for briefs in BRIEFS]
        shares = [pair(cell.better, cell.worse) for cell in cells]
        rows.append([population.name, population.kind, *shares])
    return section(
        "compare by form alone: false *better* / *worse*, equal means",
        "The greatest share over models and samples (1 and 1, 1 and 8, 3 and 2, 5 and 1); **bold** above "
        "3.5 %. Skewed: "
        "failures on one side whose better graphs make up for them, or rare large losses. "
        "Dependent: the briefs are no independent draws.",
        ["population", "differences", *HEADERS],
        rows,
    )


def two_numbers(repetitions: int) -> str:
    """Verdicts on form and content together."""
    rows = []
    for change in GAINS:
        for failing in (0.0, 0.03, 0.08):
            row: list[object] = [signed(change), percent(failing)]
            for samples in (1, 2):
                for kind in KINDS:
                    study = Study(kind, change, failing, samples=samples)
                    row.append(verdicts(verdict_shares(study, repetitions // 4)))
            rows.append(row)
    headers = [f"{kind} x {samples}" for samples in (1, 2) for kind in KINDS]
    return section(
        "compare by form and content, 16 briefs x 1 and 2 samples",
        "*Better* / *worse* / *mixed* / *no meaningful difference*, by the true changes of form and "
        "content and the share of answers that fail. The rest cannot tell.",
        ["form / content", "fail", *headers],
        rows,
    )


def growing(repetitions: int) -> str:
    """What more data does."""
    rows = []
    for kind in KINDS[:2]:
        for change in GUARDED:
            row: list[object] = [kind, signed(change)]
            for briefs, samples in GROWING:
                few = max(200, repetitions // 4 * 40 // max(40, briefs * samples))
                shares = verdict_shares(Study(kind, change, 0.0, briefs, samples), few)
                told = 1 - shares.get("cannot tell", 0.0)
                row.append(f"{100 * shares.get('better', 0.0):.0f} / {100 * told:.0f}")
            rows.append(row)
    return section(
        "compare by form and content: more data",
        "*Better* / any verdict, by the true changes of form and content, no failures. A change of "
        "form below its smallest difference of 0.05 is seen to be too small with more data, and "
        "then content must decide: the last two rows.",
        ["", "form / content", *(f"{briefs} x {samples}" for briefs, samples in GROWING)],
        rows,
    )


def planning(repetitions: int) -> str:
    """How many briefs and samples a gain in content takes."""
    counts = (8, 12, 16, 20, 24, 32, 40, 64)
    rows = []
    for samples in (1, 2, 4, 8):
        studies = [Study("ceiling", (0.0, 0.1), 0.0, briefs, samples) for briefs in counts]
        found = [verdict_shares(study, repetitions // 4).get("better", 0.0) for study in studies]
        rows.append([samples, *(f"{100 * share:.0f}" for share in found)])
    return section(
        "compare at the ceiling: a gain of 0.10 in content is *better*",
        "By briefs and samples.",
        ["samples", *counts],
        rows,
    )


def settling(repetitions: int) -> str:
    """Interim analyses of 1, 2, 4 and 8 samples."""
    rows = []
    for kind, failing in CONDITIONS:
        for change in ((0.0, 0.0), (0.05, 0.0), (0.1, 0.0), (0.0, 0.1), (0.0, -0.1), (0.1, -0.1)):
            study = Study(kind, change, failing, samples=8)
            shares, used = settle_shares(study, repetitions // 4)
            rows.append([kind, percent(failing), signed(change), verdicts(shares), f"{used:.1f}"])
    return section(
        "settle: interim analyses of 1, 2, 4 and 8 samples, 16 briefs",
        "*Better* / *worse* / *mixed* / *no meaningful difference*, and the mean samples used.",
        ["", "fail", "form / content", "verdicts", "samples"],
        rows,
    )


def decisions(repetitions: int) -> str:
    """Which model is named."""
    rows = []
    for kind, failing in CONDITIONS:
        for change, counts in AHEAD.items():
            for models in counts:
                row: list[object] = [kind, percent(failing), signed(change), models]
                for briefs, samples in ((16, 1), (16, 2), (40, 2)):
                    study = Study(kind, change, failing, briefs, samples)
                    decided = decide_models(study, models, repetitions // 10)
                    shares = (decided.named, decided.leads, decided.dropped)
                    shown = " / ".join(f"{100 * share:.0f}" for share in shares)
                    row.append(f"{shown} ({decided.remaining:.1f})")
                rows.append(row)
    return section(
        "decision: the model that is named for a mode",
        "One model is ahead of all others, which are equal; prices are in random order. *Named* / "
        "called *leads* / wrongly dropped, and in brackets the mean number that remains. With equal "
        "models any one may be named.",
        ["", "fail", "ahead in form / content", "models", "16 x 1", "16 x 2", "40 x 2"],
        rows,
    )


def means(repetitions: int) -> str:
    """The intervals of single means."""
    rows = []
    for number, name in enumerate(("form", "content")):
        for kind in KINDS if name == "form" else KINDS[:1]:
            for failing in (0.0, 0.03, 0.08, 0.15):
                row: list[object] = [name, kind if name == "form" else "", percent(failing)]
                for briefs in (8, 16, 40):
                    study = Study(kind, failing=failing, briefs=briefs)
                    below, above, length = mean_misses(study, number, repetitions // 4)
                    row.append(f"{percent(below)} / {percent(above)} ({length:.3f})")
                rows.append(row)
    return section(
        "single means: the truth below / above the interval at 95 %",
        "One sample; the median length in brackets. 2.5 each are the aim; what rare failures may do "
        "is part of every interval.",
        ["", "", "fail", "8 briefs", "16 briefs", "40 briefs"],
        rows,
    )


TABLES: dict[str, Callable[[int], str]] = {
    "errors": errors,
    "two_numbers": two_numbers,
    "growing": growing,
    "planning": planning,
    "settling": settling,
    "decisions": decisions,
    "means": means,
}


def section(title: str, text: str, headers: Sequence[object], rows: Rows) -> str:
    """A heading, a sentence and a Markdown table."""
    table = tabulate(rows, headers=[*map(str, headers)], tablefmt="github", disable_numparse=True)
    compact = re.sub(r" +\|", " |", re.sub(r"-{4,}", "---", table))
    return f"## {title}\n\n{text}\n\n{compact}\n"


def percent(share: float) -> str:
    """A share as a number of per cent.

    >>> percent(0.0254)
    '2.5'
    """
    return f"{100 * share:.1f}"


def verdicts(shares: Mapping[str, float]) -> str:
    """The shares of the verdicts that settle a question."""
    return " / ".join(f"{100 * shares.get(verdict, 0.0):.0f}" for verdict in SHOWN)


def signed(changes: tuple[float, float]) -> str:
    """The true changes of form and content."""
    return " / ".join(f"{change:+.2f}" for change in changes)


def pair(first: float, second: float) -> str:
    """Two shares, bold above 3.5 %."""
    text = f"{percent(first)} / {percent(second)}"
    return f"**{text}**" if max(first, second) > 0.035 else text


if __name__ == "__main__":
    main()
