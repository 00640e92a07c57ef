"""JSON is read strictly, with doubles for numbers, and equal values are written as equal bytes."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.records.json_text import (
    MAX_LEVELS,
    NotJson,
    canonical,
    line,
    parse,
    pretty,
)
from tests.builders.cases import cases

NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def exactly(text):
    return json.loads(
        text, parse_int=lambda digits: int(digits) if abs(int(digits)) <= 2**53 else float(digits)
    )


@cases(
    "text, value",
    {
        "an integer beyond 2^53 is the nearest double": ("9007199254740993", 9007199254740992.0),
        "2^53 itself is exact": ("9007199254740992", 9007199254740992),
        "beyond a double is infinity": ("1e400", math.inf),
        "an integer beyond a double is infinity": ("1" + "0" * 400, math.inf),
        "of repeated keys the last counts": ('{"a": 1, "a": 2}', {"a": 2}),
        "a lone surrogate is kept": ('"\\ud800"', "\ud800"),
        "bytes are UTF-8": (b'"\xc3\xa4"', "ä"),
    },
)
def test_reads(text, value):
    found = parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[NaN, -Infinity]",
        "{'a': 1}",
        "[1,]",
        "{} {}",
        "\ufeff{}",
        b"\xff",
        "[" * 10**6,
    ],
    ids=lambda text: repr(text)[:20],
)
def test_refuses_what_is_no_json(text):
    with pytest.raises(NotJson):
        parse(text)


@given(VALUES)
def test_what_is_written_reads_back(value):
    assert canonical(parse(canonical(value))) == canonical(exactly(canonical(value)))
    assert canonical(parse(pretty(value))) == canonical(exactly(canonical(value)))


def nested(opening, closing, levels):
    return opening * levels + ("" if opening == "[" else "1") + closing * levels


@cases("opening, closing", {"arrays": ("[", "]"), "objects": ('{"a":', "}")})
def test_nesting_is_read_and_written_up_to_the_limit_and_refused_beyond(opening, closing):
    text = nested(opening, closing, MAX_LEVELS)
    assert canonical(parse(text)) == text
    assert parse(pretty(parse(text))) == parse(text)
    for levels in (MAX_LEVELS + 1, 100_000):
        with pytest.raises(NotJson, match="more than 200 levels"):
            parse(nested(opening, closing, levels))


def test_a_line_keeps_the_order_of_the_keys():
    assert (
        line({"b": 1, "a": [{"d": "\udc00", "c": math.inf}]})
        == b'{"b":1,"a":[{"d":"\\udc00","c":1e999}]}\n'
    )


def test_nan_cannot_be_written():
    with pytest.raises(NotJson, match="NaN"):
        canonical([math.nan])
