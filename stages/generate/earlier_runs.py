"""Adapter: the answers of runs that git records, in any branch, experiment or earlier commit; DVC
stores them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stages.generate.ledger.adoption import adopt
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.work import needed
from stages.shared.records.errors import GraphEvaluatorError, InputError, Problem
from stages.shared.records.response import Run
from stages.shared.shell import paths
from stages.shared.shell.dvc import LOCK, NotFetched, StoredContent, responses_hash
from stages.shared.shell.files import folder_sha256
from stages.shared.shell.git import (
    branch_and_experiment_tips,
    changing_commits,
    commit_being_merged,
    commits_of,
    file_versions,
    merged_parents,
)
from stages.shared.shell.results import run_if_readable

MAX_EARLIER_COMMITS = 200
_CONFLICT = re.compile(r"^<<<<<<< ", re.MULTILINE)
"""The line that git writes where two versions of a file differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """The hash of the folder of responses that one version of `dvc.lock` names, and the manifest
    beside it; None for either that it lacks.
    """

    source: str
    folder_md5: str | None
    run: Run | None

    @property
    def unreadable(self) -> str:
        """That its answers cannot be read, in a sentence."""
        where = "neither in DVC's cache nor in a remote that can be reached"
        return f"the responses that {self.source} names are {where}"

    @property
    def tells_answers(self) -> bool:
        """Whether the manifest names the answers of the run; older ones do not."""
        run = self.run
        return run is not None and (
            bool(run.answers) or {*run.models} <= {*run.simulated_models, *run.recorded}
        )

    def may_hold(self, calls: Iterable[Call]) -> bool:
        """Whether the run had the answer to one of the calls, or may have had it: models and briefs
        may have had other names.
        """
        run = self.run
        if run is None:
            return True
        if self.tells_answers:
            return bool(run.names_answers([call.fingerprint for call in calls]))
        return any(
            call.instructions_sha256 == run.prompt.sha256 and call.identity["round"] == run.round
            for call in calls
        )


@dataclass(frozen=True, slots=True)
class Adoption:
    """The calls that a run needs after adoption. Of those to real models: the records of them that
    cannot be read, and the fingerprints of those whose answers a record names.
    """

    needed: list[Call]
    unread: list[EarlierRun]
    named: frozenset[str] = frozenset()

    @property
    def real_calls(self) -> list[Call]:
        """The calls that are needed, except those to simulated models."""
        return [call for call in self.needed if not call.endpoint.simulated]


def adopt_answers(plan: RunPlan, ledger: Ledger, records: Iterable[EarlierRun]) -> Adoption:
    """Add to the ledger the answers in `results/responses` and, while cells of real models lack
    one, those that the records name.
    """
    calls = by_fingerprint(plan.cells)
    files = sorted(paths.RESPONSES.glob("*/*/response*.json"))
    adopt((file.read_bytes() for file in files if file.is_file()), calls, ledger)
    adoption = Adoption(needed(plan.cells, ledger), [])
    if not adoption.real_calls:
        return adoption
    present_sha256 = folder_sha256(paths.RESPONSES)
    stored = StoredContent(paths.repository())
    runs: list[Run] = []
    seen: set[str] = set()
    unread: list[EarlierRun] = []
    for record in records:
        if record.run is not None:
            runs.append(record.run)
        is_present = record.run is not None and record.run.responses_sha256 == present_sha256
        folder_md5 = record.folder_md5
        if folder_md5 is None or folder_md5 in seen or is_present:
            continue
        if not record.may_hold(adoption.real_calls):
            continue
        seen.add(folder_md5)
        try:
            folder = stored.folder(folder_md5)
        except NotFetched:
            unread.append(record)
            continue
        if adopt((file.read_bytes() for file in folder.values()), calls, ledger):
            adoption = Adoption(needed(plan.cells, ledger), [])
    real_calls = adoption.real_calls
    may_hold = [record for record in unread if record.may_hold(real_calls)]
    keys = [call.fingerprint for call in real_calls]
    named = frozenset(key for run in runs for key in run.names_answers(keys))
    return Adoption(adoption.needed, may_hold, named)


def check_lock() -> None:
    """Raise InputError while the working tree's `dvc.lock` is in conflict."""
    if _CONFLICT.search(_lock_text()):
        fix = "`graph-evaluator merge` writes it again"
        raise InputError([Problem(LOCK.as_posix(), "", f"is in conflict: {fix}")])


def _lock_text() -> str:
    return LOCK.read_text(encoding="utf-8", errors="replace") if LOCK.is_file() else ""


def all_records() -> Iterator[EarlierRun]:
    """What the working tree and commits record."""
    yield EarlierRun(
        source=LOCK.as_posix(),
        folder_md5=responses_hash(_lock_text().encode()),
        run=run_if_readable(paths.RUN.read_bytes() if paths.RUN.is_file() else None),
    )
    yield from committed_records()


def committed_records() -> Iterator[EarlierRun]:
    """What commits record: the current ones, the tips of local branches and experiments, and the
    last commits that changed `dvc.lock`, the newest first; equal ones once.

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
    seen: set[tuple[bytes, bytes]] = set()
    for commit, lock in locks.items():
        content = (lock or b"", manifests[commit] or b"")
        if content in seen:
            continue
        seen.add(content)
        yield EarlierRun(
            source=f"{LOCK} of {commit[:10]}",
            folder_md5=responses_hash(content[0]),
            run=run_if_readable(content[1]),
        )
