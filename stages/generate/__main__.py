"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import datetime
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock
from rich.console import Console

from stages.contracts.errors import GraphEvaluatorError, InputError, NothingAnswered
from stages.contracts.run import TOOL_VERSION, Run
from stages.generate.batch.journal import fingerprints_out
from stages.generate.calls.fetch import Fetched
from stages.generate.ledger.adoption import LOCK, NotFetched, adopt, adoptable, recorded_hash, recorded_responses
from stages.generate.ledger.damage import FILE
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.options import load_plan, parse_options
from stages.generate.orphan_watch import terminate_self, watch_parent
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.draws import Needed, needed
from stages.generate.plan.endpoint import missing_secrets
from stages.generate.preview.announcement import ListedShutdowns, announcement
from stages.generate.preview.dry_run import cell_table
from stages.generate.preview.forecast import Forecaster
from stages.generate.preview.why_miss import StoredRequests
from stages.generate.prices import Prices
from stages.generate.published_prices import published_for
from stages.generate.responses.files import read_run, write_responses, write_run
from stages.generate.responses.manifest import commit_of_same, manifest
from stages.generate.responses.outcome import Outcome
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import folder_sha256
from stages.shell.numbers import counted


def main() -> int:
    """Everything, from the settings to the files."""
    options = parse_options(sys.argv[1:])
    variables = environment.variables()
    if options.cancel_batches:
        from stages.generate.batch.runs import cancel_all  # loads the SDK

        return min(cancel_all(environment.ledger_folder(), variables, _say), 1)
    plan = load_plan(options, variables)
    prices = Prices(published_for)
    if options.dry_run:
        _dry_run(plan, prices, variables)
        return 0
    folder = environment.ledger_folder()
    with Ledger(folder, _say) as ledger:
        missing = needed(plan.cells, ledger)
        if ledger.was_empty and any(paths.RESPONSES.glob("*/*/*.json")):
            _say(
                f"the ledger {ledger.file} is empty (0 bytes) although {paths.RESPONSES} has responses: it was emptied"
            )
        if adopt(_response_files(), by_fingerprint(plan.cells), ledger):
            missing = needed(plan.cells, ledger)
        if _adopt_recorded(plan, missing, ledger, prices, variables):
            missing = needed(plan.cells, ledger)
        fetched = _fetch(plan, missing, ledger, prices, variables) if missing else Fetched()
        outcome = Outcome(fetched, prices)
        with FileLock(folder / "writing.lock"):  # runs that wait for each other end at the same time
            write_responses(paths.RESPONSES, outcome.responses(plan.cells, ledger))
            _write_manifest(plan)
    for line in outcome.lines():
        _say(line)
    if not outcome.answered:
        reasons = "".join(f"\n  {message}" for message in outcome.commonest_messages())
        raise NothingAnswered(f"no cell has an answer; the commonest reason of each model:{reasons}")
    return 0


def _fetch(
    plan: RunPlan, missing: Sequence[Needed], ledger: Ledger, prices: Prices, variables: Mapping[str, str]
) -> Fetched:
    """Call what is missing."""
    ids = {planned.config.id for planned, _ in missing}
    problems = missing_secrets([model for model in plan.models if model[0].id in ids], variables)
    if problems:
        raise InputError(problems)
    forecaster = _forecaster(plan, ledger, prices)
    _announce(plan, missing, forecaster, prices, _say)
    ledger.begin_calls(pay_again=variables.get(PAY_AGAIN) == "1")
    from stages.generate.pipeline import fetch_missing  # loads the SDK

    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over, terminate_self)
    try:
        return fetch_missing(
            plan,
            expected=len(missing),
            ledger=ledger,
            forecaster=forecaster,
            prices=prices,
            variables=variables,
            say=_say,
        )
    finally:
        over.set()


