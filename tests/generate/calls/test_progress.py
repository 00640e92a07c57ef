import io

from stages.generate.calls.progress import Event, show_progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, *events: tuple[Event, float | None], calls: int = 2) -> str:
    """What is shown of a run in which this happens."""
    with show_progress(calls, to=stream) as observe:
        for event, cost_usd in events:
            observe(event, cost_usd)
    return " ".join(stream.getvalue().split())


def test_without_a_terminal_the_end_is_one_line_and_no_call_shows_nothing() -> None:
    text = shown(io.StringIO(), ("answered", 0.5), ("retrying", None), ("failed", None))
    assert text.startswith("2 of 2 done, 1 call failed, 1 retried, $0.500, ")
    assert text.count("done") == 1
    assert shown(io.StringIO(), calls=0) == ""


def test_a_further_draw_is_one_more_call_and_an_unknown_cost_is_not_counted_as_free() -> None:
    events: list[tuple[Event, float | None]]
    events = [("further", None), ("answered", 0.5), ("answered", None), ("answered", 0.5)]
    text = shown(io.StringIO(), *events)
    assert text.startswith("3 of 3 done, 0 calls failed, 0 retried, $1.00+, ")


def test_on_a_terminal_there_is_a_bar() -> None:
    assert "2 of 2 done, 1 call failed" in shown(Terminal(), ("answered", 0.5), ("failed", None))
