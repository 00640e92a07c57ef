"""What a run writes: the response of each cell (its answer and what that cost, or why there is
none), those of answers that arrive at once; the manifest; and the closing sentences.
"""

import hashlib
import os
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath, PurePosixPath
from typing import Self

from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.plan.call import address
from graph_evaluator.generate.plan.cells import (
    PlannedCell,
    ReadAnswers,
    RunPlan,
    cells_with_answers,
)
from graph_evaluator.records.json_text import JsonObject, pretty, sha256_of
from graph_evaluator.records.record import hashed_values
from graph_evaluator.records.response import (
    ANSWERED,
    NAMED_DIGITS,
    TOOL_VERSION,
    Cell,
    CellCost,
    PromptRef,
    RecordedCounts,
    Response,
    Run,
    Status,
)
from graph_evaluator.shell.numbers import count, counted, money
from graph_evaluator.shell.paths import files_sha256, remove_others, response_file, write_atomic
from graph_evaluator.shell.results import run_if_readable
from graph_evaluator.shell.text import visible

NOT_CALLED = Fault(
    status="connection_failed", code="not_called", message="the call was not made", attempts=0
)


def responses_of(
    cells: Sequence[PlannedCell], read: ReadAnswers, failures: Mapping[str, Fault]
) -> Iterator[Response]:
    """The response of every cell, in order; `failures` are those of this run, by fingerprint."""
    for planned in cells_with_answers(cells, read):
        yield response_of(planned, failures)


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


