"""Adapter: what people said. The reviews that they committed, each checked against its key, and in
how many of their pairs form and content agree with them; their notes on answers, by kind and model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graph_evaluator.analysis.interval import ROUNDING, share_interval
from graph_evaluator.present.table import Column, Entry, Raw, Section, make_table
from graph_evaluator.records.errors import Problem, collecting, input_error, read_all, refuse
from graph_evaluator.records.record import parse_record
from graph_evaluator.records.response import Cell
from graph_evaluator.records.review import (
    KEY_SUFFIX,
    NOTES_FILE,
    REVIEW_FILE,
    REVIEW_SUFFIX,
    AnswerNote,
    Preference,
    Review,
    ReviewKey,
    review_id,
)
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.paths import read_input

TITLE = "How often people agree with form and content"
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and chose the one they would "
    "rather work with. Of the pairs with a preference and different values in this run, each share "
    "counts those whose preferred graph has the higher form, or more of the stated effects right. "
    "Chance gives half."
)
Notes = Mapping[str, Sequence[AnswerNote]]
"""The notes of each person, by name."""


class ReviewFile(NamedTuple):
    """One review file: the pairs, who judged them, and the choice in each by the pair's name."""

    key: ReviewKey
    reviewer: str
    choices: Mapping[str, Preference]


def read_reviews(folder: Path) -> list[ReviewFile]:
    """Every review file below a folder, by name.

    Raises:
        InputError: lists the first problem of each file that cannot be counted.
    """
    files = sorted(folder.glob(f"*{REVIEW_SUFFIX}"))
    return read_all(_read_review, [file for file in files if not file.name.startswith("notes")])


def _read_review(file: Path) -> ReviewFile:
    name = REVIEW_FILE.fullmatch(file.name)
    if name is None:
        wanted = "must have the name of the download, ID.NAME.jsonl"
        raise input_error(file, "", f"{wanted}; delete it if it is a second download")
    review, reviewer = name.groups()
    key_file = file.with_name(f"{review}{KEY_SUFFIX}")
    key = parse_record(read_input(key_file), ReviewKey, key_file.as_posix())
    if review_id(key.pairs) != review:
        fault = "was changed, so reviews would be counted for other pairs"
        raise input_error(key_file, "", f"{fault}: restore it from git")
    lines = enumerate(read_input(file).splitlines(), start=1)
    answers = [
        parse_record(text, Review, file.as_posix(), f"line {number}") for number, text in lines
    ]
    judged = [(answer.review, answer.reviewer, answer.pair) for answer in answers]
    expected = [(review, reviewer, pair.pair) for pair in key.pairs]
    if sorted(judged) != sorted(expected):
        fault = f"must answer each of the {len(expected)} pairs of its key once, as {reviewer}"
        raise input_error(file, "", f"{fault}: download or restore it again")
    return ReviewFile(key, reviewer, {answer.pair: answer.choice for answer in answers})


def agreement_section(
    files: Sequence[ReviewFile], cells: Iterable[ScoredCell], confidence: float
) -> Section:
    """A line for each review file, against the cells, with intervals at `confidence`; two sides of
    a review (models or runs) are counted in a note.
    """
    interval = Column(f"{show.share(confidence)} interval", show.share_interval)
    form, content = Column("Form agrees", show.share), Column("Content agrees", show.share)
    columns = (Column("Reviewer"), form, interval, content, interval)
    present = {cell.cell: cell for cell in cells}
    rows = [_reviewer_row(file, present, confidence) for file in files]
    notes = [_sides_note(file) for file in files if file.key.sides]
    table = make_table(columns, rows, title="Reviewers", name="reviewers", notes=notes)
    return Section("agreement", TITLE, [EXPLAINED], [table])


def _reviewer_row(
    file: ReviewFile, present: Mapping[Cell, ScoredCell], confidence: float
) -> list[Raw]:
    pairs = list(_judged(file, present))
    forms = [(preferred.expected_score, other.expected_score) for preferred, other in pairs]
    contents = [(preferred.content, other.content) for preferred, other in pairs]
    return [
        file.reviewer,
        *_share_and_interval(forms, confidence),
        *_share_and_interval(contents, confidence),
    ]


def _judged(
    file: ReviewFile, present: Mapping[Cell, ScoredCell]
) -> Iterator[tuple[ScoredCell, ScoredCell]]:
    """The cell of the preferred graph and of the other, for each pair with a preference, where the
    run has both with the answers that were shown.
    """
    for pair in file.key.pairs:
        left, right = present.get(pair.cell("left")), present.get(pair.cell("right"))
        choice = file.choices[pair.pair]
        if choice == "none" or left is None or right is None:
            continue
        shown = (pair.left.fingerprint, pair.right.fingerprint)
        if shown == (left.fingerprint, right.fingerprint):
            yield (left, right) if choice == "left" else (right, left)


def _share_and_interval(
    pairs: Iterable[tuple[float | None, float | None]], confidence: float
) -> tuple[Raw, Raw]:
    """In how many of the pairs with different values the first, of the preferred graph, is the
    higher one.
    """
    decided = [
        preferred > other
        for preferred, other in pairs
        if preferred is not None and other is not None and abs(preferred - other) > ROUNDING
    ]
    if not decided:
        return None, None
    share = sum(decided) / len(decided)
    entry = Entry(show.share_of(sum(decided), len(decided)), share)
    return entry, share_interval(share, len(decided), confidence)


def _sides_note(file: ReviewFile) -> str:
    """Which of the two sides the reviewer preferred, whatever the scores are and the run holds."""
    preferred: Counter[str] = Counter()
    for pair in file.key.pairs:
        sides = {"left": pair.left.side, "right": pair.right.side, "none": "neither"}
        preferred[sides[file.choices[pair.pair]]] += 1
    counts = [f"{side} in {preferred[side]}" for side in (*file.key.sides, "neither")]
    return f"{file.reviewer} preferred {', '.join(counts)} of {len(file.key.pairs)} pairs."


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
    return Section("notes", "Notes on answers", [f"{text}."], [kinds] if rows else [])
