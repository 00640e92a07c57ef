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
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    scale = 1 if parser.parse_args().quick else 10
    every = (*POPULATIONS, *HARD)
    known = targets(every)
    cells = list(itertools.product(every, BRIEFS, SAMPLES))
    with ProcessPoolExecutor(2) as pool:
        products = [pool.submit(_product, *cell, 1000 * scale, known[cell[0].name]) for cell in cells]
        others = [
            pool.submit(_candidates, *cell, 60 * scale, known[cell[0].name])
            for cell in cells
            if cell[0].name != "missing"
        ]
        errors = [pool.submit(_verdicts, each, 0.0, n, 2, 40 * scale) for each in POPULATIONS for n in (8, 16, 30)]
        powers = [
            pool.submit(_verdicts, POPULATIONS[1], effect, n, 2, 30 * scale)
            for n in (8, 16, 30)
            for effect in (0.02, 0.04, 0.06, 0.08, 0.1)
        ]
        _print_coverage([done.result() for done in products])
        _print_candidates([found for done in others for found in done.result()])
        _print_errors([done.result() for done in errors])
        _print_powers([done.result() for done in powers])


def _product(population: Population, briefs: int, samples: int, repetitions: int, target: float) -> Covered:
    return product_coverage(population, briefs, samples, repetitions=repetitions, target=target)


def _candidates(population: Population, briefs: int, samples: int, repetitions: int, target: float) -> list[Covered]:
    return list(candidate_coverage(population, briefs, samples, repetitions=repetitions, target=target))


def _verdicts(population: Population, effect: float, briefs: int, samples: int, repetitions: int) -> Verdicts:
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
