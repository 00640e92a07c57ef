"""The scorecards file: written whole or not at all, sorted by cell, without holding the lines in memory. An adapter."""

import os
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from stages.contracts.errors import InputError, Problem
from stages.contracts.response import Cell
from stages.score.batch import Scored

_MOST_PROBLEMS = 50

Entry = tuple[Cell, int, int]


def write_scorecards(path: Path, scored: Iterable[Scored]) -> int:
    """Write the lines, sorted by (model, brief, sample), and tell how many there are.

    Raises:
        InputError: a file could not be scored, or two files are of the same cell; the old scorecards are left as they were.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    spool = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    final = path.with_name(f".{path.name}.{os.getpid()}.sorted.tmp")
    try:
        with spool.open("w+b") as lines:
            entries = _spool(lines, scored)
            if any(first[0] >= second[0] for first, second in pairwise(entries)):
                entries.sort()
                _refuse_twins(entries, path)
                with final.open("wb") as ordered:
                    for _, start, length in entries:
                        lines.seek(start)
                        ordered.write(lines.read(length))
                final.replace(spool)
        spool.replace(path)
    finally:
        spool.unlink(missing_ok=True)
        final.unlink(missing_ok=True)
    return len(entries)


def _spool(lines: BinaryIO, scored: Iterable[Scored]) -> list[Entry]:
    entries: list[Entry] = []
    problems: list[Problem] = []
    start = 0
    for cell, line, found in scored:
        problems += found
        if len(problems) >= _MOST_PROBLEMS:
            break
        if cell is not None and not problems:
            lines.write(line)
            entries.append((cell, start, len(line)))
            start += len(line)
    if problems:
        raise InputError(problems)
    return entries


def _refuse_twins(entries: list[Entry], path: Path) -> None:
    twins = [first[0] for first, second in pairwise(entries) if first[0] == second[0]]
    if twins:
        raise InputError(
            Problem(
                path.name, f"{cell.model_id} / {cell.brief_id} / {cell.sample}", "more than one file is of this cell"
            )
            for cell in twins[:_MOST_PROBLEMS]
        )
