"""`python -m stages.score`: scores the responses, which become results/scorecards.jsonl and
results/audit.json.
"""

from collections.abc import Sequence

from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import pretty
from stages.score import Scorer
from stages.score.batch import audit_run, score_files, write_scorecards
from stages.score.response_files import response_files
from stages.shell import paths
from stages.shell.command import command_parser, run
from stages.shell.files import write_atomic
from stages.shell.inputs import check_responses, load_briefs, load_params, load_prompt
from stages.shell.numbers import counted

_DESCRIPTION = """\
Score every response below results/responses/ by the rules under `score` in params.yaml, and write
results/scorecards.jsonl and results/audit.json. No model is called."""

_OLDER_CHECKS = {"grounding", "prompt_copy", "target"}
_NOTE_ON_RESULT_SIGNS = """\
note: score.fidelity in params.yaml lists the checks of an earlier version; there is also
result_signs (an outcome that lowers the goal, a risk that raises it), which makes no graph
unusable until it is listed"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Score what `generate` or another tool wrote, and audit the instrument on it."""
    command_parser("score", _DESCRIPTION, "").parse_args(arguments)
    params = load_params()
    prompt = load_prompt(params.prompt)
    scorer = Scorer(params.score, load_briefs(), prompt)
    check_responses()
    files = list(response_files(paths.RESPONSES))
    if not files:
        message = "there is no response*.json below it: run generate first"
        raise InputError([Problem(paths.RESPONSES.as_posix(), "", message)])
    scored = score_files(files, scorer)
    write_scorecards(paths.SCORECARDS, scored)
    write_atomic(paths.AUDIT, pretty(audit_run(scored, scorer, prompt.text).to_json()))
    if {*params.score.fidelity} >= _OLDER_CHECKS and "result_signs" not in params.score.fidelity:
        print(_NOTE_ON_RESULT_SIGNS)
    print(f"{counted(len(scored), 'response')} scored in {paths.SCORECARDS.as_posix()}")


if __name__ == "__main__":
    run(main)
