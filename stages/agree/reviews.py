"""Adapter: reads the folder of reviews; every damaged, foreign or doubled file is one problem in one message."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from stages.agree.agreement import ReviewFile
from stages.contracts.errors import InputError, Problem, problems_of
from stages.contracts.json_text import NotJson, parse
from stages.contracts.record import Record
from stages.contracts.review import KEY_SUFFIX, REVIEW_FILE, REVIEW_SUFFIX, Review, ReviewKey, review_id
from stages.shell.files import read_input

Loaded = TypeVar("Loaded")
Read = TypeVar("Read", bound=Record)


def read_reviews(folder: Path) -> list[ReviewFile]:
    """Every review file below a folder, by name; files that are neither reviews nor keys are ignored.

    Raises:
        InputError: with one problem for each file that is damaged or incomplete, has no key, or has an answer twice.
    """
    problems: list[Problem] = []
    keys: dict[str, ReviewKey | None] = {}
    for file in sorted(folder.glob(f"*{KEY_SUFFIX}")):
        keys[file.name.removesuffix(KEY_SUFFIX)] = _collect(problems, lambda file=file: _key(file))  # type: ignore[misc]
    found = [
        _collect(problems, lambda file=file: _review_file(file, keys))  # type: ignore[misc]
        for file in sorted(folder.glob(f"*{REVIEW_SUFFIX}"))
    ]
    if problems:
        raise InputError(problems)
    return [review for review in found if review is not None]


def _collect(problems: list[Problem], load: Callable[[], Loaded]) -> Loaded | None:
    try:
        return load()
    except InputError as error:
        problems += error.problems[:1]
        return None


def _key(file: Path) -> ReviewKey:
    key = _record(read_input(file), ReviewKey, file, "")
    if review_id(key.pairs) != key.review or file.name != key.review + KEY_SUFFIX:
        message = "was changed after stages.review wrote it, so the reviews would be counted for other pairs: restore it from git"
        raise InputError([Problem(file.as_posix(), "", message)])
    return key


def _review_file(file: Path, keys: dict[str, ReviewKey | None]) -> ReviewFile | None:
    """The answers in a review file; None where the key itself has a problem, which is reported once."""
    name = REVIEW_FILE.fullmatch(file.name)
    if name is None:
        message = (
            "must have the name of the download, ID.NAME.jsonl; delete it if it is a second download of the same review"
        )
        raise InputError([Problem(file.as_posix(), "", message)])
    review, reviewer = name.groups()
    if review not in keys:
        message = f"has no key: {review}{KEY_SUFFIX} must be in the same folder; restore it, or delete the review of another project"
        raise InputError([Problem(file.as_posix(), "", message)])
    key = keys[review]
    if key is None:
        return None
    answers = dict(_answers(file, key, reviewer))
    if len(answers) < len(key.pairs):
        message = (
            f"has {len(answers)} of {len(key.pairs)} answers, and the page downloads all: download or restore it again"
        )
        raise InputError([Problem(file.as_posix(), "", message)])
    return ReviewFile(key, reviewer, answers)


def _answers(file: Path, key: ReviewKey, reviewer: str) -> Iterator[tuple[str, Review]]:
    asked = {pair.pair for pair in key.pairs}
    lines: dict[str, int] = {}
    for number, text in enumerate(read_input(file).splitlines(), start=1):
        where = f"line {number}"
        answer = _record(text, Review, file, where)
        if (answer.review, answer.reviewer) != (key.review, reviewer):
            message = f"is an answer by {answer.reviewer[:60]!r} to the review {answer.review[:60]!r}, but the file's name says otherwise"
        elif answer.pair not in asked:
            message = f"answers the pair {answer.pair[:60]!r}, which this review does not have"
        elif answer.pair in lines:
            message = f"answers the pair {answer.pair} a second time, after line {lines[answer.pair]}"
        else:
            lines[answer.pair] = number
            yield answer.pair, answer
            continue
        raise InputError([Problem(file.as_posix(), where, message)])


def _record(text: str, record: type[Read], file: Path, where: str) -> Read:
    try:
        return record.read(parse(text))
    except NotJson as error:
        raise InputError([Problem(file.as_posix(), where, f"is not valid JSON: {error}")]) from None
    except ValidationError as error:
        raise InputError(problems_of(error, record, file=file.as_posix(), prefix=where)) from None
