from hypothesis import given, settings
from hypothesis import strategies as st

from stages.simulate.stream import Stream


def test_a_stream_never_changes_between_versions() -> None:
    stream = Stream("model", "brief")
    assert [stream.below(1000) for _ in range(5)] == [768, 650, 158, 18, 171]


def test_a_key_is_not_the_concatenation_of_its_parts() -> None:
    assert Stream("ab", "c").hex(32) != Stream("a", "bc").hex(32)


def test_a_branch_does_not_depend_on_the_draws_taken_before_it() -> None:
    fresh, used = Stream("key"), Stream("key")
    for _ in range(7):
        used.unit()
    assert fresh.branch("part").hex(32) == used.branch("part").hex(32)


def test_draws_spread_evenly() -> None:
    stream = Stream("spread")
    counts = [0] * 10
    for _ in range(10_000):
        counts[stream.below(10)] += 1
    assert max(abs(count - 1000) for count in counts) < 120


@given(st.lists(st.integers(), max_size=30), st.text(max_size=5))
@settings(max_examples=60, deadline=None)
def test_shuffling_keeps_every_item(items: list[int], key: str) -> None:
    assert sorted(Stream(key).shuffled(items)) == sorted(items)


def test_a_key_may_hold_any_text() -> None:
    assert Stream("\ud800", "ｷｰ", "\0").hex(8)
