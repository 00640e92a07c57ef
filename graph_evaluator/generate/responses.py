"""What a run writes: the response of each cell (its answer and what that cost, or why there is
none), those of answers that arrive at once; the manifest; and the closing sentences.
"""

import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path, PurePath, PurePosixPath

from graph_evaluator.generate.calls.outcome import Fault
from graph_evaluator.generate.plan.call import PlannedModel, address
from graph_evaluator.generate.plan.cells import (
    PlannedCell,
    ReadAnswers,
    RunPlan,
    cells_with_answers,
)
from graph_evaluator.records.errors import NotAnswered
from graph_evaluator.records.json_text import JsonObject, pretty, sha256_of
from graph_evaluator.records.response import ANSWERED, CellCost, Response, Status
from graph_evaluator.records.run_results import (
    NAMED_DIGITS,
    TOOL_VERSION,
    PromptRef,
    RecordedCounts,
    Run,
)
from graph_evaluator.shell.numbers import count, counted, money
from graph_evaluator.shell.paths import (
    files_sha256,
    remove_others,
    response_file,
    write_atomic,
    write_record,
)
from graph_evaluator.shell.results import run_if_readable
from graph_evaluator.shell.text import visible

NOT_CALLED = Fault(
    status="connection_failed", code="not_called", message="the call was not made", attempts=0
)


def response_of(planned: PlannedCell, failures: Mapping[str, Fault]) -> Response:
    """The response of a cell: its answers, with the cost of all of them."""
    answers, following, first = planned.answers, planned.next_call, planned.calls[0]
    model = first.planned
    failure = failures.get(following.fingerprint) if following else None
    costs = [model.prices.cost(answer.measured) for answer in answers]
    known_usd = [cost.usd for cost in costs if cost.usd is not None]
    request: JsonObject = {
        "api": first.endpoint.api,
        "model": first.model,
        "instructions_sha256": first.prompt.sha256,
        "settings": model.settings,
        "round": first.identity["round"],
        "draw": max(len(answers), 1),
    }
    if model.config.prompt is not None:
        request |= {"instructions_sha256": None, "prompt": model.config.prompt}
    last = answers[-1] if answers else (failure or NOT_CALLED).in_place_of_answer(first)
    warnings = [*model.warnings, *last.warnings]
    if answers and following and failure:
        reason = f"{failure.status}: {failure.message}"
        warnings.append(f"draw {following.draw} has no answer: {reason}")
    is_known = answers and len(known_usd) == len(costs)
    cost = CellCost(
        est_cost_usd=round(sum(known_usd), 12) if is_known else None,
        pricing_source=costs[-1].source if answers else None,
        simulated=model.endpoint.simulated,
    )
    return Response(
        cell=first.cell,
        answer=last,
        earlier_draws=answers[:-1],
        request=request,
        cost=cost,
        warnings=tuple(warnings),
    )


