"""`python -m stages.agree`: from the reviews below reviews/ and the scorecards to results/agreement.json."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from stages.agree.agreement import ReviewFile, Scored, agreement_of
from stages.contracts.errors import InputError, Problem, problems_of
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.record import Record
from stages.contracts.response import Cell
from stages.contracts.review import (
    KEY_SUFFIX,
    REVIEW_FILE,
    REVIEW_SUFFIX,
    Review,
    ReviewKey,
    review_id,
)
from stages.contracts.scorecard import Scorecard
from stages.shell import numbers, paths
from stages.shell.command import run
from stages.shell.files import read_input, write_atomic

Read = TypeVar("Read", bound=Record)


def main() -> None:
    """Compute the agreement; without reviews the scorecards are not even read."""
    files = _reviews(paths.REVIEWS)
    found = agreement_of(files, dict(_scored(paths.SCORECARDS)) if files else {})
    write_atomic(paths.AGREEMENT, pretty(found.to_json()))
    if not files:
        print(f"agreement with people: not measured, {paths.REVIEWS.as_posix()}/ has no reviews")
        return
    overall, counted = found.overall, sum(reviewer.counted for reviewer in found.reviewers)
    share = f"{numbers.share_of(overall.agreed, overall.decided)} of the decided judgements"
    parts = [
        f"{share if overall.decided else 'not measured'}, {numbers.counted(counted, 'review')}"
    ]
    if found.not_in_run:
        parts.append(
            f"{numbers.counted(found.not_in_run, 'judgement')} of graphs that are not in this run"
        )
    if counted < len(files):
        parts.append(f"{len(files) - counted} not counted, more than one control missed")
    print(f"agreement with people: {'; '.join(parts)}")


def _scored(file: Path) -> Iterator[tuple[Cell, Scored]]:
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    card = Scorecard.read(parse(line))
                except (NotJson, ValidationError) as error:
                    message = f"is not what this version writes ({error}): dvc repro -f score makes it again"
                    raise _refused(file, message, f"line {number}") from None
                if card.expected_score is not None:
                    values = {
                        sub.name: sub.value for group in card.sub_scores.values() for sub in group
                    }
                    yield card.cell, Scored(card.fingerprint, card.expected_score, values)
    except OSError as error:
        raise _refused(file, f"cannot be read ({error.strerror}): dvc repro makes it") from None


def _reviews(folder: Path) -> list[ReviewFile]:
    """Every review file below a folder, by name; files that are neither reviews nor keys are ignored."""
    problems: list[Problem] = []
    keys: dict[str, ReviewKey | None] = {}
    found: list[ReviewFile | None] = []
    for file in (*sorted(folder.glob(f"*{KEY_SUFFIX}")), *sorted(folder.glob(f"*{REVIEW_SUFFIX}"))):
        try:
            if file.name.endswith(KEY_SUFFIX):
                name = file.name.removesuffix(KEY_SUFFIX)
                keys[name] = None
                keys[name] = _key(file)
            else:
                found.append(_review_file(file, keys))
        except InputError as error:
            problems += error.problems[:1]
    if problems:
        raise InputError(problems)
    return [review for review in found if review is not None]


def _key(file: Path) -> ReviewKey:
    key = _record(read_input(file), ReviewKey, file)
    if review_id(key.pairs) != key.review or file.name != key.review + KEY_SUFFIX:
        raise _refused(
            file, "was changed after stages.review wrote it, so the reviews would be counted for other pairs: restore it from git"
        )  # fmt: skip
    return key


def _review_file(file: Path, keys: dict[str, ReviewKey | None]) -> ReviewFile | None:
    """The answers in a review file; None where the key itself has a problem, which is reported once."""
    name = REVIEW_FILE.fullmatch(file.name)
    if name is None:
        message = "must have the name of the download, ID.NAME.jsonl; delete it if it is a second download of the same review"
        raise _refused(file, message)
    review, reviewer = name.groups()
    if review not in keys:
        message = "must be in the same folder; restore it, or delete the review of another project"
        raise _refused(file, f"has no key: {review}{KEY_SUFFIX} {message}")
    key = keys[review]
    if key is None:
        return None
    answers = _answers(file, key, reviewer)
    if len(answers) < len(key.pairs):
        message = f"has {len(answers)} of {len(key.pairs)} answers, and the page downloads all: download or restore it again"
        raise _refused(file, message)
    return ReviewFile(key, reviewer, answers)


def _answers(file: Path, key: ReviewKey, reviewer: str) -> dict[str, Review]:
    asked = {pair.pair for pair in key.pairs}
    answers: dict[str, Review] = {}
    for number, text in enumerate(read_input(file).splitlines(), start=1):
        where = f"line {number}"
        answer = _record(text, Review, file, where)
        if (answer.review, answer.reviewer) != (key.review, reviewer):
            by = f"is an answer by {answer.reviewer[:60]!r} to the review {answer.review[:60]!r}"
            raise _refused(file, f"{by}, but the file's name says otherwise", where)
        if answer.pair not in asked:
            raise _refused(
                file,
                f"answers the pair {answer.pair[:60]!r}, which this review does not have",
                where,
            )
        if answer.pair in answers:
            first = list(answers).index(answer.pair) + 1  # each line before it holds one answer
            raise _refused(
                file, f"answers the pair {answer.pair} a second time, after line {first}", where
            )
        answers[answer.pair] = answer
    return answers


def _record(text: str, record: type[Read], file: Path, where: str = "") -> Read:
    try:
        return record.read(parse(text))
    except NotJson as error:
        raise _refused(file, f"is not valid JSON: {error}", where) from None
    except ValidationError as error:
        raise InputError(problems_of(error, record, file=file.as_posix(), prefix=where)) from None


def _refused(file: Path, message: str, where: str = "") -> InputError:
    return InputError([Problem(file.as_posix(), where, message)])


if __name__ == "__main__":
    run(main)
