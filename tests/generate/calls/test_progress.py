import io

from stages.generate.calls.progress import CallEvent, Tally, show_progress
from tests.generate.calls.examples import call


def event(kind: str, cost_usd: float | None = None) -> CallEvent:
    return CallEvent(kind=kind, call=call(), cost_usd=cost_usd)  # type: ignore[arg-type]


def test_a_further_draw_is_one_more_call_to_be_done() -> None:
    tally = Tally(1)
    for one in (event("answered", 0.5), event("further")):
        tally.count(one)
    assert (tally.done, tally.total) == (1, 2)


def test_answers_of_unknown_cost_are_not_counted_as_free() -> None:
    tally = Tally(3)
    tally.count(event("answered"))
    assert tally.cost() == "cost not known"
    tally.count(event("answered", 0.25))
    assert tally.cost() == "$0.250+"


def test_nothing_done_leaves_the_time_left_open() -> None:
    assert Tally(3).left(10.0) == "?"


def test_hours_are_shown_as_hours() -> None:
    assert Tally(100, answered=1).left(100.0) == "2h 45m"


def test_without_a_terminal_the_end_is_one_line() -> None:
    written = io.StringIO()
    with show_progress(2, to=written) as observe:
        for one in (event("answered", 0.5), event("failed")):
            observe(one)
    assert written.getvalue().startswith("2 of 2 done, 1 failed, ")
    assert written.getvalue().count("\n") == 1


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_there_is_a_bar() -> None:
    written = Terminal()
    with show_progress(2, to=written) as observe:
        observe(event("answered", 0.5))
        observe(event("failed"))
    assert "2 of 2 done" in written.getvalue()
    assert "1 failed" in written.getvalue()
    assert "no calls to" not in written.getvalue()


def test_on_a_terminal_a_long_hold_is_reported_above_the_bar() -> None:
    written = Terminal()
    with show_progress(2, to=written) as observe:
        observe(
            CallEvent(
                kind="held",
                call=call(url="http://127.0.0.1/v1"),
                wait_s=60.0,
                message="[red]slow down",
            )
        )
    assert "no calls to http://127.0.0.1/v1 until " in written.getvalue()
    assert "(for 60 s): [red]slow down" in " ".join(written.getvalue().split())


def test_nothing_to_do_shows_nothing() -> None:
    written = io.StringIO()
    with show_progress(0, to=written):
        pass
    assert written.getvalue() == ""


def test_a_long_hold_is_reported_with_its_end_and_its_reason() -> None:
    written = io.StringIO()
    with show_progress(2, to=written) as observe:
        observe(
            CallEvent(
                kind="held",
                call=call(url="http://127.0.0.1/v1"),
                wait_s=60.0,
                message="HTTP 429: slow down",
            )
        )
    line = written.getvalue()
    assert line.startswith("no calls to http://127.0.0.1/v1 until ")
    assert line.endswith("(for 60 s): HTTP 429: slow down\n")
