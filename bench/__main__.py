"""`python -m bench [names]`: every benchmark, or those named, and a table of figures for each.

Ratios are to floors measured in the same run, so that what slows the machine down slows both. All
benchmarks together take about ten minutes and write `bench/RESULTS.md` again.
"""

import argparse
import os
import platform
from collections.abc import Callable

from bench import fidelity, generate, ledger, made_up, report, score
from bench.figure import Figure, table
from bench.workspace import REPOSITORY

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "generate": generate.figures,
    "score": score.figures,
    "fidelity": fidelity.figures,
    "made_up": made_up.figures,
    "ledger": ledger.figures,
    "report": report.figures,
}
RESULTS = REPOSITORY / "bench" / "RESULTS.md"


def main() -> None:
    """Run them one after the other, print the tables, and write them down when none was left out."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = ", ".join(BENCHMARKS)
    parser.add_argument("names", nargs="*", metavar="name", help=f"any of {names}; default: all")
    chosen: list[str] = parser.parse_args().names
    unknown = sorted(set(chosen) - BENCHMARKS.keys())
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {names}")
    sections: list[str] = []
    for name in chosen or BENCHMARKS:
        section = measure_section(name)
        print(section, flush=True)
        sections.append(section)
    if not chosen:
        RESULTS.write_text("\n".join([_head(), *sections]), encoding="utf-8")


def measure_section(name: str) -> str:
    """Run one benchmark; its figures with their targets, in Markdown."""
    figures = BENCHMARKS[name]()
    missed = sum(figure.met is False for figure in figures)
    met = sum(figure.met is True for figure in figures)
    verdict = f"{met} targets met, {missed} missed; load average afterwards {_load()}."
    return f"## `python -m bench {name}`\n{verdict}\n\n{table(figures)}\n"


def _head() -> str:
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"
    return (
        "# What was measured\n\nWritten by `make bench`, in one run. Figures are medians, with the "
        "smallest and the largest; a ratio (x) is to a\nfloor of the same run, taken repeat by "
        f"repeat. Read ratios before seconds.\n\n{machine}, Python {platform.python_version()}.\n"
    )


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"


if __name__ == "__main__":
    main()
