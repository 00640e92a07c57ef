"""`python -m stages.score`: every response below results/responses/ becomes a line of results/scorecards.jsonl."""

from stages.contracts.errors import InputError, Problem
from stages.score.batch import score_files, write_scorecards
from stages.score.response_files import response_files
from stages.shell import paths
from stages.shell.command import run
from stages.shell.inputs import load_briefs, load_params


def main() -> None:
    """Score what `generate` or another tool wrote.

    Raises:
        InputError: there are no responses, or one of them, a brief or `params.yaml` is faulty.
    """
    rules = load_params().score
    briefs = {brief.id: brief for brief in load_briefs()}
    folder = paths.RESPONSES
    files = list(response_files(folder))
    if not files:
        raise InputError([Problem(folder.as_posix(), "", "there is no response*.json below it: run generate first")])
    write_scorecards(paths.SCORECARDS, score_files(files, rules, briefs))
    count = len(files)
    print(f"{count} {'response' if count == 1 else 'responses'} scored in {paths.SCORECARDS.as_posix()}")


if __name__ == "__main__":
    run(main)
