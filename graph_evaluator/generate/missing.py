"""Adapter: the answers that a run lacks. Those that somebody has paid for are adopted into the
ledger: from the working tree, and from runs that git records in any branch, experiment or earlier
commit and DVC stores.
"""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from graph_evaluator.generate.ledger.adoption import LedgerToRead, adopt
from graph_evaluator.generate.ledger.rows import FILE
from graph_evaluator.generate.ledger.store import PAY_AGAIN, REMEDY, Ledger
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import RunPlan, by_fingerprint, next_calls
from graph_evaluator.records.errors import GraphEvaluatorError, input_error
from graph_evaluator.records.response import Run
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import say, show
from graph_evaluator.shell.dvc import LOCK, NotFetched, StoredContent, responses_hash
from graph_evaluator.shell.files import folder_sha256
from graph_evaluator.shell.git import (
    branch_and_experiment_tips,
    changing_commits,
    commit_being_merged,
    commits_of,
    committed_text,
    file_versions,
    is_shallow,
    merged_parents,
)
from graph_evaluator.shell.numbers import counted, first_of
from graph_evaluator.shell.results import run_if_readable

MAX_EARLIER_COMMITS = 200
MAX_NAMED_CELLS = 10


def missing_answers(plan: RunPlan, ledger: Ledger, variables: Mapping[str, str]) -> list[Call]:
    """The calls that a run must make, once the answers in `results/responses` and those that git
    records and DVC stores are in the ledger.

    Raises:
        InputError: `dvc.lock` is in conflict.
        GraphEvaluatorError: not with `GRAPH_EVALUATOR_PAY_AGAIN=1`; an answer that was paid for
            would be called again, or there may be one, or the ledger is damaged and can keep none.
    """
    if "\n<<<<<<< " in f"\n{_lock_text()}":
        message = "is in conflict: `graph-evaluator merge` writes it again"
        raise input_error(LOCK.as_posix(), "", message)
    adoption = adopt_answers(plan, ledger, all_records())
    loss = find_loss(adoption, ledger)
    if loss is not None and variables.get(PAY_AGAIN) != "1":
        raise GraphEvaluatorError(loss)
    for note in _notes(adoption, ledger):
        say(f"note: {note}")
    return adoption.missing


@contextmanager
def ledger_to_read(plan: RunPlan) -> Iterator[tuple[Ledger, list[Call]]]:
    """The ledger, with the answers that a run would adopt, and the calls that it would make; writes
    nothing, not even a new ledger.
    """
    with open_to_read() as ledger:
        adoption = adopt_answers(plan, ledger, all_records())
        loss = find_loss(adoption, ledger)
        notes = [f"a run would stop: {loss}"] if loss else _notes(adoption, ledger)
        for note in notes:
            show(f"note: {note}")
        yield ledger, adoption.missing


