"""A dask bag scores a thousand stored answers on two processes as the stage does."""

import json

from examples import many_answers
from graph_evaluator.generate.answers import read_answer
from graph_evaluator.records.response import Cell, Response
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_params, load_prompt
from tests.builders.api_bodies import response_body

GRAPH = load_prompt("prompts/draft_graph_v21.txt").text.split("example_graph>")[1][:-2]
TEXTS = [GRAPH, GRAPH.replace('"decision"', '"choice"', 1), "I am sorry."]


def stored(number):
    """The response to a cell; a third of the answers are usable graphs, of the example's brief."""
    body = json.dumps(response_body(TEXTS[number % 3]))
    answer = read_answer(body, latency_ms=float(number), attempts=1, created_at=None)
    return Response(cell=Cell("m", "01-simple-binary", number), answer=answer)


def test_a_thousand_stored_answers_are_scored_on_two_processes(tmp_path):
    responses = [stored(number) for number in range(1, 1_001)]
    for part in range(4):
        lines = [json.dumps(one.to_json()) for one in responses[part::4]]
        (tmp_path / f"{part}.jsonl").write_text("\n".join(lines))
    many_answers.main(f"{tmp_path}/*.jsonl", f"{tmp_path}/scorecards")
    written = [
        json.loads(line)
        for file in (tmp_path / "scorecards").iterdir()
        for line in file.read_text().splitlines()
    ]
    params, briefs = load_params(), load_briefs()
    scorer = Scorer(
        params.score, briefs, load_prompt(params.prompt), codebooks=load_codebooks(briefs)
    )
    expected = [json.loads(json.dumps(scorer.score(one).to_json())) for one in responses]
    assert sorted(written, key=lambda card: card["sample"]) == expected
