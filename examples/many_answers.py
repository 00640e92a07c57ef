"""Score any number of stored answers, a response to a line, on several processes: `python -m examples.many_answers "answers/*.jsonl" scorecards`.

With dask's distributed scheduler the same bag is scored on several machines.
"""

from argparse import ArgumentParser

import dask.bag

from graph_evaluator.records.json_text import line, parse
from graph_evaluator.records.response import Response
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_params, load_prompt

PROCESSES = 2


def score_line(text: str, scorer: Scorer) -> str:
    """The scorecard of the response in a line, as a line without its end."""
    response = Response.model_validate(parse(text))
    return line(scorer.score(response).to_json()).decode().rstrip("\n")


def main(pattern: str, folder: str) -> None:
    """Score every line of the files that a pattern matches; each gives a file of scorecards."""
    params, briefs = load_params(), load_briefs()
    prompt, codebooks = load_prompt(params.prompt), load_codebooks(briefs)
    scorer = Scorer(params.score, briefs, prompt, codebooks=codebooks)
    answers = dask.bag.read_text(pattern)
    scorecards = answers.map(score_line, scorer=scorer)
    with dask.config.set(scheduler="processes", num_workers=PROCESSES):
        scorecards.to_textfiles(f"{folder}/*.jsonl")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("pattern")
    parser.add_argument("folder")
    main(**vars(parser.parse_args()))
