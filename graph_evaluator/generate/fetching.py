"""Adapter: gets the answers that cells lack, for every command that calls models: what somebody has
paid for is adopted, the rest is forecast, called directly or in batches, and kept in the ledger.
"""

import asyncio
import random
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial

from graph_evaluator.generate.adoption import (
    adopt_answers,
    all_records,
    incomplete_cells,
    lock_text,
    missing_calls,
)
from graph_evaluator.generate.calls.booking import RUN, Budget, Intake, Progress
from graph_evaluator.generate.calls.outcome import Caller, Fault
from graph_evaluator.generate.forecast import forecast, forecast_line, notes_on_run
from graph_evaluator.generate.ledger.locks import Claims
from graph_evaluator.generate.ledger.store import DamagedLedger, Ledger
from graph_evaluator.generate.plan.call import Call, Endpoint, Variables
from graph_evaluator.generate.plan.cells import PlannedCell, RunPlan, next_calls
from graph_evaluator.generate.plan.loading import missing_keys
from graph_evaluator.records.errors import (
    GraphEvaluatorError,
    LedgerError,
    Problem,
    input_error,
    refuse,
)
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import say, show, stoppable
from graph_evaluator.shell.numbers import counted, first_of, money
from graph_evaluator.shell.process import files_left, watch_parent
from graph_evaluator.shell.repository import LOCK, is_shallow

CLAIMS = "claims.lock"
PAY_AGAIN = "GRAPH_EVALUATOR_PAY_AGAIN"
MAX_NAMED_CELLS = 10
LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""
SPARE_FILES = 24
"""Files that a run needs besides one for each call in flight: the ledger's, logs, name servers."""
KEPT = "stopped; all answers that arrived are kept, and the next run calls only for missing ones"


def open_ledger(plan: RunPlan, *, read_only: bool = False) -> Ledger:
    """The ledger that a run works with.

    Raises:
        LedgerError: it cannot be used; of a damaged one the message says what the run would lack
            without it.
    """
    folder = paths.ledger_folder()
    try:
        return Ledger(folder, read_only=read_only)
    except DamagedLedger as damage:
        with Ledger(folder / "none", read_only=True) as empty:
            adoption = adopt_answers(plan.cells, empty, all_records())
        message = "those have every answer of this run"
        if adoption.missing:
            answers = counted(len(adoption.missing), "answer")
            message = f"those lack {answers} of this run: {_first_files(adoption.missing)}"
        raise LedgerError(f"{damage}; {message}") from None


@contextmanager
def open_fetcher(
    plan: RunPlan,
    variables: Variables,
    budget: Budget | None = None,
    *,
    read_only: bool = False,
) -> Iterator["Fetcher"]:
    """What gets the missing answers of a run, with an open ledger; within the caps of `runtime`
    unless there is another budget.

    Raises:
        LedgerError: as `open_ledger`.
    """
    runtime = plan.params.runtime
    caps = budget or Budget(runtime.max_cost_usd, month_cap_usd=runtime.max_cost_usd_month)
    with open_ledger(plan, read_only=read_only) as ledger:
        yield Fetcher(plan=plan, ledger=ledger, variables=variables, budget=caps)


def _first_files(calls: Iterable[Call]) -> str:
    """The files of the responses of the first calls' cells, below `results/responses`."""
    return first_of([paths.response_file(call.cell).as_posix() for call in calls], MAX_NAMED_CELLS)


