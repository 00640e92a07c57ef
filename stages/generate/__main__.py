"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import datetime
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from stages.contracts.errors import InputError, NothingAnswered, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse, pretty
from stages.contracts.model_config import ModelConfig
from stages.contracts.run import TOOL_VERSION, PromptRef
from stages.generate.adoption import adoptable
from stages.generate.arguments import Arguments, changed, parse_arguments
from stages.generate.batch_journal import fingerprints_out
from stages.generate.call import Endpoint
from stages.generate.campaign import Fetched
from stages.generate.conclusion import Conclusion
from stages.generate.costing import Costing
from stages.generate.endpoint import missing_secrets
from stages.generate.forecast import total
from stages.generate.forecaster import Forecaster
from stages.generate.git_state import head_commit
from stages.generate.ledger import Ledger
from stages.generate.ledger_file import FILE
from stages.generate.ledger_row import LedgerRow
from stages.generate.manifest import manifest
from stages.generate.needs import Wanted, needed
from stages.generate.orphan_watch import terminate_self, watch_parent
from stages.generate.overview import forecast_line
from stages.generate.preparation import Prepared, needs_schema, prepare
from stages.generate.pricing import PublishedModel
from stages.generate.response_files import read_response, write_responses
from stages.generate.retirement import Listed, retirement_notes
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import read_input, write_atomic
from stages.shell.inputs import load_inputs, load_params


def main() -> int:
    """Everything, from the settings to the files."""
    arguments = parse_arguments(sys.argv[1:])
    variables = environment.variables()
    if arguments.cancel_batches:
        from stages.generate.batching import cancel_all

        return min(cancel_all(environment.ledger_folder(), variables, _say), 1)
    prepared = _prepared(arguments, variables)
    costing = Costing(_published)
    if arguments.dry_run:
        _dry_run(prepared, costing)
        return 0
    with Ledger(environment.ledger_folder(), _say) as ledger:
        ledger.add(_pulled(prepared, ledger))
        fetched = _fetch(prepared, needed(prepared.cells, ledger), ledger, costing, variables)
        conclusion = Conclusion(fetched, costing)
        write_responses(paths.RESPONSES, conclusion.responses(prepared.cells, ledger))
    found = manifest(
        prepared.prompt,
        prepared.models,
        prepared.briefs,
        prepared.params.generate,
        git_sha=head_commit(),
        tool_version=TOOL_VERSION,
    )
    write_atomic(paths.RUN, pretty(msgspec.to_builtins(found)))
    for line in conclusion.lines():
        _say(line)
    if not conclusion.answered:
        raise NothingAnswered("no cell has an answer; error_message in results/responses says why")
    return 0


def _prepared(arguments: Arguments, variables: Mapping[str, str]) -> Prepared:
    inputs = load_inputs(changed(load_params(), arguments))
    prompt = PromptRef(path=inputs.prompt.path, sha256=inputs.prompt.sha256)
    schema = _schema() if needs_schema(inputs.models) else None
    return prepare(
        inputs.params, prompt, inputs.prompt.text, inputs.models, inputs.briefs, variables=variables, schema=schema
    )


def _schema() -> dict[str, JsonValue]:
    file = paths.DRAFT_SCHEMA
    try:
        loaded = parse(read_input(file))
    except NotJson as error:
        raise InputError([Problem(file.as_posix(), "", f"is not JSON: {error}")]) from None
    if not isinstance(loaded, dict):
        raise InputError([Problem(file.as_posix(), "", "must hold a JSON object")])
    return loaded


def _pulled(prepared: Prepared, ledger: Ledger) -> list[LedgerRow]:
    """The answers that the workspace has and the ledger lacks."""
    rows: list[LedgerRow] = []
    for planned, _ in needed(prepared.cells, ledger):
        response = read_response(paths.RESPONSES, planned.cell)
        rows += adoptable(planned, response) if response else []
    return rows


