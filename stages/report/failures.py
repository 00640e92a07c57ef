"""What failed and why, with what to do about it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.page import cells_link
from stages.shared.records.scorecard import CODES


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A status, a violation, a failed check or a warning, with the cells that it occurs in, of so
    many; `models` are the names of the models with the number of their cells, the most affected
    first; `page` is the list of the cells on the site.
    """

    code: str
    cells: tuple[ScoredCell, ...]
    of_cells: int
    models: tuple[tuple[str, int], ...]
    page: str


def meaning_of(code: str) -> tuple[str, str]:
    """What a status, a violation or a warning means, and what to do about it; an unknown code
    says so.
    """
    return CODES.get(code, ("There is no description of this code.", "See the cell's page."))


def code_name(code: str) -> str:
    """The readable name of a code.

    >>> code_name("CYCLE_DETECTED"), code_name("parse_failed")
    ('Cycle detected', 'Parse failed')
    """
    return code.replace("_", " ").capitalize()


def failures_of(
    cells: Sequence[ScoredCell], names: Mapping[str, str], **filters: str
) -> list[Occurrence]:
    """Why cells have no usable graph: cells without an answer first, then the most frequent code.
    `names` are those of the models, by id; `filters` choose these cells in the list of all.
    """
    return _occurrences(
        cells, names, lambda cell: cell.codes, lambda code: cells_link(**filters, code=code)
    )


def warnings_of(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> list[Occurrence]:
    """The warnings of the cells, the most frequent first."""
    return _occurrences(cells, names, warnings_of_cell, lambda code: cells_link(warning=code))


def warnings_of_cell(cell: ScoredCell) -> Iterable[str]:
    """The warnings of a cell, each once: of scoring, and the checks that warned."""
    checks = [check for check in cell.noticed_checks if check not in cell.codes]
    return dict.fromkeys((*cell.warning_codes, *checks))


def _occurrences(
    cells: Sequence[ScoredCell],
    names: Mapping[str, str],
    codes_of: Callable[[ScoredCell], Iterable[str]],
    page_of: Callable[[str], str],
) -> list[Occurrence]:
    by_code: defaultdict[str, list[ScoredCell]] = defaultdict(list)
    for cell in cells:
        for code in dict.fromkeys(codes_of(cell)):
            by_code[code].append(cell)
    occurrences = []
    for code, found in by_code.items():
        counts = Counter(names[cell.model_id] for cell in found)
        models = sorted(counts.items(), key=lambda model: (-model[1], model[0]))
        one = Occurrence(code, tuple(found), len(cells), tuple(models), page_of(code))
        occurrences.append(one)
    return sorted(occurrences, key=lambda one: (one.cells[0].answered, -len(one.cells), one.code))