@dataclass(kw_only=True)
class Fetcher:
    """Gets the missing answers of a run, within a budget.

    `intake` has what all fetched answers cost, `unusable` why calls that `missing` found are not
    made, by fingerprint.
    """

    plan: RunPlan
    ledger: Ledger
    variables: Variables
    budget: Budget

    def __post_init__(self) -> None:
        keep = partial(self.ledger.put, purpose=self.budget.purpose)
        self.unusable: dict[str, Fault] = {}
        self.intake = Intake(budget=self.budget, keep=keep, cells={})
        self.forecast = partial(forecast, self.ledger.output_tokens)

    def missing(self) -> list[Call]:
        """The calls to make, after adopting answers from `results/responses`, git and DVC into the
        ledger. Prints notes; with a read-only ledger one says why a run would stop.

        Raises:
            InputError: `dvc.lock` is in conflict.
            GraphEvaluatorError: an answer that was paid for would, or might, be called again. Not
                with `GRAPH_EVALUATOR_PAY_AGAIN=1`.
        """
        calls, loss = self._look(is_strict=not self.ledger.read_only)
        notes = list(_notes_on_history(calls))
        if loss is not None:
            notes = [f"a run would stop: {loss}"]
        if self.unusable:
            unusable = counted(len(self.unusable), "call is", "calls are")
            notes.append(f"{unusable} not made: {next(iter(self.unusable.values())).message}")
        for note in notes:
            (show if self.ledger.read_only else say)(f"note: {note}")
        return calls

    def check(self) -> None:
        """Raise what would stop a run before its first call; nothing is printed.

        Raises:
            InputError: `dvc.lock` is in conflict, or a key is missing.
            GraphEvaluatorError: an answer that was paid for would be called again.
        """
        calls, _ = self._look(is_strict=True)
        refuse(missing_keys(calls, self.variables))

    def _look(self, *, is_strict: bool) -> tuple[list[Call], str | None]:
        """The calls to make after adoption, and why none may be made, which is raised if
        `is_strict`: a call would pay again for an answer that was paid for, or may do so.
        """
        if is_strict and "\n<<<<<<< " in f"\n{lock_text()}":
            message = "is in conflict: `graph-evaluator merge` writes it again"
            raise input_error(LOCK, "", message)
        adoption = adopt_answers(self.plan.cells, self.ledger, all_records())
        calls = self._usable(adoption.missing)
        paid = adoption.paid_calls
        lost = [call for call in paid if call.fingerprint in adoption.named]
        reasons = list(adoption.unread[:1])
        if lost:
            answers = counted(
                len(lost), "answer that was paid for is", "answers that were paid for are"
            )
            place = f"neither in the ledger {self.ledger.file} nor in results"
            reasons.insert(0, f"{answers} {place}: {_first_files(lost)}")
        if not reasons or self._pays_again:
            return calls, None
        loss = (
            f"{'; '.join(reasons)}. {counted(len(paid), 'call')} would cost money; nothing was "
            "called. Run `dvc pull` (after `dvc push` on the machine that made them), put a backup "
            f"of the ledger in its place, or set {PAY_AGAIN}=1 in the environment to pay again"
        )
        if is_strict:
            raise GraphEvaluatorError(loss)
        return calls, loss

    @property
    def _pays_again(self) -> bool:
        return self.variables.get(PAY_AGAIN) == "1"

    def _usable(self, calls: Sequence[Call]) -> list[Call]:
        """The calls without those that are not made again, as their last reply was probably paid
        for and cannot be used: these become `unusable`.
        """
        asked = [] if self._pays_again else [call for call in calls if call.costs_money]
        hint = f"it was probably paid for: {PAY_AGAIN}=1 in the environment calls again"
        self.unusable = {
            key: Fault(
                status=reply.status,
                code=reply.failure_code or "",
                message=f"{reply.error_message}; {hint}",
                scope="cell",
                attempts=reply.measured.attempts,
            )
            for key, reply in self.ledger.unusable(asked).items()
        }
        return [call for call in calls if call.fingerprint not in self.unusable]

    def announce(self, missing: Sequence[Call]) -> None:
        """Print the forecast of calls and the notes on the run, once they have what they need: keys
        and, under `--max-usd`, prices.

        Raises:
            InputError: lists what they lack.
        """
        problems = missing_keys(missing, self.variables)
        if self.budget.purpose != RUN:
            message = "is missing: without a known price --max-usd cannot be kept"
            unpriced = {call.cell.model_id for call in missing if call.cost_upper_usd is None}
            problems += [
                Problem(f"models/{model}.json", "pricing", message) for model in sorted(unpriced)
            ]
        refuse(problems)
        if missing:
            say("\n".join(self.announcement(missing)))

    def announcement(self, missing: Sequence[Call]) -> list[str]:
        """The forecast of calls, and the notes on the run, one sentence each."""
        line = forecast_line(self.forecast(missing), len(self.plan.cells), len(self.unusable))
        notes = notes_on_run(self.plan, missing, self.ledger)
        self.budget.count(self.ledger)
        return [line, *(f"note: {note}" for note in notes), *self.budget.left()]

    def fetch(self, cells: Sequence[PlannedCell] | None = None) -> Mapping[str, Fault]:
        """Call what some cells lack, or all. Returns why calls have no answer, by fingerprint.

        Raises:
            LedgerError: answers cannot be kept.
            Interrupted: SIGINT or SIGTERM ended the work.
        """
        cells = self.plan.cells if cells is None else cells
        calls = self._usable(missing_calls(cells, self.ledger))
        if not calls:
            return self.unusable
        if any(not call.endpoint.simulated for call in calls):
            self.ledger.reserve_room()
        self.intake.failures = dict(self.unusable)
        self.intake.observe = Progress(len(calls), say).observe
        over = threading.Event()
        if "DVC_ROOT" in self.variables:
            watch_parent(over)
        endpoints = {call.endpoint for call in calls}
        try:
            with self.budget.shared(self.ledger):
                work = self._fetch(cells, endpoints)
                asyncio.run(stoppable(work, self._store_waiting, self._lost))
        finally:
            over.set()
        for line in self.budget.left():
            say(line)
        return dict(sorted(self.intake.failures.items()))

    def paid(self, unit: str) -> str:
        """What was paid for the purpose of the budget in all runs: how many answers or calls, by
        the word for one, and for how much.
        """
        number, usd = self.ledger.paid_for(self.budget.purpose)
        return f"{counted(number, unit)}, {money(usd)}"

    async def _store_waiting(self) -> str:
        """Store what has arrived; the outcome of a run that was stopped."""
        try:
            await self.ledger.write_waiting()
        except LedgerError as error:
            return f"{error}; {self._lost()}"
        return KEPT

    def _lost(self) -> str:
        """The outcome of a run that ends now."""
        waiting = {key.partition("#")[0] for key in self.ledger.waiting}
        if not waiting:
            return KEPT
        calls = [call for planned in self.plan.cells for call in planned.calls]
        lost = _first_files(call for call in calls if call.fingerprint in waiting)
        answers = counted(len(waiting), "answer is", "answers are")
        return f"stopped; {answers} lost after arriving: {lost}"

    async def _fetch(self, cells: Sequence[PlannedCell], endpoints: Collection[Endpoint]) -> None:
        """Fetch every answer that the cells still need; those that another run has claimed are
        waited for.
        """
        from graph_evaluator.generate.calls.callers import open_callers  # loads the SDK

        async with open_callers(endpoints, self.variables) as callers:
            with closing(Claims(self.ledger.file.with_name(CLAIMS), self.ledger.present)) as claims:
                is_waiting = False
                while left := self._cells_to_call(cells):
                    self.intake.cells = _claimed(left, claims)
                    if self.intake.cells:
                        await self._call(callers)
                        for planned in self.intake.cells.values():  # those that have no answer
                            claims.give_back(planned.fingerprints)
                        continue
                    if not is_waiting:
                        say(f"waiting for {len(left):,} answers from another run")
                    is_waiting = True
                    await asyncio.sleep(LOOK_AGAIN_S)

    def _cells_to_call(self, cells: Sequence[PlannedCell]) -> dict[str, PlannedCell]:
        """The cells that need a call which has not failed, by its fingerprint."""
        left: dict[str, PlannedCell] = {}
        for planned in incomplete_cells(cells, self.ledger):
            call = planned.next_call
            if call is not None and call.fingerprint not in self.intake.failures:
                left.setdefault(call.fingerprint, planned)
        lost = left.keys() & self.intake.paid_usd.keys()
        if lost:
            answers = counted(len(lost), "answer that was paid for", "answers that were paid for")
            message = f"has lost {answers} in this run; calls have stopped"
            raise LedgerError(f"the ledger {self.ledger.file} {message}")
        return left

    async def _call(self, callers: Mapping[Endpoint, Caller]) -> None:
        """Make the calls that the cells need, directly or in batches."""
        from graph_evaluator.generate.batch.collect import BatchRun, in_batches
        from graph_evaluator.generate.calls.runner import CallRunner

        calls = next_calls(self.intake.cells.values())
        settings, folder = self.plan.params.runtime, self.ledger.file.parent
        batched = in_batches(calls, settings, folder)
        runner = CallRunner(
            callers=callers,
            intake=self.intake,
            settings=settings,
            jitter=random.random,
            max_in_flight=_most_in_flight(settings.max_concurrency, len(callers)),
        )
        await runner.run([call for call in calls if call.fingerprint not in batched])
        if batched:
            batches = BatchRun(
                folder=folder,
                settings=settings,
                variables=self.variables,
                intake=self.intake,
                say=say,
                calls=batched,
            )
            await batches.run()


