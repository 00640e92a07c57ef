from hypothesis import given, settings
from hypothesis import strategies as st

from stages.simulate import tokens


@given(st.text(max_size=300), st.integers(min_value=0, max_value=100))
@settings(max_examples=60, deadline=None)
def test_the_beginning_of_a_text_has_no_more_tokens_than_asked_for(text: str, limit: int) -> None:
    assert tokens.count(tokens.first(text, limit)) <= limit
    assert text.startswith(tokens.first(text, limit))


def test_a_short_prompt_is_not_cached() -> None:
    assert tokens.cacheable("word " * 100) == 0


def test_a_long_prompt_is_cached_in_blocks_of_128() -> None:
    assert tokens.cacheable("word " * 2000) == 2688
