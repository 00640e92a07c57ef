import pytest

from stages.generate.pace.pause import Pause


def test_a_pause_is_as_long_as_the_server_asks() -> None:
    assert Pause(60.0).after(2.0, 10.0, sent_at=9.9, draw=0.5) == 2.0


def test_no_pause_is_longer_than_the_longest() -> None:
    assert Pause(60.0).after(86_400.0, 10.0, sent_at=9.9, draw=0.5) == 60.0


def test_a_first_pause_that_nobody_asked_for_is_short() -> None:
    assert 0 < Pause(60.0).after(None, 10.0, sent_at=9.9, draw=0.99) <= 0.5


@pytest.mark.parametrize("asked_s", [None, 0.0, 0.01], ids=["not asked for", "none", "too short"])
def test_pauses_grow_while_everything_is_refused(asked_s: float | None) -> None:
    pause, now = Pause(60.0), 0.0
    calls = 0
    while now < 600:
        now += pause.after(asked_s, now, sent_at=now, draw=0.5)
        pause.over(now, admitted_any=False)
        calls += 1
    assert calls < 60


def test_pauses_are_short_again_once_something_has_passed() -> None:
    pause, now = Pause(60.0), 0.0
    for _ in range(30):
        now += pause.after(None, now, sent_at=now, draw=0.5)
        pause.over(now, admitted_any=False)
    pause.over(now, admitted_any=True)
    assert pause.after(None, now, sent_at=now, draw=0.5) <= 0.5