class ResponseWriter:
    """Prepares the responses of a run in memory, compressed, and counts them; `publish` makes them
    the content of a folder, which is unchanged until then.

    A kill while they are put in place leaves some files of both runs, which the manifest does not
    name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hashes: dict[PurePath, str] = {}
        self._new: dict[PurePath, bytes] = {}
        self._statuses = Counter[Status]()
        self._incomplete = 0
        self._messages: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Why cells have no answer, by model."""
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        """The first digits of the fingerprints of answers, by model."""

    def write(self, planned: PlannedCell, failures: Mapping[str, Fault]) -> None:
        """Prepare the response of a cell; `failures` says why calls of this run failed."""
        self.add(response_of(planned, failures), is_complete=planned.next_call is None)

    def write_others(
        self, cells: Sequence[PlannedCell], read: ReadAnswers, failures: Mapping[str, Fault]
    ) -> None:
        """Prepare the responses of those cells that have none yet."""
        others = [cell for cell in cells if response_file(cell.cell) not in self._hashes]
        for planned in cells_with_answers(others, read):
            self.write(planned, failures)

    def add(self, response: Response, *, is_complete: bool = True) -> None:
        """Prepare a response and count it; that of a cell that needs one more call is not
        complete.
        """
        answer, model_id = response.answer, response.cell.model_id
        file = response_file(response.cell)
        content = pretty(response.to_json())
        self._hashes[file] = hashlib.sha256(content).hexdigest()
        present = self._folder / file
        if not (present.is_file() and present.read_bytes() == content):
            self._new[file] = zlib.compress(content, level=1)
        self._statuses[answer.status] += 1
        self._incomplete += not is_complete
        if not answer.answered:
            self._messages[model_id][answer.error_message or ""] += 1
        elif not response.cost.simulated:
            keys = [answer.fingerprint or "" for answer in response.answers]
            self._named[model_id].update(key[:NAMED_DIGITS] for key in keys)

    def publish(self) -> str:
        """Put what was prepared into the folder, and remove every other file; the hash of all."""
        remove_others(self._folder, {self._folder / file for file in self._hashes})
        for file, content in self._new.items():
            # A file that is there may be a link to DVC's cache: it is replaced, not changed.
            write_atomic(self._folder / file, zlib.decompress(content))
        return files_sha256(self._hashes)

    def answers_named(self, models: Iterable[PlannedModel]) -> dict[str, str]:
        """The answers of models that the manifest names."""
        ids = sorted(model.config.id for model in models)
        return {model: " ".join(sorted(self._named[model])) for model in ids if self._named[model]}

    @property
    def _missing(self) -> int:
        """Cells without an answer."""
        return sum(messages.total() for messages in self._messages.values())

    def check(self, *, require_all: bool) -> None:
        """Raise `NotAnswered`, with each model's most frequent reason, if no answer arrived, or if
        one is missing and all are required.
        """
        has_answer = self._missing < self._statuses.total()
        if has_answer and not (require_all and self._missing):
            return
        lack = "no model answered"
        if has_answer:
            answers = counted(self._missing, "answer is", "answers are")
            lack = f"runtime.require_all: {answers} missing"
        reasons = [
            f"\n  {model_id}: {visible(message)} ({counted(cells, 'answer')})"
            for model_id, messages in sorted(self._messages.items())
            for message, cells in messages.most_common(1)
        ]
        raise NotAnswered(f"{lack}; the most frequent reason of each model:{''.join(reasons)}")

    def lines(
        self, paid_usd: Collection[float | None], unusable_usd: Collection[float | None]
    ) -> list[str]:
        """The closing sentences: outcomes, what is still missing, and what was paid for the answers
        that the run fetched and for replies that cannot be used.
        """
        counts = self._statuses
        order = sorted(counts, key=lambda status: (status not in ANSWERED, -counts[status], status))
        named = ", ".join(f"{count(counts[status])} {status}" for status in order)
        spent = "none was fetched" if self._missing else "nothing was called"
        if paid_usd:
            spent = f"{count(len(paid_usd))} fetched{_costs(paid_usd)}"
        if unusable_usd:
            replies = counted(len(unusable_usd), "reply", "replies")
            spent += f"; {replies} paid for but unusable{_costs(unusable_usd)}"
        lines = [f"{counted(counts.total(), 'answer')}: {named}; {spent}"]
        if self._incomplete:
            answers = counted(self._incomplete, "answer is", "answers are")
            lines.append(f"{answers} still missing: `dvc repro -f` calls only for these")
        return lines


def _costs(costs_usd: Collection[float | None]) -> str:
    known_usd = [usd for usd in costs_usd if usd is not None]
    text = f" for {money(sum(known_usd))}" if known_usd else ""
    unpriced = len(costs_usd) - len(known_usd)
    return f"{text} ({count(unpriced)} at an unknown price)" if unpriced else text


def manifest(
    plan: RunPlan,
    *,
    recorded: dict[str, RecordedCounts],
    answers: dict[str, str],
    responses_sha256: str,
    git_sha: str | None,
) -> Run:
    """The manifest of a run. Equal inputs give an equal run id, whatever the tool's version."""
    prompt, models, settings = plan.prompt, (*plan.models, *plan.recorded), plan.params.generate
    model_hashes = {model.config.id: model.config.sha256 for model in models}
    brief_hashes = {brief.id: brief.sha256 for brief in plan.briefs}
    endpoints = {model.config.id: address(model.endpoint) for model in models}
    answers_hashes = {name: counts.answers_sha256 for name, counts in recorded.items()}
    inputs: list[object] = [
        [prompt.path, prompt.sha256],
        model_hashes,
        brief_hashes,
        endpoints,
        settings.model_dump(mode="json"),
    ]
    if answers_hashes:
        inputs.append(answers_hashes)
    inputs_sha256 = sha256_of(inputs)
    return Run(
        **settings.model_dump(),
        run_id=f"{PurePosixPath(prompt.path).stem}-{inputs_sha256[:12]}",
        git_sha=git_sha,
        tool_version=TOOL_VERSION,
        prompt=PromptRef(path=prompt.path, sha256=prompt.sha256),
        models=model_hashes,
        briefs=brief_hashes,
        simulated_models=tuple(model.config.id for model in models if model.endpoint.simulated),
        endpoints=endpoints,
        recorded=recorded,
        responses_sha256=responses_sha256,
        answers=answers,
    )


def write_run(file: Path, run: Run) -> None:
    """Write the manifest; one from which it differs by the commit alone stays."""
    content = file.read_bytes() if file.is_file() else None
    before = run_if_readable(content)
    if before is not None and before.git_sha and before.inputs == run.inputs:
        return
    write_record(file, run)
