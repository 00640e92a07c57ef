"""The JSON in an answer is found whatever is around it; `vectors/extraction.jsonl` has the rules."""

from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.answers import extract

FENCE = "```"


@given(st.text())
def test_any_text_is_searched_without_a_crash(raw):
    parsed, method = extract(raw)
    assert (method is None) <= (parsed is None)
