"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock
from rich.console import Console

from stages.contracts.errors import InputError, NothingAnswered, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.params import Params
from stages.contracts.run import TOOL_VERSION, PromptRef
from stages.generate.answers.structured import outside_strict_subset, schema_fault
from stages.generate.batch.journal import fingerprints_out
from stages.generate.calls.fetch import Fetched
from stages.generate.ledger.adoption import adopted
from stages.generate.ledger.damage import FILE
from stages.generate.ledger.needs import Needed, needed
from stages.generate.ledger.rows import LedgerEntry
from stages.generate.ledger.store import PAY_AGAIN, Ledger
from stages.generate.orphan_watch import terminate_self, watch_parent
from stages.generate.plan.cells import RunPlan, plan_run
from stages.generate.plan.endpoint import missing_secrets
from stages.generate.preview.announcement import ListedShutdowns, announcement
from stages.generate.preview.dry_run import cell_table
from stages.generate.preview.forecast import Forecaster
from stages.generate.preview.why_miss import StoredRequests
from stages.generate.prices import Prices
from stages.generate.published_prices import published_for
from stages.generate.responses.files import read_response, read_run, write_responses, write_run
from stages.generate.responses.manifest import commit_of_same, manifest
from stages.generate.responses.outcome import Outcome
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import read_input
from stages.shell.inputs import load_inputs, load_params


def main() -> int:
    """Everything, from the settings to the files."""
    arguments = _arguments(sys.argv[1:])
    variables = environment.variables()
    if arguments.cancel_batches:
        from stages.generate.batch.collect import cancel_all  # loads the SDK

        return min(cancel_all(environment.ledger_folder(), variables, _say), 1)
    plan = _plan(arguments, variables)
    prices = Prices(published_for)
    if arguments.dry_run:
        _dry_run(plan, prices, variables)
        return 0
    folder = environment.ledger_folder()
    with Ledger(folder, _say) as ledger:
        missing = needed(plan.cells, ledger)
        if ledger.was_empty and any(paths.RESPONSES.glob("*/*/*.json")):
            _say(
                f"the ledger {ledger.file} is empty (0 bytes) although {paths.RESPONSES} has responses: it was emptied"
            )
        if entries := _adopted(missing):
            ledger.add(entries)
            missing = needed(plan.cells, ledger)
        fetched = _fetch(plan, missing, ledger, prices, variables) if missing else Fetched()
        outcome = Outcome(fetched, prices)
        with FileLock(folder / "writing.lock"):  # runs that wait for each other end at the same time
            changed = write_responses(paths.RESPONSES, outcome.responses(plan.cells, ledger))
    _write_manifest(plan, same=fetched == Fetched() and not changed)
    for line in outcome.lines():
        _say(line)
    if not outcome.answered:
        reasons = "".join(f"\n  {message}" for message in outcome.commonest_messages())
        raise NothingAnswered(f"no cell has an answer; the commonest reason for each model:{reasons}")
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
    _announce(plan, missing, forecaster, prices)
    ledger.begin_calls(pay_again=bool(variables.get(PAY_AGAIN)))
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
            found = {entry.answer.fingerprint for entry in _adopted(missing)}
            missing = [(planned, draw) for planned, draw in missing if planned.fingerprints[draw - 1] not in found]
            forecaster = _forecaster(plan, ledger, prices)
            stored = StoredRequests(ledger.requests() if missing else [])
            table = cell_table(plan.cells, missing, forecaster, stored)
        width = None if sys.stdout.isatty() else 200
        Console(width=width, highlight=False).print(table)
        listed = shutdown_days((endpoint for _, endpoint in plan.models), variables)
        _announce(plan, missing, forecaster, prices, listed=listed, say=print)


