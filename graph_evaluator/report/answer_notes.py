"""Adapter: the notes that people made on answers in the site, counted by kind and model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from graph_evaluator.present.table import MAX_ROWS, Column, Raw, Section, make_table
from graph_evaluator.records.errors import (
    Problem,
    collecting,
    input_error,
    read_all,
    refuse,
)
from graph_evaluator.records.record import parse_record
from graph_evaluator.records.review import NOTES_FILE, AnswerNote
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.paths import read_input

Notes = Mapping[str, Sequence[AnswerNote]]
"""The notes of each person, by name."""


def read_notes(folder: Path) -> dict[str, list[AnswerNote]]:
    """The notes of each file notes-NAME.jsonl of a folder, by NAME.

    Raises:
        InputError: lists every line of every file that cannot be counted.
    """
    return dict(read_all(_read_file, sorted(folder.glob("notes*.jsonl"))))


def _read_file(file: Path) -> tuple[str, list[AnswerNote]]:
    """The NAME of a file, and its notes."""
    name = NOTES_FILE.fullmatch(file.name)
    if name is None:
        message = "must have the name notes-NAME.jsonl, NAME in a-z, 0-9 and -"
        raise input_error(file, "", message)
    problems: list[Problem] = []
    notes: dict[object, AnswerNote] = {}
    lines = read_input(file).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        with collecting(problems):
            where = f"line {number}"
            note = parse_record(line, AnswerNote, file.as_posix(), where)
            if note.answer in notes:
                raise input_error(file, where, "is a second note on the same answer")
            notes[note.answer] = note
    refuse(problems)
    return name[1], list(notes.values())


def notes_section(
    notes: Notes, cells: Sequence[ScoredCell], models: Sequence[Candidate]
) -> Section:
    """The notes on answers of this run, counted by mark, kind and model; the others are counted in
    a sentence.
    """
    present = {(cell.cell, cell.fingerprint) for cell in cells}
    counted = [note for of_one in notes.values() for note in of_one if note.answer in present]
    counts = Counter((note.mark, note.kind, note.model_id) for note in counted)
    noted = [model for model in models if any(model.id == model_id for *_, model_id in counts)]
    columns = [Column("Mark"), Column("Kind")]
    columns += [Column(model.name, show.count) for model in noted]
    rows: list[list[Raw]] = [
        [mark, kind, *(counts[mark, kind, model.id] for model in noted)]
        for mark, kind in sorted({(mark, kind) for mark, kind, _ in counts})
    ]
    others = sum(map(len, notes.values())) - len(counted)
    text = f"{show.counted(len(counted), 'note')} by {show.first_of(sorted(notes))}"
    if others:
        text += f"; {show.count(others)} more are on answers that this run does not have"
    kinds = make_table(columns, rows, title="Notes by kind and model", name="notes")
    return Section("notes", "Notes on answers", [f"{text}."], [kinds.first(MAX_ROWS)])
