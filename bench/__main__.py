"""`python -m bench [names]`: every benchmark, or those named, and one table of figures with their targets met or missed.

Ratios are to floors measured in the same run, so that what slows the machine down slows both. Takes about ten minutes.
"""

import argparse
import os
import platform
from collections.abc import Callable

from bench import fidelity, ledger, pipeline, report
from bench.calls import generate_figures, score_figures
from bench.figure import Figure, table

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "generate": generate_figures,
    "score": score_figures,
    "fidelity": fidelity.figures,
    "ledger": ledger.figures,
    "report": report.figures,
    "pipeline": pipeline.figures,
}


def main() -> None:
    """Run them one after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="name",
        help=f"any of {', '.join(BENCHMARKS)}; all when left out",
    )
    names: list[str] = parser.parse_args().names or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(
            f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}"
        )
    found: list[Figure] = []
    loads = [_load()]
    for name in names:
        print(f"{name} ...", flush=True)
        found += BENCHMARKS[name]()
        loads.append(_load())
    print(
        f"\n{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
    )
    print(f"processes waiting for a CPU, before and after each: {', '.join(loads)}\n")
    print(table(found))
    missed = sum(one.met is False for one in found)
    print(f"\n{sum(one.met is True for one in found)} targets met, {missed} missed")


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"


if __name__ == "__main__":
    main()
