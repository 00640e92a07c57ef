"""Adapter: the answers that a run lacks. Those that somebody has paid for are adopted into the
ledger; the others are announced.
"""

import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from stages.contracts.errors import GraphEvaluatorError, Problem
from stages.generate.batch.journal import fingerprints_out
from stages.generate.forecast import Forecaster, ListedShutdowns, announcement
from stages.generate.ledger.adoption import LedgerToRead, adopt
from stages.generate.ledger.damage import FILE
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan, by_fingerprint
from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.generate.plan.work import needed
from stages.generate.responses.files import read_run
from stages.shell import environment, paths
from stages.shell.dvc import LOCK, NotFetched, responses_hash, stored_files
from stages.shell.files import folder_sha256
from stages.shell.git import committed_text
from stages.shell.numbers import counted

SET_VARIABLE = "set it in the environment or in .env"


def missing_answers(plan: RunPlan, ledger: Ledger, variables: Mapping[str, str]) -> list[Call]:
    """The calls that a run must make, once the answers in `results/responses` and those that
    `dvc.lock` names are in the ledger.
    """
    missing = needed(plan.cells, ledger)
    if adopt(_response_files(), by_fingerprint(plan.cells), ledger):
        missing = needed(plan.cells, ledger)
    if _adopt_recorded(plan, missing, ledger, variables):
        missing = needed(plan.cells, ledger)
    return missing


def missing_keys(missing: Sequence[Call], variables: Mapping[str, str]) -> list[Problem]:
    """What the environment lacks for these calls: one problem per variable, naming the models that
    need it.
    """
    models_by_variable: defaultdict[str, set[str]] = defaultdict(set)
    for call in missing:
        for variable in _variables_of(call.endpoint):
            if not variables.get(variable):
                models_by_variable[variable].add(call.cell.model_id)
    problems: list[Problem] = []
    for variable, model_ids in sorted(models_by_variable.items()):
        need = "needs" if len(model_ids) == 1 else "need"
        message = f"is not set, and {', '.join(sorted(model_ids))} {need} it: {SET_VARIABLE}"
        problems.append(Problem("environment", variable, message))
    return problems


def _variables_of(endpoint: Endpoint) -> list[str]:
    """The environment variables that calls to an endpoint need."""
    variables = [variable for _, variable in endpoint.headers_env]
    if endpoint.key_env is not None and not is_loopback(endpoint):
        variables.append(endpoint.key_env)
    return variables


@contextmanager
def ledger_to_read(plan: RunPlan) -> Iterator[tuple[Ledger, list[Call]]]:
    """The ledger, with the answers that a run would adopt, and the calls that it would make; writes
    nothing, not even a new ledger.
    """
    folder = environment.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        if not (folder / FILE).exists():
            folder = Path(scratch)
        with LedgerToRead(folder, print) as ledger:
            ledger.adopt(_response_files(), by_fingerprint(plan.cells))
            yield ledger, needed(plan.cells, ledger)


def announce(
    plan: RunPlan,
    missing: Sequence[Call],
    ledger: Ledger,
    say: Callable[[str], None],
    *,
    listed: ListedShutdowns | None = None,
) -> None:
    """Pass on the forecast of the calls, and the notes on their models, sentence by sentence."""
    lines = announcement(
        plan,
        missing,
        Forecaster(ledger.output_tokens),
        in_batches=fingerprints_out(environment.ledger_folder()),
        listed=listed or {},
        committed=committed_text(paths.PARAMS),
    )
    for line in lines:
        say(line)


def _response_files() -> Iterator[bytes]:
    files = sorted(paths.RESPONSES.glob("*/*/response*.json"))
    return (file.read_bytes() for file in files if file.is_file())


def _adopt_recorded(
    plan: RunPlan, missing: Sequence[Call], ledger: Ledger, variables: Mapping[str, str]
) -> bool:
    """Adopt the answers that `dvc.lock` names and the working tree lacks, before a call costs
    money; whether there were any.
    """
    paid = sum(map(_costs_money, missing))
    md5 = responses_hash(LOCK.read_text(encoding="utf-8")) if paid and LOCK.is_file() else None
    if md5 is None or not _paid_elsewhere():
        return False
    source = "reading the recorded answers from DVC's cache or remote"
    say(f"{paths.RESPONSES} is not what {LOCK} names: {source}")
    try:
        return adopt(stored_files(md5), by_fingerprint(plan.cells), ledger)
    except NotFetched as error:
        fault = (
            f"the responses that {LOCK} names are neither in DVC's cache nor in a remote that can "
            f"be reached ({error})"
        )
    if variables.get(PAY_AGAIN) != "1":
        raise GraphEvaluatorError(
            f"{fault}, and {counted(paid, 'call')} would cost money, perhaps for answers that "
            "somebody has paid for; nothing was called. Run `dvc pull` (and `dvc push` where they "
            f"were made), or set {PAY_AGAIN}=1 in the environment to continue"
        )
    say(f"{fault}; {PAY_AGAIN}=1: continuing without them")
    return False


def _costs_money(call: Call) -> bool:
    """False for a simulated model, at a price of 0, and on this machine where no price is known."""
    if call.cost_upper_usd is None:
        return not is_loopback(call.endpoint)
    return call.cost_upper_usd > 0 and not call.endpoint.simulated


def _paid_elsewhere() -> bool:
    """Whether the recorded run may have answers that cost money and are not in the working tree."""
    run = read_run(paths.RUN)
    if run is None:
        return True
    simulated = bool(run.endpoints) and set(run.endpoints.values()) == {"simulated"}
    return not simulated and run.responses_sha256 != folder_sha256(paths.RESPONSES)


def say(text: str) -> None:
    """Print a sentence to standard error."""
    print(text, file=sys.stderr, flush=True)