def _most_in_flight(wanted: int, endpoints: int) -> int:
    """How many calls may be in flight, as each has a file of its own, and a connection that waits
    for its next call stays open.

    Raises:
        GraphEvaluatorError: the system allows too few files for one.
    """
    left, limit = files_left()
    allowed = (left - SPARE_FILES) // endpoints
    if allowed < 1:
        message = f"the system allows {limit} open files (ulimit -n), which is too few: allow 256"
        raise GraphEvaluatorError(message)
    if allowed < wanted:
        say(
            f"note: {allowed} concurrent calls, as the system allows {limit} open files (ulimit -n)"
        )
    return min(allowed, wanted)


def _claimed(left: Mapping[str, PlannedCell], claims: Claims) -> dict[str, PlannedCell]:
    """The cells that are ours to fetch, with all their further draws."""
    ours = claims.take(list(left))
    claimed = {key: planned for key, planned in left.items() if key in ours}
    further = {key for planned in claimed.values() for key in planned.fingerprints} - ours
    claims.take(sorted(further))
    return claimed


def _notes_on_history(calls: Sequence[Call]) -> Iterator[str]:
    """Notes on the git history, before calls that cost money."""
    with suppress(GraphEvaluatorError):  # there is no git
        if any(call.costs_money for call in calls) and is_shallow(paths.repository()):
            yield (
                "this clone is shallow, so answers of earlier commits are not found: "
                "`git fetch --unshallow` fetches them"
            )
