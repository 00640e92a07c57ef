"""`python -m bench.calibration [--quick]`: the tables of docs/comparing.md, as Markdown, in a quarter of an hour on two cores."""

import argparse
import itertools
from concurrent.futures import ProcessPoolExecutor

from tabulate import tabulate

from bench.calibration.candidates import CANDIDATES
from bench.calibration.coverage import BRIEFS, SAMPLES, Covered, candidate_coverage, product_coverage, targets
from bench.calibration.populations import HARD, POPULATIONS, Population
from bench.calibration.verdicts import Verdicts, verdicts


def main() -> None:
    """Measure in two processes, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration", description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], help="which of the tables; default: all")
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for name in options.tables or TABLES:
            TABLES[name](pool, 1 if options.quick else 10)


def coverage(pool: ProcessPoolExecutor, scale: int) -> None:
    """How often the product's interval holds the truth."""
    known = targets(EVERY)
    cells = itertools.product(EVERY, BRIEFS, SAMPLES)
    _print_coverage(list(pool.map(_product, [(*cell, 1000 * scale, known[cell[0].name]) for cell in cells])))


def candidates(pool: ProcessPoolExecutor, scale: int) -> None:
    """The same of the methods that it was chosen from."""
    known = targets(EVERY)
    cells = [cell for cell in itertools.product(EVERY, BRIEFS, SAMPLES) if cell[0].name != "missing"]
    found = pool.map(_candidates, [(*cell, 60 * scale, known[cell[0].name]) for cell in cells])
    _print_candidates([each for several in found for each in several])


def errors(pool: ProcessPoolExecutor, scale: int) -> None:
    """The verdicts when nothing changed."""
    _print_errors(
        list(pool.map(_verdicts, [(each, 0.0, n, 2, 200 * scale) for each in POPULATIONS for n in (8, 16, 30)]))
    )


def power(pool: ProcessPoolExecutor, scale: int) -> None:
    """How often a gain is found."""
    cells = [
        (POPULATIONS[1], effect, n, 2, 30 * scale) for n in (8, 16, 30) for effect in (0.02, 0.04, 0.06, 0.08, 0.1)
    ]
    _print_powers(list(pool.map(_verdicts, cells)))


EVERY = (*POPULATIONS, *HARD)
TABLES = {"coverage": coverage, "candidates": candidates, "errors": errors, "power": power}


def _product(cell: tuple[Population, int, int, int, float]) -> Covered:
    population, briefs, samples, repetitions, target = cell
    return product_coverage(population, briefs, samples, repetitions=repetitions, target=target)


def _candidates(cell: tuple[Population, int, int, int, float]) -> list[Covered]:
    population, briefs, samples, repetitions, target = cell
    return list(candidate_coverage(population, briefs, samples, repetitions=repetitions, target=target))


def _verdicts(cell: tuple[Population, float, int, int, int]) -> Verdicts:
    population, effect, briefs, samples, repetitions = cell
    return verdicts(population, effect, briefs, samples, repetitions=repetitions)


def _print_coverage(found: list[Covered]) -> None:
    print("## Coverage of the 95 % interval\n")
    names = list(dict.fromkeys(each.population for each in found))
    rows = [
        [name, samples, *(_percent(each.share) for each in found if (each.population, each.samples) == (name, samples))]
        for name in names
        for samples in SAMPLES
    ]
    print(tabulate(rows, headers=["population", "samples", *(f"{n} briefs" for n in BRIEFS)], tablefmt="github"), "\n")


def _print_candidates(found: list[Covered]) -> None:
    print("## The methods it was chosen from (least, mean and greatest coverage; mean length)\n")
    hard = {population.name for population in HARD}
    rows = []
    for method in CANDIDATES:
        mine = [each for each in found if each.method == method and each.population not in hard]
        shares = [each.share for each in mine]
        few = [each.share for each in mine if each.briefs == BRIEFS[0]]
        length = sum(each.length for each in mine) / len(mine)
        mean = sum(shares) / len(shares)
        rows.append([method, *map(_percent, (min(shares), mean, max(shares), sum(few) / len(few))), f"{length:.3f}"])
    headers = ["method", "least", "mean", "greatest", f"mean at {BRIEFS[0]} briefs", "length"]
    print(tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True), "\n")


def _print_errors(found: list[Verdicts]) -> None:
    print("## Errors when nothing changed (four models, two samples)\n")
    rows = [
        [
            each.population,
            each.briefs,
            _percent(each.overall["worse"]),
            _percent(each.overall["better"]),
            _percent(each.any_worse),
            _percent(each.any_better),
        ]
        for each in found
    ]
    headers = ["population", "briefs", "worse", "better", "any model worse", "any model better"]
    print(tabulate(rows, headers=headers, tablefmt="github"), "\n")


def _print_powers(found: list[Verdicts]) -> None:
    print("## Power: how often the verdict is *better* (population bounded, four models, two samples)\n")
    effects = list(dict.fromkeys(each.effect for each in found))
    rows = [
        [briefs, *(_percent(each.overall["better"]) for each in found if each.briefs == briefs)]
        for briefs in dict.fromkeys(each.briefs for each in found)
    ]
    print(tabulate(rows, headers=["briefs", *(f"+{effect:.2f}" for effect in effects)], tablefmt="github"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    main()
