import io

import pytest

from stages.generate.calls.progress import CallEvent, Tally, show_progress
from tests.generate.calls.examples import call

ANSWERED = CallEvent(kind="answered", call=call(), cost_usd=0.5)
FAILED = CallEvent(kind="failed", call=call())
HELD = CallEvent(
    kind="held", call=call(url="http://127.0.0.1/v1"), wait_s=60.0, message="[red]slow down"
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, *events: CallEvent) -> list[str]:
    """The words that are shown of a run of so many events."""
    with show_progress(len(events), to=stream) as observe:
        for event in events:
            observe(event)
    return stream.getvalue().split()


def test_a_further_draw_is_one_more_call_to_be_done() -> None:
    tally = Tally(1)
    for event in (ANSWERED, CallEvent(kind="further", call=call())):
        tally.count(event)
    assert tally.done == 1
    assert tally.total == 2


def test_answers_of_unknown_cost_are_not_counted_as_free() -> None:
    tally = Tally(3)
    tally.count(CallEvent(kind="answered", call=call()))
    assert tally.cost() == "cost not known"
    tally.count(ANSWERED)
    assert tally.cost() == "$0.500+"


def test_the_time_left_is_open_until_something_is_done_and_may_be_hours() -> None:
    assert Tally(3).left(10.0) == "?"
    assert Tally(100, answered=1).left(100.0) == "2h 45m"


def test_without_a_terminal_the_end_is_one_line() -> None:
    stream = io.StringIO()
    words = shown(stream, ANSWERED, FAILED)
    assert words[:7] == ["2", "of", "2", "done,", "1", "call", "failed,"]
    assert stream.getvalue().count("\n") == 1
    assert shown(io.StringIO()) == []


def test_on_a_terminal_there_is_a_bar() -> None:
    text = " ".join(shown(Terminal(), ANSWERED, FAILED))
    assert "2 of 2 done, 1 call failed" in text
    assert "no calls to" not in text


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_a_long_hold_is_reported_with_its_end_and_its_reason(kind: type[io.StringIO]) -> None:
    text = " ".join(shown(kind(), HELD, ANSWERED))
    assert "no calls to http://127.0.0.1/v1 until " in text
    assert "(for 60 s): [red]slow down" in text
