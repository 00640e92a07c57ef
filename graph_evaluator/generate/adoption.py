"""Adapter: adopts into the ledger the answers that somebody else has paid for: from the working
tree, and from runs that git records in any branch, experiment or earlier commit and DVC stores.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graph_evaluator.generate.ledger.rows import LedgerRow, row_of
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.plan.cells import PlannedCell, cells_with_answers, next_calls
from graph_evaluator.generate.recorded import FINGERPRINT_START
from graph_evaluator.records.errors import GraphEvaluatorError, InputError
from graph_evaluator.records.run_results import Run
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import folder_sha256
from graph_evaluator.shell.repository import (
    LOCK,
    NotFetched,
    StoredContent,
    branch_and_experiment_tips,
    changing_commits,
    commit_being_merged,
    commits_of,
    file_versions,
    out_hashes,
)
from graph_evaluator.shell.results import read_response, run_if_readable

MAX_EARLIER_COMMITS = 200
UNKNOWN_REQUEST = "{}"
"""The stored request of an adopted answer that belongs to no cell of the run."""
_FILES_AT_ONCE = 500
_FINGERPRINT = re.compile(rb'"fingerprint"\s*:\s*"([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True)
class Adoption:
    """The calls that cells need after adoption; the fingerprints of those whose answers a record
    names, and why records that may have an answer that costs money cannot be read.
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


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """The hash of the folder of responses that one version of `dvc.lock` names, and the manifest
    next to it; None for either that it lacks.
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
            call.prompt.sha256 == run.prompt.sha256 and call.identity["round"] == run.round
            for call in calls
        )


def incomplete_cells(cells: Sequence[PlannedCell], ledger: Ledger) -> list[PlannedCell]:
    """The cells that need a call, with the answers that they have; those whose draws are all in the
    ledger are not read.
    """
    present = ledger.present([key for planned in cells for key in planned.fingerprints])
    to_read = [planned for planned in cells if not present.issuperset(planned.fingerprints)]
    return [planned for planned in cells_with_answers(to_read, ledger.read) if planned.next_call]


def missing_calls(cells: Sequence[PlannedCell], ledger: Ledger) -> list[Call]:
    """The call that each cell needs next."""
    return next_calls(incomplete_cells(cells, ledger))


def adopt_answers(
    cells: Sequence[PlannedCell], ledger: Ledger, records: Iterable[EarlierRun]
) -> Adoption:
    """Add to the ledger the answers in `results/responses` and, while cells of real models lack
    one, those that the records name.
    """
    calls = {call.fingerprint: call for planned in reversed(cells) for call in planned.calls}
    files = sorted(paths.RESPONSES.glob("*/*/response*.json"))
    adopt((file.read_bytes() for file in files if file.is_file()), calls, ledger)
    adoption = Adoption(missing_calls(cells, ledger))
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
            adoption = Adoption(missing_calls(cells, ledger))
    paid = adoption.paid_calls
    sources = [[record.source for record in naming if record.may_hold(paid)] for naming in unread]
    unread_sources = [names[0] for names in sources if names]
    where = "neither in DVC's cache nor in a remote that can be reached"
    keys = [call.fingerprint for call in adoption.real_calls]
    runs = [record.run for record in known if record.run is not None]
    return Adoption(
        adoption.missing,
        named=frozenset(key for run in runs for key in run.names_answers(keys)),
        unread=tuple(f"the responses that {name} names are {where}" for name in unread_sources),
    )


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


def adopt(contents: Iterable[bytes], calls: Mapping[str, Call], ledger: Ledger) -> bool:
    """Add the answers of response files that the ledger lacks; returns whether there were any.

    A file that contains no response is left out.
    """
    adopted_some = False
    remaining = iter(contents)
    while chunk := list(islice(remaining, _FILES_AT_ONCE)):
        named = [set(map(bytes.decode, _FINGERPRINT.findall(content))) for content in chunk]
        present = ledger.present(sorted(set().union(*named)))
        rows: list[LedgerRow] = []
        for content, fingerprints in zip(chunk, named, strict=True):
            if not fingerprints <= present:
                rows += rows_of_response(content, calls)
        ledger.add(rows)
        adopted_some = adopted_some or bool(rows)
    return adopted_some


def rows_of_response(content: bytes, calls: Mapping[str, Call]) -> list[LedgerRow]:
    """The row of each answer in a response file, under its recorded fingerprint; none where the
    file contains no response, or recorded answers.

    It has the canonical request of the call in `calls` with that fingerprint. Responses of another
    prompt or setting are adopted too, so that going back to it calls nothing.
    """
    try:
        response = read_response(content, file="")
    except InputError:
        return []
    rows: list[LedgerRow] = []
    for answer in response.answers:
        key = answer.fingerprint or FINGERPRINT_START
        call = calls.get(key)
        model = call.model if call else response.request.get("model")
        is_paid = bool(answer.measured.created_at) and not key.startswith(FINGERPRINT_START)
        if is_paid and isinstance(model, str):
            rows.append(row_of(answer, model, call.canonical if call else UNKNOWN_REQUEST))
    return rows


def lock_text() -> str:
    """The text of `dvc.lock`; empty if there is none."""
    return LOCK.read_text(encoding="utf-8", errors="replace") if LOCK.is_file() else ""


def _earlier_run(source: str, lock: bytes, run: bytes | None) -> EarlierRun:
    """What the contents of `dvc.lock` and of a manifest record."""
    folder_md5 = out_hashes(lock).get(paths.RESPONSES.as_posix())
    return EarlierRun(source=source, folder_md5=folder_md5, run=run_if_readable(run))


def all_records() -> Iterator[EarlierRun]:
    """What the working tree and commits record; a deleted manifest is that of the last commit."""
    manifest = file_versions(["HEAD"], paths.RUN)["HEAD"]
    if paths.RUN.is_file():
        manifest = paths.RUN.read_bytes()
    yield _earlier_run(LOCK.as_posix(), lock_text().encode(), manifest)
    yield from committed_records()


def committed_records() -> Iterator[EarlierRun]:
    """What commits record: the current ones, their parents, the tips of local branches and
    experiments, and the last commits that changed `dvc.lock`, the newest first.

    They are those of the repository that owns the ledger: DVC may run in a copy without them.
    """
    folder = paths.repository()
    newest = ("--all", "--full-history", f"--max-count={MAX_EARLIER_COMMITS}")
    try:
        earlier = changing_commits([LOCK], *newest, folder=folder)
    except GraphEvaluatorError:  # there is no repository, or no git
        return
    names = ("HEAD", "@{upstream}", commit_being_merged(folder) or "HEAD", "HEAD^1", "HEAD^2")
    commits = [*commits_of(names, folder), *branch_and_experiment_tips(folder), *earlier]
    locks = file_versions(commits, LOCK, folder=folder)
    manifests = file_versions(commits, paths.RUN, folder=folder)
    for commit, lock in locks.items():
        yield _earlier_run(f"{LOCK} of {commit[:10]}", lock or b"", manifests[commit])