@contextmanager
def open_to_read() -> Iterator[LedgerToRead]:
    """The ledger, an empty one where there is none; what is adopted is kept in memory alone."""
    folder = paths.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        is_there = (folder / FILE).exists()
        with LedgerToRead(folder if is_there else Path(scratch)) as ledger:
            ledger.file = folder / FILE  # the one that messages name
            yield ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """The hash of the folder of responses that one version of `dvc.lock` names, and the manifest
    beside it; None for either that it lacks.
    """

    source: str
    folder_md5: str | None
    run: Run | None

    def may_hold(self, calls: Iterable[Call]) -> bool:
        """Whether the run had the answer to one of the calls, or may have had it: models and briefs
        may have had other names, and older manifests do not name the answers.
        """
        run = self.run
        if run is None:
            return True
        if run.answers or {*run.models} <= {*run.simulated_models, *run.recorded}:
            return bool(run.names_answers([call.fingerprint for call in calls]))
        return any(
            call.instructions_sha256 == run.prompt.sha256 and call.identity["round"] == run.round
            for call in calls
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """The calls that a run must make after adoption; the fingerprints of those whose answers a
    record names, and why records that may have an answer that costs money cannot be read.
    """

    missing: list[Call]
    named: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()

    @property
    def real_calls(self) -> list[Call]:
        """The missing calls, except those to simulated models."""
        return [call for call in self.missing if not call.endpoint.simulated]

    @property
    def paid_calls(self) -> list[Call]:
        """Those that cost money."""
        return [call for call in self.missing if call.costs_money]


def adopt_answers(plan: RunPlan, ledger: Ledger, records: Iterable[EarlierRun]) -> Adoption:
    """Add to the ledger the answers in `results/responses` and, while cells of real models lack
    one, those that the records name.
    """
    calls = by_fingerprint(plan.cells)
    files = sorted(paths.RESPONSES.glob("*/*/response*.json"))
    adopt((file.read_bytes() for file in files if file.is_file()), calls, ledger)
    adoption = Adoption(next_calls(plan.cells, ledger))
    if not adoption.real_calls:
        return adoption
    known = list(records)
    stored = StoredContent(paths.repository())
    unread: list[list[EarlierRun]] = []
    for folder_md5, naming in _folders_elsewhere(known).items():
        if not any(record.may_hold(adoption.real_calls) for record in naming):
            continue
        try:
            folder = stored.folder(folder_md5)
        except NotFetched:
            unread.append(naming)
            continue
        if adopt((file.read_bytes() for file in folder.values()), calls, ledger):
            adoption = Adoption(next_calls(plan.cells, ledger))
    return _explained(adoption, known, unread)


def _folders_elsewhere(records: Sequence[EarlierRun]) -> Mapping[str, list[EarlierRun]]:
    """The records that name each folder of responses but the one in the working tree, by its hash,
    in their order.
    """
    present_sha256 = folder_sha256(paths.RESPONSES)
    naming: defaultdict[str, list[EarlierRun]] = defaultdict(list)
    for record in records:
        is_present = record.run is not None and record.run.responses_sha256 == present_sha256
        if record.folder_md5 is not None and not is_present:
            naming[record.folder_md5].append(record)
    return naming


def _explained(
    adoption: Adoption, records: Sequence[EarlierRun], unread: Sequence[Sequence[EarlierRun]]
) -> Adoption:
    """What is still missing, with what the records say of it, and those of folders that cannot be
    read.
    """
    keys = [call.fingerprint for call in adoption.real_calls]
    runs = [record.run for record in records if record.run is not None]
    paid = adoption.paid_calls
    sources = [[record.source for record in naming if record.may_hold(paid)] for naming in unread]
    where = "neither in DVC's cache nor in a remote that can be reached"
    return Adoption(
        adoption.missing,
        named=frozenset(key for run in runs for key in run.names_answers(keys)),
        unread=tuple(
            f"the responses that {found[0]} names are {where}" for found in sources if found
        ),
    )


def find_loss(adoption: Adoption, ledger: Ledger) -> str | None:
    """Why no call may be made, and how to go on: one would pay again for an answer that is known to
    be paid for, or a damaged ledger could not keep what is called. None where calls may be made.
    """
    paid = adoption.paid_calls
    lost = [paths.response_file(call.cell) for call in paid if call.fingerprint in adoption.named]
    reasons: list[str] = []
    if ledger.damage is not None and adoption.real_calls:
        reasons.append(ledger.damage)
    if lost:
        answers = counted(
            len(lost), "answer that was paid for is", "answers that were paid for are"
        )
        cells = first_of([file.as_posix() for file in lost], MAX_NAMED_CELLS)
        reasons.append(f"{answers} neither in the ledger {ledger.file} nor in results: {cells}")
    reasons += adoption.unread[:1]
    if not reasons:
        return None
    return (
        f"{'; '.join(reasons)}. {counted(len(paid), 'call')} would cost money; nothing was called. "
        f"Run `dvc pull` (and `dvc push` where they were made), {REMEDY}"
    )


def _notes(adoption: Adoption, ledger: Ledger) -> Iterator[str]:
    """What is to be known of the ledger, and before calls that cost money of the history."""
    if ledger.damage is not None:
        yield f"{ledger.damage}; the run goes on with what can be read"
    with suppress(GraphEvaluatorError):  # there is no git
        if adoption.paid_calls and is_shallow(paths.repository()):
            yield (
                "the history of this clone is cut off, and answers that earlier commits name are "
                "not looked for: `git fetch --unshallow` fetches them"
            )


def _lock_text() -> str:
    return LOCK.read_text(encoding="utf-8", errors="replace") if LOCK.is_file() else ""


def all_records() -> Iterator[EarlierRun]:
    """What the working tree and commits record; a deleted manifest is that of the last commit."""
    if paths.RUN.is_file():
        manifest = paths.RUN.read_bytes()
    else:
        manifest = (committed_text(paths.RUN) or "").encode()
    yield EarlierRun(
        source=LOCK.as_posix(),
        folder_md5=responses_hash(_lock_text().encode()),
        run=run_if_readable(manifest),
    )
    yield from committed_records()


def committed_records() -> Iterator[EarlierRun]:
    """What commits record: the current ones, the tips of local branches and experiments, and the
    last commits that changed `dvc.lock`, the newest first.

    They are those of the repository that owns the ledger: DVC may run in a copy without them.
    """
    folder = paths.repository()
    newest = ("--all", "--full-history", f"--max-count={MAX_EARLIER_COMMITS}")
    try:
        earlier = changing_commits([LOCK], *newest, folder=folder)
    except GraphEvaluatorError:  # there is no repository, or no git
        return
    names = ("HEAD", "@{upstream}", commit_being_merged(folder) or "HEAD")
    commits = [*commits_of(names, folder), *merged_parents(folder)]
    commits += [*branch_and_experiment_tips(folder), *earlier]
    locks = file_versions(commits, LOCK, folder=folder)
    manifests = file_versions(commits, paths.RUN, folder=folder)
    for commit, lock in locks.items():
        yield EarlierRun(
            source=f"{LOCK} of {commit[:10]}",
            folder_md5=responses_hash(lock or b""),
            run=run_if_readable(manifests[commit]),
        )
