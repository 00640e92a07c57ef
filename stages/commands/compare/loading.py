"""Adapter: loads the sides of a comparison from revisions, ready to be compared."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from stages.commands.compare.recorded import recorded_cells
from stages.commands.compare.revisions import NotStored, Revisions
from stages.commands.compare.sides import (
    SETTINGS,
    ComparedSide,
    NamedRevision,
    NotMeasured,
    changed_inputs,
)
from stages.score import Scorer, rules_sha256
from stages.shared.analysis.scored_cell import ScoredCell, scored_cell
from stages.shared.records.brief import Brief, Prompt, parse_brief, prompt_of
from stages.shared.records.codebook import Codebook
from stages.shared.records.decision import Decision
from stages.shared.records.errors import InputError
from stages.shared.records.model_config import IDENTIFIER
from stages.shared.records.params import Params
from stages.shared.records.record import parse_record
from stages.shared.records.response import PromptRef, Response, Run
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import paths
from stages.shared.shell.dvc import LOCK
from stages.shared.shell.files import decode
from stages.shared.shell.inputs import load_briefs, load_codebooks, load_inputs
from stages.shared.shell.results import read_response

RUN_AGAIN = "run `dvc repro`, commit and `dvc push`"
Decoded = TypeVar("Decoded", Run, Scorecard)


class Loader:
    """Loads sides; the scoring rules and the selection of inputs are those of `params`."""

    def __init__(self, revisions: Revisions, params: Params) -> None:
        self._revisions = revisions
        self._params = params
        self._rules = rules_sha256(params.score)

    def load(self, at: NamedRevision) -> ComparedSide:
        """The side as its results were recorded; NotMeasured if there are none, or the working
        tree's are not of its inputs.
        """
        manifest = self._result(at, paths.RUN)
        if at.revision is None:
            self._check_lock_file()
        run = _decoded(manifest, Run, at, paths.RUN)
        cells, is_recorded = self._cells(at, manifest)
        side = ComparedSide(
            name=at.name,
            revision=at.revision,
            date=at.date,
            run=run,
            cells=cells,
            recorded=is_recorded,
            decision=self._decision(at),
        )
        if at.revision is None:
            self._check_fresh(side)
        return side

    def load_comparable(self, *revisions: NamedRevision) -> list[ComparedSide]:
        """Sides whose scores were made by the same rules, and contents by the same statements and
        codebooks where the answers can be read.

        Raises:
            NotMeasured: with the reasons of all sides that cannot be loaded, or not be scored
            again.
        """
        sides: list[ComparedSide] = []
        failed: list[NotMeasured] = []
        for at in revisions:
            try:
                sides.append(self.load(at))
            except NotMeasured as error:
                failed.append(error)
        if failed:
            reasons = dict.fromkeys(reason for error in failed for reason in error.reasons)
            raise NotMeasured(*reasons, not_run=any(error.not_run for error in failed))
        rules = frozenset().union(*(side.rules for side in sides))
        older = [side for side in sides if not side.rules <= {self._rules}]
        fault = None
        for outdated in (older,) if _are_read_alike(sides) else (sides, older):
            try:
                return [
                    self._score_again(side, sides) if side in outdated else side for side in sides
                ]
            except NotMeasured as error:
                fault = error
        if len(rules) == 1 and all(side.revision for side in sides):
            return sides
        different = "the answers were scored by different rules, or not by today's"
        raise NotMeasured(f"{different}, and {fault}") from None

    def by_todays_rules(self, sides: Sequence[ComparedSide]) -> list[ComparedSide]:
        """The sides by today's rules and alike, as far as their answers can be read."""
        are_alike = _are_read_alike(sides)
        scored = []
        for side in sides:
            by_today = side
            if not (are_alike and side.rules <= {self._rules}):
                with suppress(NotMeasured):
                    by_today = self._score_again(side, sides)
            scored.append(by_today)
        return scored

    def _score_again(self, side: ComparedSide, compared: Sequence[ComparedSide]) -> ComparedSide:
        """The side scored by today's rules and codebooks, and by the front-matter of the latest
        side for briefs with the same body; NotMeasured where its answers or briefs cannot be read.
        """
        latest = max(reversed(compared), key=lambda one: (one.revision is None, one.date or ""))
        stated = {(brief.id, brief.body): brief for brief in self._briefs(latest)}
        briefs = [stated.get((brief.id, brief.body), brief) for brief in self._briefs(side)]
        scorer = self._scorer(side, briefs)
        cells = tuple(scored_cell(scorer.score(answer)) for answer in self._answers(side))
        if not cells:
            raise NotMeasured(
                f"{side.name} has no answers in {paths.RESPONSES.as_posix()} to score again"
            )
        rescored = not side.rules <= {self._rules}
        return replace(side, cells=cells, rescored=rescored, recorded=False)

    def _result(self, at: NamedRevision, file: Path) -> bytes:
        content = self._revisions.read(at, file)
        if content is None:
            advice = "nothing was run there (`dvc repro`, then commit)"
            raise NotStored(f"{at.name} has no {file.as_posix()}: {advice}")
        return content

    def _cells(self, at: NamedRevision, manifest: bytes) -> tuple[tuple[ScoredCell, ...], bool]:
        """The scored cells, and whether they are those that git keeps."""
        file = paths.SCORECARDS
        try:
            lines = self._result(at, file).splitlines()
        except NotStored:
            table, lock = (self._revisions.read(at, file) for file in (paths.SCORES_CSV, LOCK))
            recorded = recorded_cells(table, lock, manifest) if table and lock else None
            if recorded is None:
                raise
            return recorded, True
        cells = (_decoded_cell(line, at, file) for line in lines if line)
        return tuple(cell for cell in cells if cell is not None), False

    def _decision(self, at: NamedRevision) -> Decision | None:
        try:
            content = self._revisions.read(at, paths.DECISION)
            return parse_record(content or b"", Decision, "")
        except (NotStored, InputError):
            return None  # it is shown for information

    def _check_lock_file(self) -> None:
        modified = self._revisions.modified_outs()
        for out in (paths.RESPONSES.as_posix(), paths.SCORECARDS.as_posix()):
            if out in modified:
                fix = "run `dvc checkout`, or `dvc repro` where the change is yours"
                raise NotMeasured(f"{out} is not what dvc.lock names: {fix}")

    def _check_fresh(self, side: ComparedSide) -> None:
        inputs = load_inputs(self._params)
        settings = {name: getattr(self._params.generate, name) for name in SETTINGS}
        present = {
            "prompt": PromptRef(path=inputs.prompt.path, sha256=inputs.prompt.sha256),
            "models": {config.id: config.sha256 for config in inputs.models},
            "briefs": {brief.id: brief.sha256 for brief in inputs.briefs},
        }
        changed = changed_inputs(side.run, side.run.model_copy(update=present | settings))
        if changed:
            problem = f"the results are not of the present inputs ({changed})"
            raise NotMeasured(f"{problem}: {RUN_AGAIN}", not_run=True)
        answers = {answer.cell: answer.answer.fingerprint for answer in self._answers(side)}
        scored = {cell.cell: cell.fingerprint for cell in side.cells}
        if answers and answers != scored:
            raise NotMeasured(f"the scores are not of the present answers: {RUN_AGAIN}")

    def _answers(self, at: NamedRevision) -> Iterator[Response]:
        for file, content in self._revisions.files(at, paths.RESPONSES):
            if file.match("response*.json"):
                yield read_answer(at, file, content)

    def _briefs(self, at: NamedRevision) -> Iterator[Brief]:
        for file, content in self._revisions.files(at, paths.BRIEFS):
            if file.suffix == ".md" and not file.name.startswith(("_", ".")):
                try:
                    text = decode(content, file.as_posix())
                    yield parse_brief(file.stem, text, file=file.as_posix())
                except InputError as error:
                    raise NotStored(f"a brief of {at.name} cannot be read: {error}") from None

    def _scorer(self, side: ComparedSide, briefs: Sequence[Brief]) -> Scorer:
        """Scores answers by today's rules, with the prompts that they were given."""
        run = side.run
        prompt = self._prompt(side, run.prompt.path)
        if prompt and prompt.sha256 != run.prompt.sha256:
            prompt = None
        paths_of_recorded = {counts.prompt for counts in run.recorded.values() if counts.prompt}
        prompts_of_recorded = [self._prompt(side, path) for path in sorted(paths_of_recorded)]
        others = [other for other in prompts_of_recorded if other]
        return Scorer(self._params.score, briefs, prompt, others, _present_codebooks(briefs))

    def _prompt(self, side: ComparedSide, path: str) -> Prompt | None:
        """The prompt at a path, None where the revision has no such file."""
        content = self._revisions.read(side, Path(path))
        if content is None:
            return None
        return prompt_of(path, decode(content, path))


