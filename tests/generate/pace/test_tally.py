import io

from stages.generate.pace.event import Event
from stages.generate.pace.progress import show_progress
from stages.generate.pace.tally import Tally
from tests.generate.old_calls import call


def event(kind: str, cost_usd: float | None = None) -> Event:
    return Event(kind=kind, call=call(), cost_usd=cost_usd)  # type: ignore[arg-type]


def test_a_further_draw_is_one_more_call_to_be_done() -> None:
    tally = Tally(1)
    for one in (event("sent"), event("answered", 0.5), event("further")):
        tally.count(one)
    assert (tally.done, tally.total) == (1, 2)


def test_answers_of_unknown_cost_are_not_counted_as_free() -> None:
    tally = Tally(3)
    tally.count(event("answered"))
    assert tally.cost() == "cost not known"
    tally.count(event("answered", 0.25))
    assert tally.cost() == "$0.25+"


def test_nothing_done_leaves_the_time_left_open() -> None:
    assert Tally(3).left(10.0) == "?"


def test_hours_are_told_as_hours() -> None:
    assert Tally(100, answered=1).left(100.0) == "2h 45m"


def test_without_a_terminal_the_end_is_one_line() -> None:
    written = io.StringIO()
    with show_progress(2, to=written) as observe:
        for one in (event("sent"), event("answered", 0.5), event("sent"), event("failed")):
            observe(one)
    assert written.getvalue().startswith("2 of 2 done, 1 failed, ")
    assert written.getvalue().count("\n") == 1


def test_on_a_terminal_there_is_a_bar() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    written = Terminal()
    with show_progress(2, to=written) as observe:
        observe(event("answered", 0.5))
        observe(event("failed"))
    assert "2/2" in written.getvalue()
    assert "1 failed" in written.getvalue()


def test_nothing_to_do_shows_nothing() -> None:
    written = io.StringIO()
    with show_progress(0, to=written):
        pass
    assert written.getvalue() == ""
