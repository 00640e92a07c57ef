from stages.simulate.stream import Stream


def test_a_stream_never_changes_between_versions() -> None:
    stream = Stream("model", "brief")
    assert [int(stream.between(0, 1000)) for _ in range(5)] == [768, 171, 176, 563, 848]


def test_a_key_is_not_the_concatenation_of_its_parts() -> None:
    assert Stream("ab", "c").hex(32) != Stream("a", "bc").hex(32)


def test_a_branch_does_not_depend_on_the_numbers_taken_before_it() -> None:
    fresh, used = Stream("key"), Stream("key")
    for _ in range(7):
        used.between(0, 1)
    assert fresh.branch("part").hex(32) == used.branch("part").hex(32)


def test_numbers_are_spread_evenly() -> None:
    stream = Stream("spread")
    counts = [0] * 10
    for _ in range(10_000):
        counts[int(stream.between(0, 10))] += 1
    assert max(abs(count - 1000) for count in counts) < 120


def test_a_key_may_hold_any_text() -> None:
    assert Stream("\ud800", "ｷｰ", "\0").hex(8)
