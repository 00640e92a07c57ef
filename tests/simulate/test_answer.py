import os
import subprocess
import sys
from statistics import mean

from hypothesis import given, settings
from hypothesis import strategies as st

from stages.contracts.brief import Expectations
from stages.contracts.json_text import parse
from stages.score import score_graph
from tests.simulate.requests import BRIEFS, REPOSITORY, ask
from tests.simulate.scored import RULES, scores

TEXT = next(iter(BRIEFS.values())).body


def test_an_answer_is_a_pure_function_of_what_is_asked() -> None:
    assert ask("sim-careful", TEXT) == ask("sim-careful", TEXT)


def test_an_answer_does_not_depend_on_the_process() -> None:
    code = "from tests.simulate.requests import *; print([ask(m, b.body).text for m in CAST for b in BRIEFS.values()])"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_an_answer_changes_with_the_draw_the_model_the_input_and_the_instructions() -> None:
    texts = {
        ask("sim-careful", TEXT).text,
        ask("sim-careful", TEXT, draw="1/2/1").text,
        ask("sim-flaky", TEXT).text,
        ask("sim-careful", TEXT + " Please hurry.").text,
        ask("sim-careful", TEXT, instructions="Another prompt.").text,
    }
    assert len(texts) == 5


def test_another_prompt_has_answers_of_the_same_quality() -> None:
    def quality(instructions: str) -> float:
        graphs = [
            parse(ask("sim-careful", b.body, draw=d, instructions=instructions).text)
            for b in BRIEFS.values()
            for d in "123"
        ]
        found = [score_graph(graph, Expectations(), RULES).overall_score for graph in graphs]
        return mean(score for score in found if score is not None)

    assert abs(quality("One prompt.") - quality("Another.")) < 0.03


def test_rounds_differ_as_independent_draws_do() -> None:
    assert scores("sim-careful", "1/1/1") != scores("sim-careful", "2/1/1")
    assert abs(mean(scores("sim-careful", "1/1/1")) - mean(scores("sim-careful", "2/1/1"))) < 0.05


def test_what_goes_wrong_does_not_depend_on_the_prompt() -> None:
    one = [ask("sim-deep", brief.body).ending for brief in BRIEFS.values()]
    other = [ask("sim-deep", brief.body, instructions="Another prompt.").ending for brief in BRIEFS.values()]
    assert one == other


def test_an_answer_never_has_more_tokens_than_it_may() -> None:
    answer = ask("sim-deep", TEXT, max_output_tokens=500)
    assert (answer.ending, answer.output_tokens) == ("cut off", 500)


def test_a_json_format_leaves_nothing_but_json() -> None:
    assert all(isinstance(parse(ask("sim-chatty", b.body, plain=True).text), dict) for b in BRIEFS.values())


@given(st.text(max_size=200), st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_brief_has_an_answer(text: str, draw: str) -> None:
    assert ask("sim-sloppy", text, draw=draw, instructions="x").output_tokens > 0


def test_a_short_prompt_is_not_read_from_the_cache() -> None:
    assert ask("sim-careful", TEXT, instructions="Draft a graph.").cached_tokens == 0
