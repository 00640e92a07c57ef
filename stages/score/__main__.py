"""`graph-evaluator score`: scores the responses, which become results/scorecards.jsonl."""

from collections.abc import Sequence

from stages.score import Scorer
from stages.score.batch import score_files, score_traffic, write_scorecards
from stages.shared.records.errors import input_error
from stages.shared.shell import paths
from stages.shared.shell.command import command_parser, run
from stages.shared.shell.inputs import (
    changed_since,
    load_briefs,
    load_codebooks,
    load_params,
    load_prompt,
)
from stages.shared.shell.numbers import counted, first_of
from stages.shared.shell.results import check_responses, response_files

_INTRODUCTION = """\
When to use it: rules, briefs or codebooks have changed and the answers are there. `dvc repro` \
runs it for you.
It scores every response below results/responses/ by the rules under `score` in params.yaml and \
writes results/scorecards.jsonl; answers of recorded models to inputs that no brief has are scored \
too, form only. No model is called."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score what `generate` or another tool wrote."""
    command_parser("score", _INTRODUCTION, "").parse_args(arguments)
    params = load_params()
    prompt = load_prompt(params.prompt)
    briefs = load_briefs()
    manifest = check_responses()
    recorded = manifest.recorded if manifest else {}
    others = {run.prompt for run in recorded.values() if run.prompt} - {prompt.path}
    codebooks = load_codebooks(briefs)
    scorer = Scorer(params.score, briefs, prompt, map(load_prompt, sorted(others)), codebooks)
    files = list(response_files(paths.RESPONSES))
    traffic = list(score_traffic(recorded, scorer))
    if not files and not traffic:
        message = "there is no response*.json below it: run generate first"
        raise input_error(paths.RESPONSES.as_posix(), "", message)
    scored = list(score_files(files, scorer))
    write_scorecards(paths.SCORECARDS, [*scored, *traffic])
    print(f"{counted(len(scored), 'response')} scored in {paths.SCORECARDS.as_posix()}")
    if traffic:
        answers = counted(len(traffic), "answer")
        print(f"{answers} to inputs without a brief: scored, form only")
    changed = changed_since(manifest, prompt, briefs) if manifest else []
    if changed:
        print(f"note: the answers are older than {first_of(changed)}: `dvc repro` gets new ones")


if __name__ == "__main__":
    run(main)