def _fetch(
    prepared: Prepared, wanted: Wanted, ledger: Ledger, costing: Costing, variables: Mapping[str, str]
) -> Fetched:
    """Call what is missing, if anything is; what only that needs is loaded only then."""
    if not wanted:
        return Fetched()
    from stages.generate.calling import call_missing

    ids = {planned.config.id for planned, _ in wanted}
    problems = missing_secrets([entry for entry in prepared.models if entry[0].id in ids], variables)
    if problems:
        raise InputError(problems)
    forecaster, counted = _forecaster(prepared, ledger, costing)
    _announce(prepared, wanted, forecaster, costing, counted)
    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over, terminate_self)
    try:
        return call_missing(
            prepared.cells,
            expected=len(wanted),
            ledger=ledger,
            forecaster=forecaster,
            costing=costing,
            settings=prepared.params.runtime,
            variables=variables,
            say=_say,
        )
    finally:
        over.set()


def _forecaster(prepared: Prepared, ledger: Ledger, costing: Costing) -> tuple[Forecaster, str]:
    from stages.generate.tokens import token_counter

    count, counted = token_counter()
    return Forecaster(prepared.params.runtime, costing, ledger.output_tokens, count, today=_today()), counted


def _announce(
    prepared: Prepared,
    wanted: Wanted,
    forecaster: Forecaster,
    costing: Costing,
    counted: str,
    *,
    listed: Listed = MappingProxyType({}),
) -> None:
    calls = [forecaster.forecast(planned) for planned, _ in wanted]
    _say(forecast_line(total(calls), len(prepared.cells), counted=counted))
    notes = [prepared.redirected, *(costing.deviation(*entry, day=_today()) for entry in prepared.models)]
    notes += [f"models/{config.id}.json: {note}" for config, note in prepared.warnings]
    notes += [*_retirements(prepared, listed), _out_in_batches(wanted)]
    for note in filter(None, notes):
        _say(f"note: {note}")


def _dry_run(prepared: Prepared, costing: Costing) -> None:
    """Print every cell and the forecast; writes nothing, not even a new ledger."""
    from rich.console import Console

    from stages.generate.dry_run import cell_table
    from stages.generate.model_listing import shutdown_days
    from stages.generate.why_miss import Nearest

    folder = environment.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        with Ledger(folder if (folder / FILE).exists() else Path(scratch), _say) as ledger:
            pulled = {row.fingerprint for row in _pulled(prepared, ledger)}
            wanted = [
                entry for entry in needed(prepared.cells, ledger) if entry[0].fingerprints[entry[1] - 1] not in pulled
            ]
            forecaster, counted = _forecaster(prepared, ledger, costing)
            nearest = Nearest(ledger.requests() if wanted else [])
            calls = {planned.fingerprints[draw - 1]: draw for planned, draw in wanted}
            table = cell_table(prepared.cells, calls, forecast=forecaster.forecast, why=nearest.why)
        width = None if sys.stdout.isatty() else 200
        Console(width=width, highlight=False).print(table)
        listed = shutdown_days((endpoint for _, endpoint in prepared.models), environment.variables())
        _announce(prepared, wanted, forecaster, costing, counted, listed=listed)


def _out_in_batches(wanted: Wanted) -> str | None:
    out = fingerprints_out(environment.ledger_folder())
    number = sum(planned.fingerprints[draw - 1] in out for planned, draw in wanted)
    told = "of these calls are out in batches: they are fetched, not sent again (--cancel-batches ends them)"
    return f"{number:,} {told}" if number else None


def _retirements(prepared: Prepared, listed: Listed) -> list[str]:
    from stages.generate.published_prices import published_for

    found = ((config, published_for(config, endpoint)) for config, endpoint in prepared.models)
    outdated = frozenset(config.id for config, prices in found if prices is not None and prices.deprecated)
    return retirement_notes(prepared.models, listed, outdated, today=datetime.date.fromisoformat(_today()))


def _published(config: ModelConfig, endpoint: Endpoint) -> PublishedModel | None:
    from stages.generate.published_prices import published_for

    return published_for(config, endpoint)


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
