import re

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.record import parse_yaml
from tests.builders.cases import cases


@cases(
    "text, value",
    {
        "a number without a point": ("1e-9", 1e-9),
        "a number with one": ("-2.5E3", -2500.0),
        "a folder's hash": (
            "7e7464724077ff834b49ed344a1550f1.dir",
            "7e7464724077ff834b49ed344a1550f1.dir",
        ),
        "a file's hash": ("8934e93397955d7617a0b02a5999b221", "8934e93397955d7617a0b02a5999b221"),
    },
)
def test_a_number_with_an_exponent_is_a_number_and_a_hash_is_a_text(text, value):
    assert parse_yaml(text, "x.yaml") == value


@cases(
    "text, line",
    {
        "a bracket": ("a: 1\nb: [x, y\nc: 2\n", 2),
        "a bracket at the end": ("a: 1\nb: [\n\n", 2),
        "a brace": ("a: {b: c\n", 1),
        "a quote": ('a: 1\nb: "x\nc: 2\n', 2),
        "a key without a colon": ("a: 1\nb\nc: 2\n", 2),
        "a wrong indentation": ("a:\n  b: 1\n c: 2\n", 3),
        "a key twice": ("a: 1\nb: 2\na: 3\n", 3),
    },
)
def test_the_line_of_a_mistake_is_where_it_was_made(text, line):
    with pytest.raises(InputError) as raised:
        parse_yaml(text, "x.yaml")
    assert raised.value.problems[0].where == f"line {line}"


@cases(
    "text, problem",
    {
        "an alias": ("a: &a [x, x]\nb: *a", "*a is an alias: write out what it stands for"),
        "brackets": ("a: " + "[" * 5_000, "nested too deeply"),
        "lists": ("- " * 5_000 + "x", "nested too deeply"),
    },
)
def test_a_text_that_would_fill_the_memory_is_refused(text, problem):
    with pytest.raises(InputError, match=re.escape(problem)):
        parse_yaml(text, "x.yaml")
