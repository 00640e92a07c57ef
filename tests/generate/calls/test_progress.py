from stages.generate.calls.work import Event, Progress


def said(*events: tuple[Event, float | None], calls: int = 2) -> list[str]:
    """The lines of a run in which this happens."""
    lines: list[str] = []
    progress = Progress(calls, lines.append)
    for event, cost_usd in events:
        progress.observe(event, cost_usd)
    return lines


def test_the_end_is_one_line() -> None:
    lines = said(("answered", 0.5), ("retrying", None), ("failed", None))
    assert lines == ["2 of 2 done, 1 call failed, 1 retried, $0.500, 0:00:00 left"]


def test_a_further_draw_is_one_more_call_and_an_unknown_cost_is_not_counted_as_free() -> None:
    lines = said(("further", None), ("answered", 0.5), ("answered", None), ("answered", 0.5))
    assert lines == ["3 of 3 done, 0 calls failed, 0 retried, $1.00+, 0:00:00 left"]