def _are_read_alike(sides: Sequence[ComparedSide]) -> bool:
    """Whether every brief states the same on all sides, and has one codebook."""
    stated = {item for side in sides for item in side.run.briefs.items()}
    read = {(cell.brief_id, cell.codebook_sha256) for side in sides for cell in side.cells}
    return all(len(dict(items)) == len(items) for items in (stated, read))


def _present_codebooks(briefs: Iterable[Brief]) -> dict[str, Codebook]:
    """The codebooks of the working tree, for briefs that state the same there."""
    present = {brief.id: brief for brief in load_briefs()}
    codebooks = load_codebooks(present.values())
    return {
        brief.id: codebooks[brief.id]
        for brief in briefs
        if brief.id in codebooks and brief.expectations == present[brief.id].expectations
    }


def read_answer(at: NamedRevision, file: Path, content: bytes) -> Response:
    """The answer that a file of a revision holds; NotStored where it cannot be read."""
    try:
        return read_response(content, file=file.as_posix())
    except InputError as error:
        raise NotStored(f"an answer of {at.name} cannot be read: {error}") from None


def _decoded_cell(line: bytes, at: NamedRevision, file: Path) -> ScoredCell | None:
    """The scored cell of a line; None for traffic, which is no cell of the comparison."""
    card = _decoded(line, Scorecard, at, file)
    if card.traffic:
        return None
    cell = scored_cell(card)
    if not all(map(IDENTIFIER.fullmatch, (cell.model_id, cell.brief_id))):
        place = f"{file.as_posix()} of {at.name}"
        raise NotStored(f"{place} has an id that is not made of letters, digits, . _ and -")
    return cell


def _decoded(content: bytes, record: type[Decoded], at: NamedRevision, file: Path) -> Decoded:
    """A record of a result; NotStored where it is one of an older version."""
    try:
        return parse_record(content, record, "")
    except InputError as error:
        problem = "was written by an older version: run `dvc repro` there"
        place = f"{file.as_posix()} of {at.name}"
        raise NotStored(f"{place} {problem} ({error})") from None
