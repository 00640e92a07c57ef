import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stages.contracts.brief import Expectations
from stages.contracts.json_text import JsonValue, parse
from stages.generate.answers.structured import ordinary_form
from stages.score import score_graph
from stages.simulate.character import CAST
from stages.simulate.shaping import shaped
from tests.simulate.requests import BRIEFS, REPOSITORY, ask
from tests.simulate.scored import RULES

SCHEMA: dict[str, Any] = json.loads((REPOSITORY / "prompts" / "draft_graph.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
CASES: dict[str, tuple[JsonValue, JsonValue, JsonValue]] = {
    "another property goes": ({"a": 1, "b": 2}, {"type": "object", "properties": {"a": {"type": "number"}}}, {"a": 1}),
    "a missing text is empty": ({}, {"type": "object", "properties": {"a": {"type": "string"}}}, {"a": ""}),
    "what may be null is null": (None, {"anyOf": [{"type": "array"}, {"type": "null"}]}, None),
    "a word that is not allowed gives way": ("x", {"type": "string", "enum": ["y", "z"]}, "y"),
    "a missing list is empty": (None, {"type": "array", "items": {"type": "string"}}, []),
    "a reference is left alone": ({"a": 1}, {"$ref": "#/x"}, {"a": 1}),
    "no schema changes nothing": ([1], "schema", [1]),
}


@pytest.mark.parametrize(("value", "schema", "expected"), CASES.values(), ids=CASES.keys())
def test_a_value_takes_the_shape_of_the_schema(value: JsonValue, schema: JsonValue, expected: JsonValue) -> None:
    assert shaped(value, schema) == expected


@pytest.mark.parametrize("model", sorted(CAST))
def test_structured_answers_obey_the_shipped_schema(model: str) -> None:
    for brief in BRIEFS.values():
        answer = ask(model, brief.body, plain=True, schema=SCHEMA)
        if answer.ending == "complete":
            assert VALIDATOR.is_valid(parse(answer.text))


def test_a_structured_answer_scores_as_the_free_one_does() -> None:
    for brief in BRIEFS.values():
        free = score_graph(parse(ask("sim-careful", brief.body).text), Expectations(), RULES)
        structured = ordinary_form(parse(ask("sim-careful", brief.body, plain=True, schema=SCHEMA).text))
        assert score_graph(structured, Expectations(), RULES).overall_score == free.overall_score
