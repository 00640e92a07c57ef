"""Adapter: the answers that a run lacks. Those that somebody has paid for are adopted into the
ledger; the others are announced.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from stages.generate.batch.journal import fingerprints_out
from stages.generate.earlier_runs import (
    Adoption,
    adopt_answers,
    all_records,
    check_lock,
)
from stages.generate.forecast import (
    SIMULATED,
    Forecaster,
    changed_settings,
    forecast_line,
    notes_on_models,
)
from stages.generate.ledger.adoption import LedgerToRead
from stages.generate.ledger.rows import FILE
from stages.generate.ledger.store import PAY_AGAIN, REMEDY, Ledger
from stages.generate.plan.call import Call
from stages.generate.plan.cells import RunPlan
from stages.generate.plan.endpoint import Endpoint, is_loopback
from stages.shared.records.errors import GraphEvaluatorError, Problem
from stages.shared.shell import paths
from stages.shared.shell.command import say, show
from stages.shared.shell.git import committed_text, is_shallow
from stages.shared.shell.inputs import load_params
from stages.shared.shell.numbers import counted, first_of
from stages.shared.shell.paths import response_file

MAX_NAMED_CELLS = 10
SET_VARIABLE = "set it in the environment or in .env"


def missing_answers(plan: RunPlan, ledger: Ledger, variables: Mapping[str, str]) -> list[Call]:
    """The calls that a run must make, once the answers in `results/responses` and those that git
    records and DVC stores are in the ledger.

    Raises:
        InputError: `dvc.lock` is in conflict.
        GraphEvaluatorError: not with `GRAPH_EVALUATOR_PAY_AGAIN=1`; an answer that was paid for
            would be called again, or there may be one, or the ledger is damaged and can keep none.
    """
    check_lock()
    adoption = adopt_answers(plan, ledger, all_records())
    loss = find_loss(adoption, ledger)
    if loss is not None and variables.get(PAY_AGAIN) != "1":
        raise GraphEvaluatorError(loss)
    if adoption.unread:
        say(f"{adoption.unread[0].unreadable}; continuing without them")
    if ledger.damage is not None:
        say(f"note: {ledger.damage}; the run goes on with what can be read")
    say_if_shallow(adoption, say)
    return adoption.needed


def say_if_shallow(adoption: Adoption, say: Callable[[str], None]) -> None:
    """Say before calls that cost money that earlier commits, which may name their answers, were not
    fetched.
    """
    costs_money = any(call.costs_money for call in adoption.needed)
    with suppress(GraphEvaluatorError):  # there is no git
        if costs_money and is_shallow(paths.repository()):
            say(
                "note: the history of this clone is cut off, and answers that earlier commits name "
                "are not looked for: `git fetch --unshallow` fetches them"
            )


def find_loss(adoption: Adoption, ledger: Ledger) -> str | None:
    """Why no call may be made, and how to go on: one would pay again for an answer that is known to
    be paid for, or a damaged ledger could not keep what is called. None where calls may be made.
    """
    paid = [call for call in adoption.needed if call.costs_money]
    lost = [call for call in paid if call.fingerprint in adoption.named]
    unread = [record for record in adoption.unread if record.may_hold(paid)]
    reasons: list[str] = []
    if ledger.damage is not None and adoption.real_calls:
        reasons.append(ledger.damage)
    if lost:
        answers = counted(
            len(lost), "answer that was paid for is", "answers that were paid for are"
        )
        cells = first_of([response_file(call.cell).as_posix() for call in lost], MAX_NAMED_CELLS)
        reasons.append(f"{answers} neither in the ledger {ledger.file} nor in results: {cells}")
    if unread:
        reasons.append(unread[0].unreadable)
    if not reasons:
        return None
    return (
        f"{'; '.join(reasons)}. {counted(len(paid), 'call')} would cost money; nothing was called. "
        f"Run `dvc pull` (and `dvc push` where they were made), {REMEDY}"
    )


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
    folder = paths.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        if not (folder / FILE).exists():
            folder = Path(scratch)
        with LedgerToRead(folder) as ledger:
            adoption = adopt_answers(plan, ledger, all_records())
            loss = find_loss(adoption, ledger)
            if loss is not None:
                show(f"note: a run would stop: {loss}")
            say_if_shallow(adoption, show)
            yield ledger, adoption.needed


def notes_on_settings() -> list[str]:
    """Which settings of `params.yaml` are not as in the last commit, in a sentence."""
    changed = changed_settings(load_params(), committed_text(paths.PARAMS))
    back = f"`git checkout {paths.PARAMS}` goes back"
    return [f"note: not as in the last commit: {', '.join(changed)}; {back}"] if changed else []


def announce(plan: RunPlan, missing: Sequence[Call], ledger: Ledger) -> None:
    """Print what is to be known before the calls are made."""
    say("\n".join([*announcement(plan, missing, ledger), *simulated_note(missing)]))


def simulated_note(missing: Sequence[Call]) -> list[str]:
    """What is to be known of calls to simulated models; a run says it at its end."""
    is_simulated = any(call.endpoint.simulated for call in missing)
    return [f"note: {SIMULATED}"] if is_simulated else []


def announcement(plan: RunPlan, missing: Sequence[Call], ledger: Ledger) -> list[str]:
    """The forecast of the calls, and the notes on the run, one sentence each."""
    notes = list(notes_on_models(plan.models))
    submitted = {call.fingerprint for call in missing} & fingerprints_out(ledger.file.parent)
    if submitted:
        calls = counted(len(submitted), "of these calls is", "of these calls are")
        notes.append(f"{calls} in batches: fetched, not submitted again (--cancel-batches)")
    total = Forecaster(ledger.output_tokens).total(missing)
    return [forecast_line(total, len(plan.cells)), *(f"note: {note}" for note in notes)]
