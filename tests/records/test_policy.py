import json

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.json_text import JsonValue
from graph_evaluator.records.model_config import Policy, parse_config
from tests.builders.cases import cases
from tests.builders.policies import policy

GOOD: dict[str, JsonValue] = {
    "id": "p",
    "display_name": "P",
    "target_mode": "normal",
    "steps": [{"model": "a", "tries": 2}, {"model": "b"}],
}


def test_without_a_rule_a_usable_graph_is_accepted_and_a_step_is_one_try() -> None:
    read = parse_config(Policy, "p", json.dumps(GOOD), "policies/p.json")
    assert read.accept == "usable"
    assert [step.tries for step in read.steps] == [2, 1]


@cases(
    "accept, usable, score, accepted",
    {
        "usable": ("usable", True, 0.1, True),
        "not usable": ("usable", False, 0.0, False),
        "the score is reached": ({"min_score": 0.8}, True, 0.8, True),
        "the score is too low": ({"min_score": 0.8}, True, 0.79, False),
        "never without a usable graph": ({"min_score": 0}, False, 0.0, False),
    },
)
def test_an_answer_is_accepted(
    accept: JsonValue, usable: bool, score: float, accepted: bool
) -> None:
    assert policy(("a", 1), accept=accept).accepts(usable, score) is accepted


@cases(
    "changes, said",
    {
        "another file name": ({"id": "q"}, 'expected "p"'),
        "no steps": ({"steps": []}, "steps: must name at least one"),
        "misspelt key": ({"steps": [{"model": "a", "trys": 1}]}, 'did you mean "tries"?'),
        "a path for a model": ({"steps": [{"model": "../a"}]}, "steps.0.model: string should"),
        "unknown rule": ({"accept": "valid"}, "accept: should be 'usable', found 'valid'"),
        "score out of range": ({"accept": {"min_score": 2}}, "min_score: should be less"),
    },
)
def test_a_problem_names_the_key_and_what_is_allowed(
    changes: dict[str, JsonValue], said: str
) -> None:
    with pytest.raises(InputError) as raised:
        parse_config(Policy, "p", json.dumps(GOOD | changes), "policies/p.json")
    assert said in str(raised.value)
