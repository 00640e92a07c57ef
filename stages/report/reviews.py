"""Adapter: the reviews that people committed, each checked against its key."""

from pathlib import Path

from stages.report.agreement import ReviewFile
from stages.shared.records.commands import (
    KEY_SUFFIX,
    REVIEW_FILE,
    REVIEW_SUFFIX,
    Review,
    ReviewKey,
    review_id,
)
from stages.shared.records.errors import InputError, Problem, collecting, input_error
from stages.shared.shell.files import parse_record, read_input


def read_reviews(folder: Path) -> list[ReviewFile]:
    """Every review file below a folder, by name; files that are neither reviews nor keys are
    ignored.

    Raises:
        InputError: lists the first problem of each file that cannot be counted.
    """
    problems: list[Problem] = []
    keys: dict[str, ReviewKey | None] = {}
    reviews: list[ReviewFile] = []
    for file in sorted(folder.glob(f"*{KEY_SUFFIX}")):
        review = file.name.removesuffix(KEY_SUFFIX)
        keys[review] = None
        with collecting(problems):
            keys[review] = _read_key(file)
    for file in sorted(folder.glob(f"*{REVIEW_SUFFIX}")):
        with collecting(problems):
            key, reviewer = _key_of(file, keys)
            if key is not None:
                reviews.append(_read_review(file, key, reviewer))
    if problems:
        raise InputError(problems)
    return reviews


def _read_key(file: Path) -> ReviewKey:
    key = parse_record(read_input(file), ReviewKey, file.as_posix())
    if review_id(key.pairs) != key.review or file.name != key.review + KEY_SUFFIX:
        change = "was changed after stages.commands.review wrote it"
        effect = "so the reviews would be counted for other pairs"
        raise _refuse(file, f"{change}, {effect}: restore it from git")
    return key


def _key_of(file: Path, keys: dict[str, ReviewKey | None]) -> tuple[ReviewKey | None, str]:
    """The key of a review file, None where the key itself has a problem, and the reviewer's
    name.
    """
    name = REVIEW_FILE.fullmatch(file.name)
    if name is None:
        wanted = "must have the name of the download, ID.NAME.jsonl"
        raise _refuse(file, f"{wanted}; delete it if it is a second download of the same review")
    review, reviewer = name.groups()
    if review not in keys:
        wanted = "must be in the same folder; restore it, or delete the review of another project"
        raise _refuse(file, f"has no key: {review}{KEY_SUFFIX} {wanted}")
    return keys[review], reviewer


def _read_review(file: Path, key: ReviewKey, reviewer: str) -> ReviewFile:
    answers: dict[str, Review] = {}
    for number, text in enumerate(read_input(file).splitlines(), start=1):
        where = f"line {number}"
        answer = parse_record(text, Review, file.as_posix(), where)
        problem = _problem_of(answer, key, reviewer, list(answers))
        if problem:
            raise _refuse(file, problem, where)
        answers[answer.pair] = answer
    if len(answers) < len(key.pairs):
        counts = f"has {len(answers)} of {len(key.pairs)} answers"
        fix = "and the page downloads all: download or restore it again"
        raise _refuse(file, f"{counts}, {fix}")
    return ReviewFile(key, reviewer, answers)


def _problem_of(answer: Review, key: ReviewKey, reviewer: str, answered: list[str]) -> str | None:
    """Why an answer cannot be counted; `answered` are the pairs of the lines before, in order."""
    if (answer.review, answer.reviewer) != (key.review, reviewer):
        by = f"is an answer by {answer.reviewer[:60]!r} to the review {answer.review[:60]!r}"
        return f"{by}, but the file's name says otherwise"
    if answer.pair not in {pair.pair for pair in key.pairs}:
        return f"answers the pair {answer.pair[:60]!r}, which this review does not have"
    if answer.pair in answered:
        first = answered.index(answer.pair) + 1
        return f"answers the pair {answer.pair} a second time, after line {first}"
    return None


def _refuse(file: Path, message: str, where: str = "") -> InputError:
    return input_error(file.as_posix(), where, message)
