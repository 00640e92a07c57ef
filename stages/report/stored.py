"""Adapter: reads what the earlier stages have stored; a cell's scorecard and response only when
they are asked for.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from stages.shared.analysis.scored_cell import ScoredCell, scored_cell
from stages.shared.records.errors import InputError, Problem
from stages.shared.records.model_config import IDENTIFIER
from stages.shared.records.record import parse_record
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import paths
from stages.shared.shell.results import REPRO_AGAIN, read_response

Find: TypeAlias = Callable[[Cell], tuple[Scorecard, Response | None]]
"""Reads the scorecard and the response of a cell; None when its file is missing."""


class Results:
    """The stored results below a folder; `cards` must be read to its end before `card` knows a
    cell.
    """

    def __init__(self, root: Path = Path()) -> None:
        self._root = root
        self._lines: dict[Cell, tuple[int, int]] = {}
        self.traffic: list[ScoredCell] = []

    def cards(self) -> Iterator[Scorecard]:
        """Every scorecard but those of traffic, which `traffic` gets, one at a time; InputError if
        there is none, one is damaged, or a cell has two.
        """
        name, place = paths.SCORECARDS.as_posix(), 0
        try:
            with (self._root / paths.SCORECARDS).open("rb") as file:
                for number, line in enumerate(file, start=1):
                    where = f"line {number}"
                    start, place = place, place + len(line)
                    card = parse_record(line, Scorecard, name, where, fix=REPRO_AGAIN)
                    if card.traffic:
                        self.traffic.append(scored_cell(card))
                        continue
                    if card.cell in self._lines:
                        twice = (
                            f"{card.model_id}, {card.brief_id}, sample {card.sample} has two "
                            "scorecards"
                        )
                        raise InputError([Problem(name, f"line {number}", twice)])
                    self._lines[card.cell] = (start, len(line))
                    yield card
        except OSError as error:
            raise _unreadable(paths.SCORECARDS, error) from None
        if not self._lines:
            message = "holds no scorecard: dvc repro makes it"
            if self.traffic:
                message = "holds only traffic: name a model that has answers to briefs too"
            raise InputError([Problem(name, "", message)])

    def card(self, cell: Cell) -> Scorecard:
        """The scorecard of a cell that `cards` has passed."""
        place, length = self._lines[cell]
        with (self._root / paths.SCORECARDS).open("rb") as file:
            file.seek(place)
            return parse_record(file.read(length), Scorecard, paths.SCORECARDS.as_posix())

    def response(self, cell: Cell) -> Response | None:
        """The response of a cell; None when there is no file of that name that holds one."""
        if not (IDENTIFIER.fullmatch(cell.model_id) and IDENTIFIER.fullmatch(cell.brief_id)):
            return None
        file = self._root / paths.RESPONSES / paths.response_file(cell)
        try:
            return read_response(file.read_bytes(), file=file.as_posix())
        except (OSError, InputError):
            return None

    def find(self, cell: Cell) -> tuple[Scorecard, Response | None]:
        """The scorecard and the response of a cell that `cards` has passed."""
        return self.card(cell), self.response(cell)


def _unreadable(file: Path, error: OSError) -> InputError:
    missing = isinstance(error, FileNotFoundError)
    message = (
        "there is no such file: dvc repro makes it"
        if missing
        else f"cannot be read: {error.strerror}"
    )
    return InputError([Problem(file.as_posix(), "", message)])