class ResponseFolder:
    """The next content of a folder of responses: prepared in a file without a name, which no kill
    leaves behind, and put in place by `publish`.

    Used as a context. Until it is published the folder is unchanged; a kill in between leaves some
    files of both runs, which the manifest does not name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hashes: dict[PurePath, str] = {}
        self._places: dict[PurePath, tuple[int, int]] = {}
        self._prepared = tempfile.TemporaryFile()  # noqa: SIM115 - closed on exit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._prepared.close()

    def write(self, response: Response) -> None:
        """Prepare the file of a response; one that is in the folder already is not written."""
        file = response_file(response.cell)
        content = pretty(response.to_json())
        self._hashes[file] = hashlib.sha256(content).hexdigest()
        present = self._folder / file
        if present.is_file() and present.read_bytes() == content:
            return
        start = self._prepared.seek(0, os.SEEK_END)
        try:
            self._prepared.write(content)
            self._prepared.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, tempfile.gettempdir()) from None
        self._places[file] = (start, len(content))

    @property
    def sha256(self) -> str:
        """The hash of all files."""
        return files_sha256(self._hashes)

    def publish(self) -> None:
        """Put what was prepared into the folder, and remove every other file."""
        remove_others(self._folder, {self._folder / file for file in self._hashes})
        for file, (start, length) in self._places.items():
            self._prepared.seek(start)
            # A file that is there may be a link to DVC's cache: it is replaced, not changed.
            write_atomic(self._folder / file, self._prepared.read(length))


class ResponseWriter:
    """Prepares the responses of a run in a folder, and counts them, so that not all need be in
    memory.

    `statuses` counts cells, `incomplete` those that need one more call, `messages` why cells have
    no answer, by model. `paid_usd` is the cost of each answer that the run fetched, by fingerprint,
    `unusable_usd` that of each reply that cannot be used.
    `named` has the first digits of the fingerprints of answers that a model gave, by its id.
    """

    def __init__(self, folder: ResponseFolder) -> None:
        self._folder = folder
        self._written: set[Cell] = set()
        self.statuses = Counter[Status]()
        self.incomplete = 0
        self.messages: dict[str, Counter[str]] = {}
        self.paid_usd: Mapping[str, float | None] = {}
        self.unusable_usd: Sequence[float | None] = ()
        self.named: dict[str, set[str]] = {}

    def write_complete(self, planned: PlannedCell) -> None:
        """Write the response of a complete cell, while calls are in flight.

        What cannot be written is tried again, and reported, once all calls have ended.
        """
        with suppress(OSError):
            self._write(planned, {})

    def write_others(
        self, cells: Sequence[PlannedCell], read: ReadAnswers, failures: Mapping[str, Fault]
    ) -> None:
        """Write the responses of those cells that have none yet; `failures` says why calls of this
        run failed.
        """
        others = [cell for cell in cells if cell.cell not in self._written]
        for planned in cells_with_answers(others, read):
            self._write(planned, failures)

    def _write(self, planned: PlannedCell, failures: Mapping[str, Fault]) -> None:
        response = response_of(planned, failures)
        self._folder.write(response)
        self._written.add(response.cell)
        self.count(response, is_complete=planned.next_call is None)

    def count(self, response: Response, *, is_complete: bool = True) -> None:
        """Count a response; that of a cell that needs one more call is not complete."""
        answer, model_id = response.answer, response.cell.model_id
        self.statuses[answer.status] += 1
        self.incomplete += not is_complete
        if not answer.answered:
            self.messages.setdefault(model_id, Counter())[answer.error_message or ""] += 1
        elif not response.cost.simulated:
            keys = [answer.fingerprint or "" for answer in response.answers]
            self.named.setdefault(model_id, set()).update(key[:NAMED_DIGITS] for key in keys)

    @property
    def answers(self) -> dict[str, str]:
        """The answers that the manifest names."""
        return {model: " ".join(sorted(names)) for model, names in sorted(self.named.items())}

    @property
    def answered(self) -> int:
        """Cells that have an answer."""
        return sum(self.statuses[status] for status in ANSWERED)

    @property
    def missing(self) -> int:
        """Cells without an answer."""
        return self.statuses.total() - self.answered

    def lines(self) -> list[str]:
        """The closing sentences: outcomes, what was paid, what is still missing."""
        counts = self.statuses
        order = sorted(counts, key=lambda status: (status not in ANSWERED, -counts[status], status))
        named = ", ".join(f"{count(counts[status])} {status}" for status in order)
        lines = [f"{counted(counts.total(), 'answer')}: {named}; {self._spent()}"]
        if self.incomplete:
            answers = counted(self.incomplete, "answer is", "answers are")
            lines.append(f"{answers} still missing: `dvc repro -f` calls only for these")
        return lines

    def _spent(self) -> str:
        text = "none was fetched" if self.missing else "nothing was called"
        if self.paid_usd:
            text = f"{count(len(self.paid_usd))} fetched{_costs(self.paid_usd.values())}"
        if self.unusable_usd:
            replies = counted(len(self.unusable_usd), "reply", "replies")
            text += f"; {replies} paid for but unusable{_costs(self.unusable_usd)}"
        return text

    def commonest_messages(self) -> list[str]:
        """For each model, the message that most of its cells without an answer have."""
        return [
            f"{model_id}: {visible(message)} ({counted(cells, 'answer')})"
            for model_id, messages in sorted(self.messages.items())
            for message, cells in messages.most_common(1)
        ]


def _costs(costs_usd: Collection[float | None]) -> str:
    known_usd = [usd for usd in costs_usd if usd is not None]
    text = f" for {money(sum(known_usd))}" if known_usd else ""
    unpriced = len(costs_usd) - len(known_usd)
    return f"{text} ({count(unpriced)} at an unknown price)" if unpriced else text


def manifest(
    plan: RunPlan,
    *,
    recorded: Mapping[str, RecordedCounts] | None = None,
    answers: Mapping[str, str] | None = None,
    responses_sha256: str | None = None,
    git_sha: str | None = None,
) -> Run:
    """The manifest of a run. Equal inputs give an equal run id, whatever the tool's version."""
    prompt, models, settings = plan.prompt, (*plan.models, *plan.recorded), plan.params.generate
    model_hashes = {model.config.id: model.config.sha256 for model in models}
    brief_hashes = {brief.id: brief.sha256 for brief in plan.briefs}
    endpoints = {model.config.id: address(model.endpoint) for model in models}
    answers_hashes = {name: counts.answers_sha256 for name, counts in (recorded or {}).items()}
    inputs: list[object] = [
        [prompt.path, prompt.sha256],
        model_hashes,
        brief_hashes,
        endpoints,
        hashed_values(settings),
    ]
    if answers_hashes:
        inputs.append(answers_hashes)
    inputs_sha256 = sha256_of(inputs)
    return Run(
        run_id=f"{PurePosixPath(prompt.path).stem}-{inputs_sha256[:12]}",
        git_sha=git_sha,
        tool_version=TOOL_VERSION,
        prompt=PromptRef(path=prompt.path, sha256=prompt.sha256),
        models=model_hashes,
        briefs=brief_hashes,
        samples=settings.samples,
        round=settings.round,
        unparsed_draws=settings.unparsed_draws,
        simulated_models=tuple(model.config.id for model in models if model.endpoint.simulated),
        endpoints=endpoints,
        recorded=dict(recorded or {}),
        responses_sha256=responses_sha256,
        answers=dict(answers or {}),
    )


def write_run(file: Path, run: Run) -> None:
    """Write the manifest; one from which it differs by the commit alone stays."""
    content = file.read_bytes() if file.is_file() else None
    before = run_if_readable(content)
    if before is not None and before.git_sha and before.inputs == run.inputs:
        return
    write_atomic(file, pretty(run.to_json()))
