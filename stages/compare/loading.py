"""Adapter: a side's scorecards and manifest from a revision, and its answers where they have to be scored again."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from stages.compare.revisions import NotStored, Revision, Revisions
from stages.compare.side import Missing, Side
from stages.contracts.brief import Brief, parse_brief
from stages.contracts.errors import InputError
from stages.contracts.json_text import NotJson, parse
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.score.stored_response import StoredAnswer, read_response
from stages.shell import paths

Record = TypeVar("Record")


def load_side(revisions: Revisions, revision: Revision) -> Side | Missing:
    """The side as it was recorded, or why its results cannot be had."""
    try:
        run = revisions.read(revision, paths.RUN)
        cards = None if run is None else revisions.read(revision, paths.SCORECARDS)
        if run is None or cards is None:
            absent = (paths.RUN if run is None else paths.SCORECARDS).as_posix()
            return _missing(
                revision, f"{revision.name} has no {absent}: nothing was run there (`dvc repro`, then commit)"
            )
        return Side(
            name=revision.name,
            revision=revision.commit,
            date=revision.date,
            run=_decode(run, Run, revision, paths.RUN),
            scorecards=tuple(
                _decode(line, Scorecard, revision, paths.SCORECARDS) for line in cards.splitlines() if line
            ),
        )
    except NotStored as error:
        return _missing(revision, str(error))


def load_responses(revisions: Revisions, revision: Revision) -> Iterator[StoredAnswer]:
    """The revision's answers, in the order of their files.

    Raises:
        NotStored: they are in no place that can be reached, or are not what this version of the program reads.
    """
    files = [file for file in revisions.files(revision, paths.RESPONSES) if file.match("response*.json")]
    if not files:
        raise NotStored(f"{revision.name} has no answers in {paths.RESPONSES.as_posix()} to score afresh")
    for file in files:
        try:
            yield read_response(revisions.read(revision, file) or b"", file=file.as_posix())
        except InputError as error:
            raise NotStored(f"an answer of {revision.name} cannot be read: {error}") from None


def load_briefs(revisions: Revisions, revision: Revision) -> dict[str, Brief]:
    """The briefs as they stood at the revision, by id: their expectations go with its answers.

    Raises:
        NotStored: a brief cannot be read.
    """
    found: dict[str, Brief] = {}
    for file in revisions.files(revision, paths.BRIEFS):
        if file.suffix == ".md" and not file.name.startswith(("_", ".")):
            try:
                found[file.stem] = parse_brief(
                    file.stem, (revisions.read(revision, file) or b"").decode("utf-8"), file=file.as_posix()
                )
            except (InputError, UnicodeDecodeError) as error:
                raise NotStored(f"a brief of {revision.name} cannot be read: {error}") from None
    return found


def _missing(revision: Revision, reason: str) -> Missing:
    return Missing(name=revision.name, revision=revision.commit, reason=reason)


def _decode(content: bytes, record: type[Record], revision: Revision, file: Path) -> Record:
    try:
        return msgspec.convert(parse(content), record)
    except (NotJson, msgspec.ValidationError) as error:
        where = f"{file.as_posix()} of {revision.name}"
        raise NotStored(f"{where} is not what this version reads: {error}; run `dvc repro` there again") from None
