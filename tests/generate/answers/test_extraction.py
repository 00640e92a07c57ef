"""The JSON in an answer is found whatever is around it; `vectors/extraction.jsonl` has the rules."""

import json

from hypothesis import given
from hypothesis import strategies as st

from stages.generate.answers.extraction import extract
from stages.shared.records.json_text import JsonValue

FENCE = "```"


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
    wrapped = (text, f"{FENCE}{tag}\n{text}\n{FENCE}", f"The answer: {text}\nThat is all.")
    methods = {extract(raw).method for raw in wrapped if extract(raw).parsed == value}
    assert methods == {"direct", "stripped_fence", "bracketed"}
