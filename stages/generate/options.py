"""The command line of the stage, and the inputs that it selects."""

import argparse
from collections.abc import Mapping, Sequence

from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.contracts.params import Params
from stages.generate.answers.structured import schema_fault
from stages.generate.plan.cells import RunPlan, plan_run
from stages.shell import paths
from stages.shell.files import read_input
from stages.shell.inputs import load_inputs, load_params, problems_of_files


def parse_options(words: Sequence[str]) -> argparse.Namespace:
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
        help="cancel all submitted batches and stop; the next run fetches what was finished",
    )
    parser.add_argument("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    parser.add_argument("--models", metavar="A,B", type=_listed, help="with --dry-run: other models, ids or patterns")
    parser.add_argument("--briefs", metavar="A,B", type=_listed, help="with --dry-run: other briefs, ids or patterns")
    parser.add_argument("--samples", metavar="N", type=int, help="with --dry-run: another number of samples")
    options = parser.parse_args(words)
    others = {"prompt": "prompt", "models": "models", "briefs": "briefs", "samples": "generate.samples"}
    if not options.dry_run:
        advice = "goes with --dry-run; to run with it: dvc exp run -S"
        problems = [
            Problem("command line", f"--{name}", f"{advice} {key}=...")
            for name, key in others.items()
            if getattr(options, name) is not None
        ]
        if problems:
            raise InputError(problems)
    return options


def load_plan(params: Params, variables: Mapping[str, str]) -> RunPlan:
    """The run that the settings and the input files describe.

    Raises:
        InputError: something in them is wrong; every problem of all files.
    """
    inputs = load_inputs(params)
    structured = any(config.params.response_format == "json_schema" for config in inputs.models)
    return plan_run(inputs, variables=variables, schema=_schema() if structured else None)


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
    return loaded


def chosen_params(options: argparse.Namespace) -> Params:
    """`params.yaml` with the values of the command line in their place.

    Raises:
        InputError: the problems of `params.yaml`, with those of all models and briefs, or of an option.
    """
    try:
        params = load_params()
    except InputError as error:
        raise InputError([*error.problems, *problems_of_files()]) from None
    changes: dict[str, object] = {
        name: value for name in ("prompt", "models", "briefs") if (value := getattr(options, name)) is not None
    }
    if options.samples is not None:
        if not 1 <= options.samples <= 1000:
            raise InputError([Problem("command line", "--samples", f"must be 1 to 1000, found {options.samples}")])
        changes["generate"] = params.generate.model_copy(update={"samples": options.samples})
    return params.model_copy(update=changes)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
