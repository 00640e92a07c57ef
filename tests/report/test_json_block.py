import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.json_text import JsonValue
from stages.report.json_block import json_block
from tests.report.hostile import HOSTILE

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def parsed(block: str) -> Any:
    """The JSON in a block; its first and last line are fences."""
    return json.loads(block.split("\n", 1)[1].rsplit("\n", 1)[0])


@given(VALUES)
def test_a_block_reads_back_as_what_it_shows(value: JsonValue) -> None:
    assert parsed(json_block(value)) == value


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_in_it_hides_or_closes_the_block(value: str) -> None:
    block = json_block({"label": value})
    assert parsed(block) == {"label": value}
    assert len(block.split("\n")) == 3
    assert not {unicodedata.category(char) for char in block.replace("\n", "")} & {"Cc", "Cf", "Cs"}