def _dry_run(plan: RunPlan, prices: Prices, variables: Mapping[str, str]) -> None:
    """Print every cell and the forecast; writes nothing, not even a new ledger."""
    from stages.generate.calls.model_listing import shutdown_days  # loads the SDK

    folder = environment.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        with Ledger(folder if (folder / FILE).exists() else Path(scratch), print) as ledger:
            missing = needed(plan.cells, ledger)
            index = by_fingerprint(plan.cells)
            found = {entry.answer.fingerprint for entry in adoptable(_response_files(), index, ledger)}
            missing = [(planned, draw) for planned, draw in missing if planned.fingerprints[draw - 1] not in found]
            forecaster = _forecaster(plan, ledger, prices)
            stored = StoredRequests(ledger.requests() if missing else [])
            table = cell_table(plan.cells, missing, forecaster, stored)
        width = None if sys.stdout.isatty() else 200
        Console(width=width, highlight=False).print(table)
        listed = shutdown_days((endpoint for _, endpoint in plan.models), variables)
        _announce(plan, missing, forecaster, prices, print, listed=listed)


def _announce(
    plan: RunPlan,
    missing: Sequence[Needed],
    forecaster: Forecaster,
    prices: Prices,
    say: Callable[[str], None],
    *,
    listed: ListedShutdowns = MappingProxyType({}),
) -> None:
    lines = announcement(
        plan,
        missing,
        forecaster,
        prices,
        in_batches=fingerprints_out(environment.ledger_folder()),
        listed=listed,
        today=_today(),
    )
    for line in lines:
        say(line)


def _forecaster(plan: RunPlan, ledger: Ledger, prices: Prices) -> Forecaster:
    return Forecaster(plan.params.runtime, prices, ledger.output_tokens, today=_today().isoformat())


def _response_files() -> Iterator[bytes]:
    """The content of all response files."""
    files = sorted(paths.RESPONSES.glob("*/*/response*.json"))
    return (file.read_bytes() for file in files if file.is_file())


def _adopt_recorded(
    plan: RunPlan, missing: Sequence[Needed], ledger: Ledger, prices: Prices, variables: Mapping[str, str]
) -> bool:
    """Add the answers that `dvc.lock` names and the working tree lacks to the ledger, before a call that costs money.

    Returns:
        Whether there were any.

    Raises:
        GraphEvaluatorError: they cannot be read, so answers might be paid for twice.
    """
    forecaster = _forecaster(plan, ledger, prices)
    paid = sum(forecaster.costs_money(planned) for planned, _ in missing)
    md5 = recorded_hash(LOCK.read_text(encoding="utf-8")) if paid and LOCK.is_file() else None
    if md5 is None or not _paid_elsewhere(read_run(paths.RUN)):
        return False
    _say(f"{paths.RESPONSES} is not what {LOCK} names: reading the recorded answers from DVC's cache or remote")
    try:
        return adopt(recorded_responses(md5), by_fingerprint(plan.cells), ledger)
    except NotFetched as error:
        found = (
            f"the responses that {LOCK} names are neither in DVC's cache nor in a remote that can be reached ({error})"
        )
    if variables.get(PAY_AGAIN) != "1":
        raise GraphEvaluatorError(
            f"{found}, and {counted(paid, 'call')} would cost money, perhaps for answers that somebody has paid for; nothing was "
            f"called. Run `dvc pull` (and `dvc push` where they were made), or set {PAY_AGAIN}=1 in the environment to go on"
        )
    _say(f"{found}; {PAY_AGAIN}=1: going on without them")
    return False


def _paid_elsewhere(run: Run | None) -> bool:
    """Whether the recorded run may have answers that cost money and are not in the working tree."""
    if run is None:
        return True
    if run.endpoints and set(run.endpoints.values()) == {"simulated"}:
        return False
    return run.responses_sha256 is None or run.responses_sha256 != folder_sha256(paths.RESPONSES)


def _write_manifest(plan: RunPlan) -> None:
    """Write the manifest; when only the commit would differ from the run before, that commit is kept."""
    made = manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate, tool_version=TOOL_VERSION)
    made = made.model_copy(update={"responses_sha256": folder_sha256(paths.RESPONSES)})
    commit = commit_of_same(made, read_run(paths.RUN)) or _head_commit()
    write_run(paths.RUN, made.model_copy(update={"git_sha": commit}))


def _head_commit() -> str | None:
    """The SHA of the current commit; None outside a git repository, without git, or before the first commit."""
    command = ["git", "rev-parse", "--verify", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    return found.stdout.strip() or None


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