def _announce(
    plan: RunPlan,
    missing: Sequence[Needed],
    forecaster: Forecaster,
    prices: Prices,
    *,
    listed: ListedShutdowns = MappingProxyType({}),
    say: Callable[[str], None] = lambda text: _say(text),
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


def _adopted(missing: Sequence[Needed]) -> list[LedgerEntry]:
    """The answers that the workspace has, of those that the ledger lacks: responses that a colleague paid for."""
    found: list[LedgerEntry] = []
    for planned, _ in missing:
        response = read_response(paths.RESPONSES, planned.cell)
        found += adopted(planned, response) if response else []
    return found


def _write_manifest(plan: RunPlan, *, same: bool) -> None:
    """Write the manifest; when nothing was called or altered (`same`), the commit of the run before is kept."""
    made = manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate, tool_version=TOOL_VERSION)
    commit = (commit_of_same(made, read_run(paths.RUN)) if same else None) or _head_commit()
    write_run(paths.RUN, made.model_copy(update={"git_sha": commit}))


def _head_commit() -> str | None:
    """The SHA of the current commit; None outside a git repository, without git, or before the first commit."""
    command = ["git", "rev-parse", "--verify", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    return found.stdout.strip() or None


def _plan(arguments: argparse.Namespace, variables: Mapping[str, str]) -> RunPlan:
    inputs = load_inputs(_changed(load_params(), arguments))
    structured = any(config.params.response_format == "json_schema" for config in inputs.models)
    return plan_run(
        inputs.params,
        PromptRef(path=inputs.prompt.path, sha256=inputs.prompt.sha256),
        inputs.prompt.text,
        inputs.models,
        inputs.briefs,
        variables=variables,
        schema=_schema() if structured else None,
    )


def _schema() -> dict[str, JsonValue]:
    """The JSON Schema of a draft graph, for models that are asked for structured output."""
    file = paths.DRAFT_SCHEMA.as_posix()
    try:
        loaded = parse(read_input(paths.DRAFT_SCHEMA))
    except NotJson as error:
        raise InputError([Problem(file, "", f"is not JSON: {error}")]) from None
    if not isinstance(loaded, dict):
        raise InputError([Problem(file, "", "must hold a JSON object")])
    if fault := schema_fault(loaded):
        raise InputError([Problem(file, "", fault)])
    if place := outside_strict_subset(loaded):
        _say(
            f"note: {file} is outside the strict subset at {place}: it is sent with strict false, and not every answer follows it"
        )
    return loaded


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    """The command line; settings come from `params.yaml`, a dry run may try others."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.generate",
        description="Send every brief to every model and write a response for each cell. Settings are in params.yaml.",
        epilog="To run with other settings: dvc exp run -S prompt=... -S 'models=[...]' -S 'briefs=[...]'.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="list every cell and forecast tokens and cost; call nothing"
    )
    parser.add_argument(
        "--cancel-batches",
        action="store_true",
        help="ask for the end of all submitted batches, and stop; the next run fetches what they had finished",
    )
    parser.add_argument("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    parser.add_argument("--models", metavar="A,B", type=_listed, help="with --dry-run: other models, ids or patterns")
    parser.add_argument("--briefs", metavar="A,B", type=_listed, help="with --dry-run: other briefs, ids or patterns")
    parser.add_argument("--samples", metavar="N", type=int, help="with --dry-run: another number of samples")
    arguments = parser.parse_args(words)
    others = {"prompt": "prompt", "models": "models", "briefs": "briefs", "samples": "generate.samples"}
    if not arguments.dry_run:
        advice = "goes with --dry-run; to run with it: dvc exp run -S"
        problems = [
            Problem("command line", f"--{name}", f"{advice} {key}=...")
            for name, key in others.items()
            if getattr(arguments, name) is not None
        ]
        if problems:
            raise InputError(problems)
    return arguments


def _changed(params: Params, arguments: argparse.Namespace) -> Params:
    """The params with the values of the command line in their place."""
    changes: dict[str, object] = {
        name: value for name in ("prompt", "models", "briefs") if (value := getattr(arguments, name)) is not None
    }
    if arguments.samples is not None:
        if not 1 <= arguments.samples <= 1000:
            raise InputError([Problem("command line", "--samples", f"must be 1 to 1000, found {arguments.samples}")])
        changes["generate"] = params.generate.model_copy(update={"samples": arguments.samples})
    return params.model_copy(update=changes)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
