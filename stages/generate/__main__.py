"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import stages.shell.interrupt  # noqa: F401, I001 - first, so that Ctrl-C is quiet while the rest loads
import os
import sys
import threading
from collections.abc import Mapping
from importlib import import_module

from filelock import FileLock

from stages.contracts.errors import InputError, NothingAnswered, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse, pretty
from stages.contracts.model_config import ModelConfig
from stages.contracts.run import TOOL_VERSION, PromptRef
from stages.generate.answers.conclusion import Conclusion
from stages.generate.answers.files import ResponseFiles, read_run
from stages.generate.answers.git_state import head_commit
from stages.generate.answers.manifest import commit_of_same, manifest
from stages.generate.answers.recall import Ingredients
from stages.generate.answers.recall_file import maker, read_traces, write_traces
from stages.generate.call import Endpoint
from stages.generate.campaign import Fetched
from stages.generate.cost.costing import Costing
from stages.generate.cost.pricing import PublishedModel
from stages.generate.ledger.pulled import pulled
from stages.generate.ledger.store import Ledger
from stages.generate.orphan_watch import terminate_self, watch_parent
from stages.generate.plan.arguments import Arguments, changed, parse_arguments
from stages.generate.plan.endpoint import missing_secrets
from stages.generate.plan.needs import Wanted, needed
from stages.generate.plan.preparation import Prepared, needs_schema, prepare
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.files import read_input, write_atomic
from stages.shell.inputs import load_inputs, load_params
from stages.shell.loading import uncollected


def main() -> int:
    """Everything, from the settings to the files."""
    arguments = parse_arguments(sys.argv[1:])
    variables = environment.variables()
    if arguments.cancel_batches:
        from stages.generate.batch.batching import cancel_all

        return min(cancel_all(environment.ledger_folder(), variables, _say), 1)
    prepared = _prepared(arguments, variables)
    costing = Costing(_published)
    if arguments.dry_run:
        from stages.generate.plan.dry_run import dry_run

        dry_run(prepared, costing, variables)
        return 0
    with Ledger(environment.ledger_folder(), _say) as ledger:
        wanted = needed(prepared.cells, ledger)
        if rows := pulled(wanted):
            ledger.add(rows)
            wanted = needed(prepared.cells, ledger)
        fetched = _fetch(prepared, wanted, ledger, costing, variables)
        conclusion = Conclusion(fetched, costing)
        with FileLock(environment.ledger_folder() / "writing.lock"):  # runs that wait for each other end together
            folder = ledger.file.parent
            with ResponseFiles(paths.RESPONSES, Ingredients(maker()), read_traces(folder)) as files:
                for response in conclusion.responses(prepared.cells, ledger, files.standing):
                    files.write(response)
            write_traces(folder, files.traces)
    _write_manifest(prepared, same=fetched == Fetched() and not files.changed)
    for line in conclusion.lines():
        _say(line)
    if not conclusion.answered:
        raise NothingAnswered("no cell has an answer; error_message in results/responses says why")
    return 0


def _write_manifest(prepared: Prepared, *, same: bool) -> None:
    """Write the manifest; with `same`, when nothing was called or altered, it stays that of the run before, commit and all."""
    found = manifest(
        prepared.prompt, prepared.models, prepared.briefs, prepared.params.generate, tool_version=TOOL_VERSION
    )
    commit = (commit_of_same(found, read_run(paths.RUN)) if same else None) or head_commit()
    write_atomic(paths.RUN, pretty(found.model_copy(update={"git_sha": commit}).to_json()))


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


def _fetch(
    prepared: Prepared, wanted: Wanted, ledger: Ledger, costing: Costing, variables: Mapping[str, str]
) -> Fetched:
    """Call what is missing, if anything is; what only that needs is loaded only then."""
    if not wanted:
        return Fetched()
    ids = {planned.config.id for planned, _ in wanted}
    problems = missing_secrets([entry for entry in prepared.models if entry[0].id in ids], variables)
    if problems:
        raise InputError(problems)
    with uncollected():
        from stages.generate.calling import call_missing
        from stages.generate.plan.announcement import announce, open_forecaster

    forecaster, counted = open_forecaster(prepared, ledger, costing)
    announce(prepared, wanted, forecaster, costing, counted, _say)
    over = threading.Event()
    if "DVC_ROOT" in os.environ:
        watch_parent(over, terminate_self)
    with uncollected():
        import_module("stages.generate.client.sdk")
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


def _published(config: ModelConfig, endpoint: Endpoint) -> PublishedModel | None:
    from stages.generate.cost.published_prices import published_for

    return published_for(config, endpoint)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
