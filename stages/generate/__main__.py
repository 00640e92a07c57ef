"""`python -m stages.generate`: get every missing answer, write a response for each cell and the run manifest."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from filelock import FileLock

from stages.contracts.errors import InputError, NothingAnswered, Problem
from stages.contracts.params import Params
from stages.generate.calls.fetch import Fetched
from stages.generate.inputs import load_plan
from stages.generate.ledger.store import Ledger
from stages.generate.missing import missing_answers, say
from stages.generate.responses.files import ResponseFolder, write_run
from stages.generate.responses.files import manifest as run_manifest
from stages.generate.responses.summary import RunSummary, commonest_messages
from stages.generate.responses.writer import ResponseWriter
from stages.shell import environment, paths
from stages.shell.command import run
from stages.shell.git import head_commit
from stages.shell.inputs import load_params, problems_of_files


def main() -> int:
    """Everything, from the settings to the files."""
    options = _parse_options(sys.argv[1:])
    variables = environment.variables()
    folder = environment.ledger_folder()
    if options.cancel_batches:
        from stages.generate.batch.submit import cancel_all  # loads the SDK

        return min(asyncio.run(cancel_all(folder, variables, say)), 1)
    plan = load_plan(_chosen_params(options), variables)
    if options.dry_run:
        from stages.generate.dry_run import print_dry_run  # loads the SDK

        print_dry_run(plan, variables)
        return 0
    with Ledger(folder, say) as ledger:
        if ledger.was_empty and any(paths.RESPONSES.glob("*/*/*.json")):
            say(
                f"the ledger {ledger.file} is empty (0 bytes) although {paths.RESPONSES} has responses: it was emptied"
            )
        lock = FileLock(folder / "writing.lock")  # runs that wait for each other end together
        with ResponseFolder(paths.RESPONSES, lock) as responses:
            writer = ResponseWriter(plan.cells, responses)
            missing = missing_answers(plan, ledger, variables)
            fetched = Fetched()
            if missing:
                from stages.generate.pipeline import fetch_answers  # loads the SDK

                fetched = fetch_answers(
                    plan, missing, ledger, variables, on_answer=writer.write_answer
                )
            results = writer.write_others(ledger, fetched.failures)
            manifest = run_manifest(plan.prompt, plan.models, plan.briefs, plan.params.generate)
            with lock:
                manifest = manifest.model_copy(update={"responses_sha256": responses.publish()})
                write_run(paths.RUN, manifest, head_commit())
    summary = RunSummary(results, fetched.paid_usd)
    for line in summary.lines():
        say(line)
    if not summary.answered:
        reasons = "".join(f"\n  {message}" for message in commonest_messages(results))
        raise NothingAnswered(
            f"no cell has an answer; the commonest reason of each model:{reasons}"
        )
    return 0


def _parse_options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stages.generate",
        description="Send every brief to every model and write a response for each cell. Settings are in params.yaml.",
        epilog="To run with other settings: dvc exp run -S prompt=... -S 'models=[...]' -S 'briefs=[...]'.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--dry-run",
        action="store_true",
        help="list every cell and forecast tokens and cost; call nothing",
    )
    shown = "cancel all submitted batches and stop; the next run fetches what was finished"
    add("--cancel-batches", action="store_true", help=shown)
    add("--prompt", metavar="PATH", help="with --dry-run: another prompt")
    add(
        "--models",
        metavar="A,B",
        type=_listed,
        help="with --dry-run: other models, ids or patterns",
    )
    add(
        "--briefs",
        metavar="A,B",
        type=_listed,
        help="with --dry-run: other briefs, ids or patterns",
    )
    add("--samples", metavar="N", type=int, help="with --dry-run: another number of samples")
    if "--cancel-batches" in words and len(words) > 1:
        parser.error("--cancel-batches goes alone: it cancels the batches of all models")
    return parser.parse_args(words)


def _chosen_params(options: argparse.Namespace) -> Params:
    """`params.yaml` with the values of the command line in their place; a problem is reported with those of all input files."""
    keys = {
        "prompt": "prompt",
        "models": "models",
        "briefs": "briefs",
        "samples": "generate.samples",
    }
    changes = {name: value for name in keys if (value := getattr(options, name)) is not None}
    problems = [
        Problem(
            "command line",
            f"--{name}",
            f"goes with --dry-run; to run with it: dvc exp run -S {keys[name]}=...",
        )
        for name in changes
        if not options.dry_run
    ]
    samples = changes.pop("samples", None)
    if samples is not None and not 1 <= samples <= 1000:
        problems.append(Problem("command line", "--samples", f"must be 1 to 1000, found {samples}"))
    if problems:
        raise InputError(problems)
    try:
        params = load_params()
    except InputError as error:
        raise InputError([*error.problems, *problems_of_files()]) from None
    if samples is not None:
        changes["generate"] = params.generate.model_copy(update={"samples": samples})
    return params.model_copy(update=changes)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


if __name__ == "__main__":
    run(main)
