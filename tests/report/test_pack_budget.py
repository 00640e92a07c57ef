from hypothesis import given
from hypothesis import strategies as st

from stages.report.pack_budget import Block, packed

BLOCKS = st.lists(
    st.builds(
        Block,
        st.sampled_from(["graphs", "tables", "k" * 300]),
        st.text(max_size=3_000),
        st.lists(st.text(max_size=500), max_size=2).map(tuple),
        st.floats(0, 1),
    ),
    max_size=12,
)


@given(BLOCKS, st.integers(2_000, 8_000))
def test_the_text_never_passes_its_limit(blocks: list[Block], limit: int) -> None:
    assert len(packed(blocks, limit).encode("utf-8")) <= limit


@given(BLOCKS)
def test_with_room_for_all_everything_is_there(blocks: list[Block]) -> None:
    roomy = [Block(block.kind, block.content) for block in blocks]
    assert packed(roomy, 100_000) == "\n\n".join([*(block.content for block in roomy), "Nothing was left out."]) + "\n"


def test_a_smaller_block_after_one_that_does_not_fit_goes_in() -> None:
    text = packed([Block("graphs", "a" * 3_000), Block("graphs", "b")], 2_000)
    assert text == "b\n\nLeft out to keep to 2000 characters: 1 of 2 graphs.\n"


def test_the_longest_form_that_fits_is_taken_and_told() -> None:
    text = packed([Block("tables", "a" * 3_000, ("b" * 2_500, "c" * 100, "d"))], 2_000)
    assert text == "c" * 100 + "\n\nLeft out to keep to 2000 characters: 1 of 1 tables shortened.\n"


def test_a_block_keeps_to_its_share() -> None:
    assert packed([Block("tables", "a" * 300, ("b",), share=0.1)], 2_000).startswith("b\n")
