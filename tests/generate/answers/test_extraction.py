"""The JSON in an answer is found as it is, in one fence, or between braces, and anything else is given up on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.json_text import JsonValue
from stages.generate.answers.extraction import Extraction, extract

TEXT = '{"a": [1, "}"]}'
VALUE: JsonValue = {"a": [1, "}"]}
FENCE = "```"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(TEXT, Extraction(VALUE, "direct", False), id="as it is"),
        pytest.param(
            f"\ufeff\u00a0\n{TEXT}\u2028\t",
            Extraction(VALUE, "direct", False),
            id="white space around it",
        ),
        pytest.param("[1]", Extraction([1], "direct", False), id="any JSON value"),
        pytest.param("null", Extraction(None, "direct", False), id="null is nothing to score"),
        pytest.param(
            f"{FENCE}json\n{TEXT}\n{FENCE}",
            Extraction(VALUE, "stripped_fence", True),
            id="a tagged fence",
        ),
        pytest.param(
            f" {FENCE}JSON\r\n{TEXT}\r\n{FENCE}\n",
            Extraction(VALUE, "stripped_fence", True),
            id="the tag in any case",
        ),
        pytest.param(
            f"{FENCE}{TEXT}{FENCE}",
            Extraction(VALUE, "stripped_fence", True),
            id="a fence without tag or line ends",
        ),
        pytest.param(
            f"{FENCE}\n[1,\n2]\n{FENCE}",
            Extraction([1, 2], "stripped_fence", True),
            id="an array in a fence",
        ),
        pytest.param(
            f"{FENCE}yaml\n{TEXT}\n{FENCE}", Extraction(VALUE, "bracketed", True), id="another tag"
        ),
        pytest.param(
            f"Here:\n{FENCE}json\n{TEXT}\n{FENCE}",
            Extraction(VALUE, "bracketed", True),
            id="prose before the fence",
        ),
        pytest.param(
            f"So {TEXT} it is.", Extraction(VALUE, "bracketed", True), id="prose around it"
        ),
        pytest.param(f"{{x}} {TEXT}", Extraction(None, None, True), id="braces before it"),
        pytest.param(TEXT + TEXT, Extraction(None, None, True), id="two objects"),
        pytest.param(TEXT[:-1], Extraction(None, None, True), id="cut off"),
        pytest.param("} {", Extraction(None, None, True), id="braces the wrong way round"),
        pytest.param("```", Extraction(None, None, True), id="nothing but a fence"),
        pytest.param("`````", Extraction(None, None, True), id="fences that overlap"),
        pytest.param("``````", Extraction(None, None, True), id="an empty fence"),
        pytest.param("", Extraction(None, None, True), id="nothing"),
        pytest.param('{"a": NaN}', Extraction(None, None, True), id="NaN is no JSON"),
        pytest.param("Sorry.", Extraction(None, None, True), id="prose"),
    ],
)
def test_extraction(raw: str, expected: Extraction) -> None:
    assert extract(raw) == expected


@given(st.text())
def test_any_text_is_searched_without_a_crash(raw: str) -> None:
    found = extract(raw)
    assert (found.method is None) <= (found.parsed is None)


@given(
    st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text()),
    st.sampled_from(["", "json", "Json"]),
)
def test_an_object_comes_out_as_it_went_in(value: dict[str, JsonValue], tag: str) -> None:
    text = json.dumps(value)
    assert extract(text).parsed == value
    assert extract(f"{FENCE}{tag}\n{text}\n{FENCE}") == Extraction(value, "stripped_fence", True)
    assert extract(f"The answer: {text}\nThat is all.").parsed == value
