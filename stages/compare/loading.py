"""Adapter: a side's scorecards and manifest from a revision, and its answers where they have to be scored again."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from stages.compare.lock_file import LOCK
from stages.compare.recorded import recorded_scorecards
from stages.compare.revision import NotStored, Revision
from stages.compare.revisions import Revisions
from stages.compare.side import Missing, Side
from stages.contracts.brief import Brief, parse_brief
from stages.contracts.cell import Cell
from stages.contracts.errors import InputError
from stages.contracts.json_text import NotJson, parse
from stages.contracts.record import Record
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.score.response_files import read_response, sample_named
from stages.shell import paths

Found = TypeVar("Found", Run, Scorecard)


def load_side(revisions: Revisions, revision: Revision) -> Side | Missing:
    """The side as it was recorded, or why its results cannot be had."""
    try:
        run = revisions.read(revision, paths.RUN)
        if run is None:
            return _missing(revision, _never_ran(revision, paths.RUN))
        manifest = _decode(run, Run, revision, paths.RUN)
        cards, recorded = _scorecards(revisions, revision, run)
    except NotStored as error:
        return _missing(revision, str(error))
    return Side(
        name=revision.name,
        revision=revision.commit,
        date=revision.date,
        run=manifest,
        scorecards=cards,
        recorded=recorded,
    )


def _scorecards(revisions: Revisions, revision: Revision, run: bytes) -> tuple[tuple[Scorecard, ...], bool]:
    """The scorecards, and whether they are only those of the table that git keeps."""
    try:
        content = revisions.read(revision, paths.SCORECARDS)
        if content is None:
            raise NotStored(_never_ran(revision, paths.SCORECARDS))
    except NotStored:
        table, lock = (revisions.read(revision, file) for file in (paths.SCORES_CSV, Path(LOCK)))
        cards = recorded_scorecards(table, lock, run) if table is not None and lock is not None else None
        if cards is None:
            raise
        return cards, True
    return tuple(_decode(line, Scorecard, revision, paths.SCORECARDS) for line in content.splitlines() if line), False


def load_fingerprints(revisions: Revisions, revision: Revision) -> dict[Cell, str | None]:
    """The fingerprints of the revision's answers by their cells; empty where one cannot be read, or there are none."""
    found: dict[Cell, str | None] = {}
    for file in _response_files(revisions, revision):
        try:
            named = _Named.read(parse(revisions.read(revision, file) or b""))
        except (NotJson, ValidationError):
            return {}
        sample = sample_named(file.name) if named.sample is None else named.sample
        found[Cell(named.model_id, named.brief_id, sample)] = named.fingerprint
    return found


def load_responses(revisions: Revisions, revision: Revision) -> Iterator[Response]:
    """The revision's answers, in the order of their files.

    Raises:
        NotStored: they are in no place that can be reached, or are not what this version of the program reads.
    """
    files = _response_files(revisions, revision)
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


class _Named(Record):
    model_id: str
    brief_id: str
    sample: int | None = None
    fingerprint: str | None = None


def _response_files(revisions: Revisions, revision: Revision) -> list[Path]:
    return [file for file in revisions.files(revision, paths.RESPONSES) if file.match("response*.json")]


def _never_ran(revision: Revision, file: Path) -> str:
    return f"{revision.name} has no {file.as_posix()}: nothing was run there (`dvc repro`, then commit)"


def _missing(revision: Revision, reason: str) -> Missing:
    return Missing(name=revision.name, revision=revision.commit, reason=reason)


def _decode(content: bytes, record: type[Found], revision: Revision, file: Path) -> Found:
    try:
        return record.read(parse(content))
    except (NotJson, ValidationError) as error:
        where = f"{file.as_posix()} of {revision.name}"
        raise NotStored(f"{where} is not what this version reads: {error}; run `dvc repro` there again") from None
