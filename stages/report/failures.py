"""What failed and why, with what to do about it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.records.scorecard import CODES


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A status, a violation, a failed check or a warning, with the cells that it occurs in, of so
    many; `models` are the names of the models with the number of their cells, the most affected
    first.
    """

    code: str
    cells: tuple[ScoredCell, ...]
    of_cells: int
    models: tuple[tuple[str, int], ...]

    @property
    def answered(self) -> bool:
        """Whether an answer came."""
        return self.cells[0].answered

    @property
    def briefs(self) -> list[str]:
        """The ids of the briefs where it occurs, sorted."""
        return sorted({cell.brief_id for cell in self.cells})

    @property
    def failure_codes(self) -> list[str]:
        """The provider's own codes, sorted."""
        return sorted({cell.failure_code for cell in self.cells if cell.failure_code})


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


def failures_of(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> list[Occurrence]:
    """Why cells have no usable graph: cells without an answer first, then the most frequent code.
    `names` are those of the models, by id.
    """
    return _occurrences(cells, names, lambda cell: cell.codes)


def warnings_of(cells: Sequence[ScoredCell], names: Mapping[str, str]) -> list[Occurrence]:
    """The warnings of the cells, the most frequent first."""
    return _occurrences(cells, names, warnings_of_cell)


def warnings_of_cell(cell: ScoredCell) -> Iterable[str]:
    """The warnings of a cell, each once: of scoring, and the checks that warned."""
    checks = [check for check in cell.noticed_checks if check not in cell.codes]
    return dict.fromkeys((*cell.warning_codes, *checks))


def _occurrences(
    cells: Sequence[ScoredCell],
    names: Mapping[str, str],
    codes_of: Callable[[ScoredCell], Iterable[str]],
) -> list[Occurrence]:
    by_code: defaultdict[str, list[ScoredCell]] = defaultdict(list)
    for cell in cells:
        for code in dict.fromkeys(codes_of(cell)):
            by_code[code].append(cell)
    occurrences = []
    for code, found in by_code.items():
        counts = Counter(names[cell.model_id] for cell in found)
        models = sorted(counts.items(), key=lambda model: (-model[1], model[0]))
        occurrences.append(Occurrence(code, tuple(found), len(cells), tuple(models)))
    return sorted(occurrences, key=lambda one: (one.answered, -len(one.cells), one.code))
