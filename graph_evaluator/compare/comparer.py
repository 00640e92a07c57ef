"""Adapter: compares revisions by their names: reads the results of each, and scores answers again
where the rules of the sides differ.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from graph_evaluator.compare.comparison import Comparison, Step, compare, distinct, history
from graph_evaluator.compare.revisions import (
    ComparedSide,
    NamedRevision,
    NoResults,
    Revisions,
    changed_inputs,
    require_models,
)
from graph_evaluator.compare.views import PageEvidence, diff_prompts, draw_pairs
from graph_evaluator.records.brief import Brief, Prompt, parse_brief
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.errors import InputError, read_all
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.params import Params
from graph_evaluator.records.record import parse_record
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.records.run_results import PromptRef, Run
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.score import Scorer, rules_sha256
from graph_evaluator.score.own_checks import load_own_checks
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_inputs
from graph_evaluator.shell.paths import decode
from graph_evaluator.shell.results import read_response

RUN_AGAIN = "run `dvc repro`"


class Comparer:
    """Compares the revisions of a repository by the rules and the inputs of `params`.

    Every method raises InputError where no revision has a name that it is given, and NoResults
    where two sides cannot be compared.
    """

    def __init__(self, revisions: Revisions, params: Params) -> None:
        self._revisions = revisions
        self._params = params
        failing = load_own_checks(params.score.checks).failing
        self._rules = rules_sha256(params.score, failing)
        self._has_failing_checks = bool(failing)

    def compare(self, baseline: str, candidate: str) -> Comparison:
        """Compare two revisions by their names."""
        first, second = self.comparable(baseline, candidate)
        return compare(first, second, self._params.compare)

    def models(self, name: str, baseline: str, candidate: str) -> Comparison:
        """Compare two models of one revision's run, paired by brief; InputError if the run lacks
        one of them.
        """
        (side,) = self.comparable(name)
        require_models((baseline, candidate), side.models)
        first, second = (side.of_model(model) for model in (baseline, candidate))
        return compare(first, second, self._params.compare)

    def history(self, branch: str, *, limit: int) -> tuple[list[Step], list[str]]:
        """The runs along a branch by today's rules, and why some are left out."""
        skipped: dict[str, list[str]] = {}
        sides = []
        for revision in self._revisions.runs(branch, limit):
            try:
                sides.append(self._load(revision))
            except NoResults as error:
                reason = str(error).replace(f" of {revision.name}", "")
                skipped.setdefault(reason, []).append(revision.name)
        sides = distinct(sides)
        by_today = []
        for side in sides:
            try:
                by_today.append(self._by_todays_rules(side, sides))
            except NoResults:
                by_today.append(side)
        lines = [f"{numbers.first_of(names)}: {reason}" for reason, names in skipped.items()]
        return history(by_today, self._params.compare), lines

    def comparable(self, *names: str) -> list[ComparedSide]:
        """Revisions whose scores were made by the same rules, and contents by the same statements
        and codebooks where the answers can be read.

        Raises:
            NoResults: with the reasons of all sides that cannot be loaded, or not be scored
            again.
        """
        sides: list[ComparedSide] = []
        failed: list[NoResults] = []
        for at in read_all(self._revisions.resolve, names):
            try:
                sides.append(self._load(at))
            except NoResults as error:
                failed.append(error)
        if failed:
            reasons = dict.fromkeys(reason for error in failed for reason in error.reasons)
            raise NoResults(*reasons, not_run=any(error.not_run for error in failed))
        try:
            return [self._by_todays_rules(side, sides) for side in sides]
        except NoResults as error:
            if len({rules for side in sides for rules in side.rules}) == 1:
                return sides
            different = "the answers were scored by different rules, or not by today's"
            raise NoResults(f"{different}, and {error}") from None

    def _load(self, at: NamedRevision) -> ComparedSide:
        """The side as its results were recorded; NoResults if there are none, or the working
        tree's are not of its inputs.
        """
        manifest = self._result(at, paths.RUN)
        modified = self._revisions.modified_outs() if at.revision is None else ()
        for out in (paths.RESPONSES.as_posix(), paths.SCORECARDS.as_posix()):
            if out in modified:
                fix = "run `dvc checkout`, or `dvc repro` if the change is yours"
                raise NoResults(f"{out} is not what dvc.lock names: {fix}")
        with _reading(at, paths.RUN):
            run = parse_record(manifest, Run, "")
        lines = self._result(at, paths.SCORECARDS).splitlines()
        with _reading(at, paths.SCORECARDS):
            cells = tuple(parse_record(line, ScoredCell, "") for line in lines if line)
        side = ComparedSide(name=at.name, revision=at.revision, date=at.date, run=run, cells=cells)
        if at.revision is None:
            self._check_fresh(side)
        return side

    def _result(self, at: NamedRevision, file: Path) -> bytes:
        content = self._revisions.read(at, file)
        if content is None:
            advice = "it has no results (`dvc repro` there, then commit)"
            if file == paths.SCORECARDS:
                advice = "`dvc pull` fetches it, `dvc repro` makes it"
            raise NoResults(f"{at.name} has no {file.as_posix()}: {advice}")
        return content

    def _check_fresh(self, side: ComparedSide) -> None:
        """Raise NoResults unless the results of the working tree belong to the present inputs, and
        the scores to the answers.
        """
        prompt, models, briefs = load_inputs(self._params)
        present = {
            "prompt": PromptRef(path=prompt.path, sha256=prompt.sha256),
            "models": {config.id: config.sha256 for config in models},
            "briefs": {brief.id: brief.sha256 for brief in briefs},
        }
        settings = dict(self._params.generate)
        present_run = Run.model_validate(dict(side.run) | present | settings)
        changed = ", ".join(changed_inputs(side.run, present_run))
        if changed:
            problem = f"the results do not belong to the present inputs ({changed})"
            raise NoResults(f"{problem}: {RUN_AGAIN}", not_run=True)
        present_answers = self._answers(side, paths.RESPONSES)
        answers = {answer.cell: answer.answer.fingerprint for answer in present_answers}
        scored = {cell.cell: cell.fingerprint for cell in side.cells}
        if answers and answers != scored:
            raise NoResults(f"the scores do not belong to the present answers: {RUN_AGAIN}")

    def _by_todays_rules(
        self, side: ComparedSide, compared: Sequence[ComparedSide]
    ) -> ComparedSide:
        """The side by today's rules, and read as the others as far as its answers can be read;
        NoResults where they cannot and its scores were made by other rules.
        """
        is_older = not side.rules <= {self._rules}
        has_older = any(not other.rules <= {self._rules} for other in compared)
        if has_older and self._has_failing_checks:  # they never run here: no side keeps them
            is_older = True
        if not is_older and _are_read_alike(compared):
            return side
        try:
            cells = self._score_again(side, compared)
        except NoResults:
            if is_older:
                raise
            return side
        return replace(side, cells=cells, rescored=is_older)

    def _score_again(
        self, side: ComparedSide, compared: Sequence[ComparedSide]
    ) -> tuple[ScoredCell, ...]:
        """The cells by today's rules and codebooks, with the prompts that the answers were given,
        and by the front-matter of the latest side for briefs with the same body; NoResults where
        the answers or briefs cannot be read.
        """
        latest = max(reversed(compared), key=lambda side: (side.revision is None, side.date or ""))
        stated = {(brief.id, brief.body): brief for brief in self._briefs(latest)}
        briefs = [stated.get((brief.id, brief.body), brief) for brief in self._briefs(side)]
        prompt = self._prompt(side, side.run.prompt.path)
        if prompt and prompt.sha256 != side.run.prompt.sha256:
            prompt = None
        of_recorded = {counts.prompt for counts in side.run.recorded.values() if counts.prompt}
        prompts = [self._prompt(side, path) for path in sorted(of_recorded)]
        others = [other for other in prompts if other]
        codebooks = _present_codebooks(briefs)
        scorer = Scorer(self._params.score, briefs, prompt, others, codebooks)
        cells = tuple(scorer.score(answer) for answer in self._answers(side, paths.RESPONSES))
        if not cells:
            folder = paths.RESPONSES.as_posix()
            raise NoResults(f"{side.name} has no answers in {folder} to score again")
        return cells

    def page_evidence(self, result: Comparison) -> PageEvidence:
        """What a page shows of the prompts and the answers, as far as they can be read."""
        sides = (result.baseline, result.candidate)
        before, after = (self._prompt(side, side.prompt) for side in sides)
        texts = [prompt.text if prompt else "" for prompt in (before, after)]
        return PageEvidence(diff_prompts(*texts), draw_pairs(result, self._graph))

    def _graph(self, side: ComparedSide, cell: Cell) -> DraftGraph:
        """The graph of an answer, an empty one where it cannot be read."""
        try:
            response = self.response(side, paths.RESPONSES / paths.response_file(cell))
        except NoResults:
            response = None
        return read(response.answer.graph if response else None)[0]

    def response(self, at: NamedRevision, file: Path) -> Response | None:
        """The answer in a file of a revision; None without the file."""
        return next(self._answers(at, file), None)

    def _answers(self, at: NamedRevision, place: Path) -> Iterator[Response]:
        """The answer in a file, or those below a folder."""
        for file, content in self._revisions.files(at, place):
            if file.match("response*.json"):
                with _reading(at, file):
                    response = read_response(content, file=file.as_posix())
                yield response

    def _briefs(self, at: NamedRevision) -> Iterator[Brief]:
        for file, content in self._revisions.files(at, paths.BRIEFS):
            if file.suffix == ".md" and not file.name.startswith(("_", ".")):
                with _reading(at, file):
                    text = decode(content, file.as_posix())
                    brief = parse_brief(file.stem, text, file=file.as_posix())
                yield brief

    def _prompt(self, side: ComparedSide, path: str) -> Prompt | None:
        """The prompt at a path, None where the revision has no such file."""
        content = self._revisions.read(side, Path(path))
        return None if content is None else Prompt(path, decode(content, path))


@contextmanager
def _reading(at: NamedRevision, file: Path) -> Iterator[None]:
    """Every problem in the content of a file becomes NoResults."""
    try:
        yield
    except InputError as error:
        problem = "was written by an older version, or is damaged: run `dvc repro` there"
        raise NoResults(f"{file.as_posix()} of {at.name} {problem} ({error})") from None


def _are_read_alike(sides: Sequence[ComparedSide]) -> bool:
    """Whether every brief states the same on all sides, and has one codebook."""
    stated = {item for side in sides for item in side.run.briefs.items()}
    read = {(cell.brief_id, cell.codebook_sha256) for side in sides for cell in side.cells}
    return all(len(dict(items)) == len(items) for items in (stated, read))


def _present_codebooks(briefs: Sequence[Brief]) -> dict[str, Codebook]:
    """The codebooks of the working tree, for briefs that state the same there."""
    present = {brief.id: brief for brief in load_briefs()}
    codebooks = load_codebooks(present.values())
    return {
        brief.id: codebooks[brief.id]
        for brief in briefs
        if brief.id in codebooks and brief.expectations == present[brief.id].expectations
    }
