import threading

from stages.shell.orphan_watch import ancestors, watch_parent


def test_a_parent_that_died_while_this_process_was_loading_is_noticed_at_once() -> None:
    stop, noticed = threading.Event(), threading.Event()
    watch_parent(stop, noticed.set, before=(1_999_999_999, 1))
    assert noticed.wait(10)
    stop.set()


def test_nothing_is_noticed_while_the_processes_above_live() -> None:
    stop, noticed = threading.Event(), threading.Event()
    watch_parent(stop, noticed.set, before=ancestors())
    assert not noticed.wait(0.3)
    stop.set()
