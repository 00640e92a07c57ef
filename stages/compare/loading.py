"""Adapter: loads the sides of a comparison from revisions, ready to be compared."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from stages.compare.revisions import LOCK, NotStored, Revision, Revisions
from stages.compare.sides import (
    Side,
    equally_rounded,
    outdated_results,
    outdated_scores,
    recorded_scorecards,
    rescored,
    to_rescore,
)
from stages.contracts.brief import Brief, Prompt, parse_brief
from stages.contracts.decision import Decision
from stages.contracts.errors import InputError, problems_of
from stages.contracts.json_text import NotJson, parse
from stages.contracts.model_config import IDENTIFIER
from stages.contracts.params import Params
from stages.contracts.response import Response
from stages.contracts.run import Run
from stages.contracts.scorecard import Scorecard
from stages.score import Scorer, rules_sha256
from stages.score.response_files import read_response
from stages.shell import paths
from stages.shell.inputs import load_inputs

Found = TypeVar("Found", Run, Scorecard)


class NotMeasured(Exception):
    """Revisions have no results, or not those of their inputs; each reason says why and what to do.

    `not_run`: the working tree's inputs were changed and not run since.
    """

    def __init__(self, *reasons: str, not_run: bool = False) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons
        self.not_run = not_run


class Loader:
    """Loads sides; the scoring rules and the selection of inputs are those of `params`."""

    def __init__(self, revisions: Revisions, params: Params) -> None:
        self._revisions = revisions
        self._params = params

    def load(self, revision: Revision) -> Side:
        """The side as its results were recorded.

        Raises:
            NotMeasured: there are no results, they cannot be read, or the working tree's are not those of its inputs.
        """
        try:
            run = self._revisions.read(revision, paths.RUN)
            if run is None:
                raise NotMeasured(_never_ran(revision, paths.RUN))
            manifest = _decoded(run, Run, revision, paths.RUN)
            if revision.commit is None:
                self._check_lock_file()
            scorecards, recorded = self._scorecards(revision, run)
            if revision.commit is None:
                self._check_fresh(revision, manifest, scorecards or ())
        except NotStored as error:
            raise NotMeasured(str(error)) from None
        side = Side(
            name=revision.name,
            revision=revision.commit,
            date=revision.date,
            run=manifest,
            scorecards=scorecards or (),
            recorded=recorded,
            decision=self._decision(revision),
        )
        return self.rescore(side, revision) if scorecards is None else side

    def load_comparable(self, *revisions: Revision) -> tuple[Side, ...]:
        """Sides whose scorecards were made by the same rules, to the same number of decimals.

        Raises:
            NotMeasured: a side cannot be loaded, or not be scored again; with the reasons of all.
        """
        sides: list[Side] = []
        failed: list[NotMeasured] = []
        for revision in revisions:
            try:
                sides.append(self.load(revision))
            except NotMeasured as error:
                failed.append(error)
        if failed:
            reasons = dict.fromkeys(reason for error in failed for reason in error.reasons)
            raise NotMeasured(*reasons, not_run=any(error.not_run for error in failed))
        try:
            for index in to_rescore(sides, rules_sha256(self._params.score)):
                sides[index] = self.rescore(sides[index], revisions[index])
        except NotMeasured as error:
            raise NotMeasured(f"the answers were scored by different rules, or not by today's, and {error}") from None
        return equally_rounded(sides)

    def rescore(self, side: Side, revision: Revision) -> Side:
        """The side with its answers scored by today's rules, against its brief and the prompt at that revision.

        Raises:
            NotMeasured: the answers or the briefs cannot be read.
        """
        try:
            scorer = Scorer(self._params.score, self._briefs(revision), self._prompt(revision, side.run))
            answers = list(self._answers(revision))
        except NotStored as error:
            raise NotMeasured(str(error)) from None
        if not answers:
            raise NotMeasured(f"{revision.name} has no answers in {paths.RESPONSES.as_posix()} to score again")
        return rescored(side, answers, scorer)

    def looks(self, base: Side, head: Side) -> int:
        """How often the prompts of two sides were compared, as far as git knows: the head's distinct samples, rounds and brief sets.

        0 where both have the same prompt.
        """
        if base.run.prompt.sha256 == head.run.prompt.sha256:
            return 0
        found = {_look(head.run)}
        for content in self._revisions.recorded_runs():
            try:
                run = Run.read(parse(content))
            except (NotJson, ValidationError):
                continue
            if run.prompt.sha256 == head.run.prompt.sha256:
                found.add(_look(run))
        return len(found)

    def _scorecards(self, revision: Revision, run: bytes) -> tuple[tuple[Scorecard, ...] | None, bool]:
        """The scorecards, and whether they are only those that git keeps; None for scorecards of a version that cannot be read."""
        try:
            content = self._revisions.read(revision, paths.SCORECARDS)
            if content is None:
                raise NotStored(_never_ran(revision, paths.SCORECARDS))
        except NotStored:
            table, lock = (self._revisions.read(revision, file) for file in (paths.SCORES_CSV, LOCK))
            cards = recorded_scorecards(table, lock, run) if table is not None and lock is not None else None
            if cards is None:
                raise
            return cards, True
        lines = [line for line in content.splitlines() if line]
        try:
            return tuple(_decoded(line, Scorecard, revision, paths.SCORECARDS) for line in lines), False
        except NotStored:
            if revision.commit is None or not self._revisions.files(revision, paths.RESPONSES):
                raise
            return None, False

    def _decision(self, revision: Revision) -> Decision | None:
        try:
            content = self._revisions.read(revision, paths.DECISION)
            return Decision.read(parse(content)) if content is not None else None
        except (NotStored, NotJson, ValidationError):
            return None  # it is shown for information

    def _check_lock_file(self) -> None:
        modified = self._revisions.modified_outs()
        for out in (paths.RESPONSES.as_posix(), paths.SCORECARDS.as_posix()):
            if out in modified:
                fix = "run `dvc checkout`, or `dvc repro` where the change is yours"
                raise NotMeasured(f"{out} is not what dvc.lock names: {fix}")

    def _check_fresh(self, revision: Revision, run: Run, scorecards: Iterable[Scorecard]) -> None:
        if reason := outdated_results(run, load_inputs(self._params)):
            raise NotMeasured(reason, not_run=True)
        fingerprints = {response.cell: response.fingerprint for response in self._answers(revision)}
        if reason := outdated_scores(scorecards, fingerprints):
            raise NotMeasured(reason)

    def _answers(self, revision: Revision) -> Iterator[Response]:
        for file in self._revisions.files(revision, paths.RESPONSES):
            if file.match("response*.json"):
                try:
                    yield read_response(self._revisions.read(revision, file) or b"", file=file.as_posix())
                except InputError as error:
                    raise NotStored(f"an answer of {revision.name} cannot be read: {error}") from None

    def _briefs(self, revision: Revision) -> list[Brief]:
        found: list[Brief] = []
        for file in self._revisions.files(revision, paths.BRIEFS):
            if file.suffix == ".md" and not file.name.startswith(("_", ".")):
                try:
                    text = (self._revisions.read(revision, file) or b"").decode("utf-8")
                    found.append(parse_brief(file.stem, text, file=file.as_posix()))
                except (InputError, UnicodeDecodeError) as error:
                    raise NotStored(f"a brief of {revision.name} cannot be read: {error}") from None
        return found

    def _prompt(self, revision: Revision, run: Run) -> Prompt | None:
        """The prompt of the revision's run; None where the file is gone or another one, so that nothing is compared with it."""
        content = self._revisions.read(revision, Path(run.prompt.path))
        if content is None or hashlib.sha256(content).hexdigest() != run.prompt.sha256:
            return None
        return Prompt(path=run.prompt.path, text=content.decode("utf-8"), sha256=run.prompt.sha256)


def _look(run: Run) -> tuple[int, int, tuple[str, ...]]:
    return run.samples, run.round, tuple(sorted(run.briefs))


def _never_ran(revision: Revision, file: Path) -> str:
    return f"{revision.name} has no {file.as_posix()}: nothing was run there (`dvc repro`, then commit)"


def _decoded(content: bytes, record: type[Found], revision: Revision, file: Path) -> Found:
    problem: object = "an id is not made of letters, digits, . _ and -"
    try:
        found = record.read(parse(content))
        ids = (found.model_id, found.brief_id) if isinstance(found, Scorecard) else ()
        if all(map(IDENTIFIER.fullmatch, ids)):
            return found
    except NotJson as error:
        problem = error
    except ValidationError as error:
        problem = problems_of(error, record, file="")[0]
    where = f"{file.as_posix()} of {revision.name} cannot be read by this version"
    raise NotStored(f"{where}: {problem}; run `dvc repro` there again")
