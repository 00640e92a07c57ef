import hashlib
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stages.contracts.brief import Expectations
from stages.contracts.json_text import JsonValue, parse
from stages.generate.answers.extraction import ordinary_form
from stages.simulate.answer import count_tokens, shaped
from stages.simulate.characters import CHARACTERS
from tests.builders.cases import cases
from tests.score.drafts import scored as score_graph
from tests.simulate.requests import BRIEFS, REPOSITORY, RULES, ask

TEXT = next(iter(BRIEFS.values())).body
SCHEMA: Any = parse((REPOSITORY / "prompts" / "draft_graph.schema.json").read_bytes())


def test_an_answer_is_the_same_in_every_process_and_version() -> None:
    texts = [ask(model, TEXT, instructions="Draft.").text for model in CHARACTERS]
    texts += [
        ask("sim-sloppy", brief.body, instructions="Draft.").text for brief in BRIEFS.values()
    ]
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    assert digest[:16] == "fbfd9a43af04bb31"


def test_an_answer_changes_with_the_draw_the_model_the_input_and_the_instructions() -> None:
    answers = [
        ask("sim-careful", TEXT),
        ask("sim-careful", TEXT, draw="1/2/1"),
        ask("sim-deep", TEXT),
        ask("sim-careful", TEXT + " Please hurry."),
        ask("sim-careful", TEXT, instructions="Another prompt."),
    ]
    assert len({answer.text for answer in answers}) == 5


def test_another_prompt_gets_answers_of_the_same_quality() -> None:
    def quality(instructions: str) -> float:
        graphs = [
            parse(ask("sim-careful", b.body, draw=d, instructions=instructions).text)
            for b in BRIEFS.values()
            for d in "123"
        ]
        found = [score_graph(graph, Expectations(), RULES).overall_score for graph in graphs]
        return mean(score for score in found if score is not None)

    assert abs(quality("One prompt.") - quality("Another.")) < 0.03


def test_refusals_and_cut_offs_do_not_depend_on_the_prompt() -> None:
    one = [ask("sim-deep", brief.body).ending for brief in BRIEFS.values()]
    other = [
        ask("sim-deep", brief.body, instructions="Another prompt.").ending
        for brief in BRIEFS.values()
    ]
    assert one == other


@pytest.mark.parametrize("limit", [16, 500])
@pytest.mark.parametrize("model", ["sim-careful", "sim-deep"])
def test_an_answer_never_has_more_tokens_than_the_limit(model: str, limit: int) -> None:
    answer = ask(model, TEXT, max_output_tokens=limit)
    assert (answer.ending, answer.output_tokens) == ("cut off", limit)
    assert count_tokens(answer.text) + answer.reasoning_tokens <= limit


@given(st.text(max_size=200), st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_brief_gets_an_answer(text: str, draw: str) -> None:
    assert ask("sim-sloppy", text, draw=draw, instructions="x").output_tokens > 0


def test_a_json_format_leaves_nothing_but_json() -> None:
    assert all(
        isinstance(parse(ask("sim-chatty", b.body, json_only=True).text), dict)
        for b in BRIEFS.values()
    )


CASES: dict[str, tuple[JsonValue, JsonValue, JsonValue]] = {
    "another property is removed": (
        {"a": 1, "b": 2},
        {"type": "object", "properties": {"a": {"type": "number"}}},
        {"a": 1},
    ),
    "a missing text is empty": (
        {},
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"a": ""},
    ),
    "what may be null is null": (None, {"anyOf": [{"type": "array"}, {"type": "null"}]}, None),
    "a missing list is empty": (None, {"type": "array", "items": {"type": "string"}}, []),
    "a reference changes nothing": ({"a": 1}, {"$ref": "#/x"}, {"a": 1}),
    "no schema changes nothing": ([1], "schema", [1]),
}


@cases("value, schema, expected", CASES)
def test_a_value_takes_the_shape_of_the_schema(
    value: JsonValue, schema: JsonValue, expected: JsonValue
) -> None:
    assert shaped(value, schema) == expected


@pytest.mark.parametrize(
    "model", sorted(set(CHARACTERS) - {"sim-sloppy", "sim-chatty", "sim-flaky"})
)
def test_structured_answers_follow_the_shipped_schema(model: str) -> None:
    for brief in BRIEFS.values():
        answer = ask(model, brief.body, json_only=True, schema=SCHEMA)
        if answer.ending == "complete":
            assert Draft202012Validator(SCHEMA).is_valid(parse(answer.text))


def test_a_structured_answer_scores_as_the_free_one_does() -> None:
    for brief in BRIEFS.values():
        free = score_graph(parse(ask("sim-careful", brief.body).text), Expectations(), RULES)
        structured = ordinary_form(
            parse(ask("sim-careful", brief.body, json_only=True, schema=SCHEMA).text)
        )
        assert score_graph(structured, Expectations(), RULES).overall_score == free.overall_score
