"""Adapter: the answers that a run lacks. Those that somebody has paid for are adopted into the ledger; the others are announced."""

import datetime
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from stages.contracts.errors import GraphEvaluatorError, Problem
from stages.contracts.run import Run
from stages.generate.batch.journal import fingerprints_out
from stages.generate.ledger.adoption import LOCK, NotFetched, adopt, adoptable, recorded_hash, recorded_responses
from stages.generate.ledger.damage import FILE
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.draws import Needed, needed
from stages.generate.plan.endpoint import missing_secrets
from stages.generate.preview.announcement import ListedShutdowns, announcement
from stages.generate.preview.forecast import Forecaster
from stages.generate.prices import Prices
from stages.generate.responses.files import read_run
from stages.shell import environment, paths
from stages.shell.files import folder_sha256
from stages.shell.numbers import counted


def missing_answers(plan: RunPlan, ledger: Ledger, prices: Prices, variables: Mapping[str, str]) -> list[Needed]:
    """The draws that a run must call, once the answers in `results/responses` and those that `dvc.lock` names are in the ledger.

    Raises:
        GraphEvaluatorError: recorded answers cannot be read, so answers might be paid for twice.
    """
    missing = needed(plan.cells, ledger)
    if adopt(_response_files(), by_fingerprint(plan.cells), ledger):
        missing = needed(plan.cells, ledger)
    if _adopt_recorded(plan, missing, ledger, prices, variables):
        missing = needed(plan.cells, ledger)
    return missing


def missing_keys(plan: RunPlan, missing: Sequence[Needed], variables: Mapping[str, str]) -> list[Problem]:
    """What the environment lacks for these calls: one problem per variable."""
    ids = {planned.config.id for planned, _ in missing}
    return missing_secrets((model for model in plan.models if model[0].id in ids), variables)


@contextmanager
def ledger_to_read(plan: RunPlan) -> Iterator[tuple[Ledger, list[Needed]]]:
    """The ledger and the draws that a run would call; writes nothing, not even a new ledger."""
    folder = environment.ledger_folder()
    with (
        tempfile.TemporaryDirectory() as scratch,
        Ledger(folder if (folder / FILE).exists() else Path(scratch), print) as ledger,
    ):
        found = {entry.answer.fingerprint for entry in adoptable(_response_files(), by_fingerprint(plan.cells), ledger)}
        yield (
            ledger,
            [each for each in needed(plan.cells, ledger) if each[0].fingerprints[each[1] - 1] not in found],
        )


def announce(
    plan: RunPlan,
    missing: Sequence[Needed],
    forecaster: Forecaster,
    prices: Prices,
    say: Callable[[str], None],
    *,
    listed: ListedShutdowns = MappingProxyType({}),
) -> None:
    """Pass on the forecast of the calls, and the notes on their models, sentence by sentence."""
    lines = announcement(
        plan,
        missing,
        forecaster,
        prices,
        in_batches=fingerprints_out(environment.ledger_folder()),
        listed=listed,
        committed=environment.committed_text(paths.PARAMS.as_posix()),
        today=_today(),
    )
    for line in lines:
        say(line)


def forecaster_of(plan: RunPlan, ledger: Ledger, prices: Prices) -> Forecaster:
    """The forecaster of a run, with the ledger's history and today's prices."""
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
    forecaster = forecaster_of(plan, ledger, prices)
    paid = sum(forecaster.costs_money(planned) for planned, _ in missing)
    md5 = recorded_hash(LOCK.read_text(encoding="utf-8")) if paid and LOCK.is_file() else None
    if md5 is None or not _paid_elsewhere(read_run(paths.RUN)):
        return False
    say(f"{paths.RESPONSES} is not what {LOCK} names: reading the recorded answers from DVC's cache or remote")
    try:
        return adopt(recorded_responses(md5), by_fingerprint(plan.cells), ledger)
    except NotFetched as error:
        found = (
            f"the responses that {LOCK} names are neither in DVC's cache nor in a remote that can be reached ({error})"
        )
    if variables.get(PAY_AGAIN) != "1":
        raise GraphEvaluatorError(
            f"{found}, and {counted(paid, 'call')} would cost money, perhaps for answers that somebody has paid for; nothing was "
            f"called. Run `dvc pull` (and `dvc push` where they were made), or set {PAY_AGAIN}=1 in the environment to continue"
        )
    say(f"{found}; {PAY_AGAIN}=1: continuing without them")
    return False


def _paid_elsewhere(run: Run | None) -> bool:
    """Whether the recorded run may have answers that cost money and are not in the working tree."""
    if run is None:
        return True
    if run.endpoints and set(run.endpoints.values()) == {"simulated"}:
        return False
    return run.responses_sha256 is None or run.responses_sha256 != folder_sha256(paths.RESPONSES)


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def say(text: str) -> None:
    """Print a sentence to standard error."""
    print(text, file=sys.stderr, flush=True)
